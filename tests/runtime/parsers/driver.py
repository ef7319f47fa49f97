"""A child process that runs one program under the recorder, once per argument vector, each in a fork of its own.

Run as `python -I -S driver.py`, with a JSON object on standard input: `kit`, `source` (the folder of `probe`), `mode`,
`program`, `stub` (a library that is missing, or nothing) and `vectors`. Prints a list of lists of answers, and
`went on` where the program came to its end.
"""

import importlib
import importlib.machinery
import json
import os
import runpy
import sys
import types

request = json.load(sys.stdin)
sys.path += [request["kit"], request["source"]]

from runtime import parsers, stubs  # noqa: E402
from runtime.recorder import Recorder  # noqa: E402


def run(vector, out):
    answers = []

    def send(answer):
        answers.append(answer)
        out.seek(0)
        out.truncate()
        json.dump(answers, out)
        out.flush()

    folder = os.path.dirname(request["program"])
    recorder = Recorder(request["mode"], send, folder)
    sys.meta_path.append(Stubs())
    stubs.watch(recorder, types.SimpleNamespace(known=lambda owner, name: None))
    for name in parsers.NAMES:
        try:
            parser = importlib.import_module("runtime.parsers." + name)
        except ModuleNotFoundError:
            continue
        for module in parser.MODULES:
            if module.partition(".")[0] in request["libraries"]:
                parser.install(importlib.import_module(module), recorder)
    sys.argv = [request["program"], *vector]
    sys.path.insert(0, folder)
    os.chdir(folder)
    for descriptor in (0, 1, 2):
        os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
    error = None
    try:
        runpy.run_path(request["program"], run_name="__main__")
    except BaseException as raised:
        error = raised
    if request["mode"] == "stop":
        recorder.finished(error)
    elif error is None or (isinstance(error, SystemExit) and not error.code):
        send("went on")


class Stubs:
    """Finds the missing library and all below it."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == request["stub"]:
            return importlib.machinery.ModuleSpec(name, self)
        return None

    def create_module(self, spec):
        return stubs.StubModule(spec.name)

    def exec_module(self, module):
        pass


def main():
    all_answers = []
    for library in request["libraries"]:
        if library != request["stub"]:
            importlib.import_module(library)
    for vector in request["vectors"]:
        out = os.fdopen(os.memfd_create("answers"), "w+")
        child = os.fork()
        if child == 0:
            run(vector, out)
            os._exit(0)
        os.waitpid(child, 0)
        out.seek(0)
        all_answers.append(json.loads(out.read() or "[]"))
    print(json.dumps(all_answers))


main()
