"""The server of the interface check: one warm process that forks for each question.

Descriptor 0 is a stream socket to the host; see `protocol.py`. A program runs until its parser reads the command line.
There the process parks, before it has seen any argument. Each command line is a fork of it. Each question has its own
pipe for reports, which only the forked process holds.

    host <-> server --fork--> parked program --fork--> the program with a candidate's words --pipe--> server
    host <-> server --fork--> packages imported --fork--> an answer's imports done --fork--> the answer --pipe--> server
"""

from __future__ import annotations

import collections
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import time
import types
from typing import Any

if __name__ == "__main__":  # started as a file: import itself as part of the package
    _package = types.ModuleType("_mlbench_probe")
    _package.__path__ = [os.path.dirname(os.path.abspath(__file__))]
    sys.modules["_mlbench_probe"] = _package
    _server = importlib.import_module("_mlbench_probe.server")
    raise SystemExit(_server.main(sys.argv[1:]))
from . import import_scope, program_runner, rlimits  # imported here, so that each fork need not load them
from .patience import BY_CLOCK, Patience
from .processes import Child, children, kill
from .protocol import give, receive, send, undecided
from .question import ServerQuestion

PARKED = 32
FEW = 4  # left-over processes per question; more mean a program that forks without end
PRELOADED = (
    "argparse", "optparse", "getopt", "ast", "linecache", "traceback", "typing", "dataclasses", "enum", "json",
    "logging", "pathlib", "collections", "abc", "copy", "contextlib", "functools", "inspect", "itertools",
    "operator", "random", "re", "shutil", "string", "subprocess", "tempfile", "textwrap", "threading", "types",
    "warnings", "math", "datetime", "glob", "pickle", "urllib.parse", "difflib", "time", "csv", "io", "platform",
    "urllib.request", "hashlib", "xml.etree.ElementTree", "concurrent.futures", "multiprocessing.pool",
)  # fmt: skip
LAZY = {"numpy": ("numpy.random", "numpy.linalg", "numpy.fft")}  # modules that a library loads on first use


class RequestServer:
    def __init__(self, host: socket.socket, options: dict[str, Any]) -> None:
        self.host = host
        self.root = str(options.get("root", "/workspace"))
        self.scope = import_scope.ImportScope(self.root, bool(options.get("stubs", True)), str(options.get("kit", "")))
        self.parked: collections.OrderedDict[str, Child] = collections.OrderedDict()
        self.baseless: set[str] = set()  # import sets that failed

    def serve(self) -> None:
        """Answer until the host closes the socket."""
        while True:
            request = receive(self.host)
            if request is None:
                return
            began = time.perf_counter()
            try:
                answer, after = self.answer(request)
            except TimeoutError as error:  # of `session`
                answer, after = undecided("time-limit", str(error)), None
            except (KeyError, TypeError, ValueError, OSError) as error:
                answer, after = undecided("cannot-follow", f"the check: {type(error).__name__}: {error}"), None
            send(self.host, {**answer, "seconds": round(time.perf_counter() - began, 6)})
            self.clear(after)

    def answer(self, request: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        """Answer a request. Also return the child and the question, which `clear` ends."""
        wall = Patience(float(request.get("wall", 30.0)))
        key = json.dumps([request["do"], *(request.get(name) for name in ("run", "target", "cwd", "env", "imports"))])
        read, write = os.pipe()
        os.set_blocking(read, False)
        child = self.parked.get(key)
        try:
            if child is not None:
                self.parked.move_to_end(key)
                give(child.control, request, write)
            else:
                wall.watch(os.getpid())
                child = self.session(request, write, wall) or self.fork(request, write)
        except OSError:
            if child is not None:
                self.drop(key)
            os.close(read)
            raise
        finally:
            os.close(write)
        wall.watch(os.getpid())
        wall.watch(child.pid)
        asked = ServerQuestion(child, read, wall)
        answer = asked.wait()
        if child.parked and key not in self.parked:
            self.parked[key] = child
        return answer, (key, asked)

    def session(self, request: dict[str, Any], write: int, wall: Patience) -> Any:
        """Fork a process for a Python answer from one that has imported its packages; None if there is none.

        Answers import a package in many ways, and most time goes into the package's own import.

        Raises:
            TimeoutError: the process did not fork in time.
        """
        if request["do"] != "code":
            return None
        tops = sorted({str(name).partition(":")[0].partition(".")[0] for name in request.get("imports") or ()})
        path = str((request.get("env") or {}).get("PYTHONPATH", "")).split(":")
        folders = [os.path.join(request["cwd"], each) for each in ("", *filter(None, path), *self.scope.installed)]
        tops = [name for name in tops if any(is_module(folder, name) for folder in folders)]
        if not tops:
            return None
        base = {
            "do": "code",
            "base": True,
            "imports": tops,
            **{name: request.get(name) for name in ("cwd", "env", "cpu", "main")},
        }
        key = json.dumps(base)
        if key not in self.parked and not self.based(base, key, wall):
            return None
        self.parked.move_to_end(key)
        wall.watch(self.parked[key].pid)
        ours, theirs = socket.socketpair()
        give(self.parked[key].control, request, write, theirs.fileno())
        theirs.close()
        word = bytearray()
        while not word.endswith(b"\n"):
            left = wall.left((os.getpid(), self.parked[key].pid))
            if not select.select([ours], [], [], max(0.0, left))[0]:
                if left <= 0:
                    ours.close()
                    self.drop(key)
                    raise TimeoutError(f"{BY_CLOCK} before it began")
                continue  # the machine was busy: there may be more time left
            part = ours.recv(1)
            if not part:
                ours.close()
                return None
            word += part
        ours.setblocking(False)
        return Child(int(word.split()[1]), ours)

    def based(self, request: dict[str, Any], key: str, wall: Patience) -> bool:
        """Start a process with these imports; return whether it is parked."""
        if key in self.baseless:
            return False
        read, write = os.pipe()
        child = self.fork(request, write)
        os.close(write)
        poll = select.poll()
        poll.register(child.control, select.POLLIN)
        while not child.parked and not child.ended and (left := wall.left((child.pid,))) > 0:
            poll.poll(left * 1000 + 1)
            child.parked = [b"parked"] in child.words()
        os.close(read)
        if child.parked:
            self.parked[key] = child
        else:
            self.baseless.add(key)
            child.control.close()
            kill(child.pid)
        return child.parked

    def fork(self, request: dict[str, Any], write: int) -> Child:
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            try:
                ours.close()
                self.host.close()
                for other in self.parked.values():
                    other.control.close()
                program_runner.run(request, write, theirs, self.scope)
            except Exception as error:  # errors of the program itself are caught elsewhere
                fault = f"the check: {type(error).__name__}: {error}"
                program_runner.post(write, undecided("cannot-follow", fault))
            finally:
                os._exit(70)
        theirs.close()
        ours.setblocking(False)
        return Child(pid, ours)

    def clear(self, after: Any) -> None:
        """End the processes that a question left, and the parked programs beyond the limit."""
        if after is not None:
            key, asked = after
            asked.end()
            if not asked.child.parked or asked.child.ended:
                self.drop(key)
                kill(asked.child.pid)
                asked.child.control.close()
            asked.close()
        while len(self.parked) > PARKED:
            self.drop(next(iter(self.parked)))
        for _ in range(3):  # ended processes may leave orphans, which the next round finds
            known = {child.pid for child in self.parked.values()}
            strangers = [pid for pid in children() if pid not in known]
            if not strangers:
                return
            if len(strangers) > FEW:
                break
            for pid in strangers:
                kill(pid)
        self.sweep()

    def sweep(self) -> None:
        """End every process of the jail but the first, in one step of the kernel, so that none can fork meanwhile."""
        for child in self.parked.values():
            child.control.close()
        self.parked.clear()
        try:
            os.kill(-1, signal.SIGKILL)
            while True:
                os.waitpid(-1, 0)
        except (ProcessLookupError, ChildProcessError):
            return

    def drop(self, key: str) -> None:
        child = self.parked.pop(key, None)
        if child is not None:
            child.control.close()
            kill(child.pid)


def is_module(folder: str, name: str) -> bool:
    return os.path.isdir(os.path.join(folder, name)) or os.path.isfile(os.path.join(folder, f"{name}.py"))


def main(words: list[str]) -> int:
    options = json.loads(words[0]) if words else {}
    host = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    rlimits.protect_server()
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    for path in options.get("paths", ()):
        sys.path.append(path.replace("{python}", version))
    sys.path[:] = [path for path in sys.path if path not in ("", os.path.dirname(os.path.abspath(__file__)))]
    from . import parsers

    parsers.by_module()
    wanted = [part for name in options.get("preload", ()) for part in (name, *LAZY.get(name, ()))]
    for name in (*PRELOADED, *wanted):
        try:
            importlib.import_module(name)
        except Exception:  # a module that is missing here is missing in the check, too
            continue
    server = RequestServer(host, options)
    for fd in (1, 2):
        os.dup2(null, fd)
    send(host, {"ready": True, "python": list(sys.version_info[:3])})
    gc.collect()
    gc.freeze()
    server.serve()
    return 0
