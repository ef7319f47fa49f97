"""Run one program up to its parser, park there, and fork an answer for each command line."""

from __future__ import annotations

import array
import builtins
import contextlib
import gc
import importlib
import importlib.machinery
import importlib.util
import json
import os
import signal
import site
import socket
import sys
import types
from typing import Any

from . import last_line, readonly_fs, refusals, rlimits, terminal
from .finders import RepositoryLoader
from .import_scope import ENTRIES, ImportScope
from .imports import Imports
from .parsers import sys_argv
from .protocol import undecided
from .recorder import Recorder


class ProgramProcess:
    """The state of this process: the pipe for its answer, and the socket to the server."""

    def __init__(self, request: dict[str, Any], write: int, control: socket.socket) -> None:
        self.request, self.write, self.control = request, write, control
        self.recorder: Any = None
        self.rest: list[socket.socket] = []

    def send(self, answer: dict[str, Any]) -> None:
        post(self.write, answer)

    def park(self) -> list[str]:
        """Fork for each request, first for the present one. Returns in each fork, with its arguments.

        Each further fork is made before its request comes, and waits for it, because forking takes longer than parsing.
        """
        gc.freeze()
        rlimits.bound_cpu(None)
        self.control.sendall(b"parked\n")
        waits = False
        while True:
            pid = os.fork()
            if pid == 0:
                self.recorder.moved()
                rlimits.isolate()
                if waits:
                    self.next()
                self.control.close()
                rlimits.limit_cpu(float(self.request.get("cpu", 10.0)))
                return [str(word) for word in self.request.get("argv", ())]
            if not waits:
                os.close(self.write)
            self.tell(b"forked %d\n" % pid)
            self.tell(b"done %d\n" % os.waitpid(pid, 0)[1])
            waits = True

    def tell(self, words: bytes) -> None:
        """Send a line to the server. Ends this process if the server has ended or has dropped it."""
        try:
            self.control.sendall(words)
        except OSError:
            os._exit(0)

    def lend(self) -> None:
        """Fork a process for each set of further imports. Returns in each fork, which parks by itself.

        The forks become the server's children, because the process between them ends.
        """
        gc.freeze()
        rlimits.bound_cpu(None)
        self.control.sendall(b"parked\n")
        while True:
            self.next(2)
            pid = os.fork()
            if pid == 0:
                if os.fork():
                    os._exit(0)
                self.control.close()
                self.control = self.rest[0]
                self.control.sendall(b"here %d\n" % os.getpid())
                self.recorder.moved()
                rlimits.bound_cpu(float(self.request.get("cpu", 10.0)))
                return
            os.close(self.write)
            self.rest[0].close()
            os.waitpid(pid, 0)

    def next(self, many: int = 1) -> None:
        """Receive the next question, with the pipe for its answer. A second descriptor is a socket to the server."""
        head, rights, _, _ = self.control.recvmsg(4, socket.CMSG_SPACE(4 * many), socket.MSG_WAITALL)
        if len(head) < 4:
            os._exit(0)
        size = int.from_bytes(head, "little")
        data = bytearray()
        while len(data) < size:
            part = self.control.recv(size - len(data))
            if not part:
                os._exit(0)
            data += part
        self.write, *others = array.array("i", rights[0][2])
        self.rest = [socket.socket(fileno=other) for other in others]
        self.request = json.loads(bytes(data))

    def confine(self) -> None:
        rlimits.confine(float(self.request.get("cpu", 10.0)))


def post(write: int, answer: dict[str, Any]) -> None:
    """Write one report: its length and JSON."""
    data = json.dumps(answer).encode()
    data = len(data).to_bytes(4, "little") + data
    while data:
        data = data[os.write(write, data) :]


def run(request: dict[str, Any], write: int, control: socket.socket, scope: ImportScope) -> None:
    """Answer a request and end the process. Does not return an answer.

    Args:
        request: the question.
        write: descriptor of the pipe for reports.
        control: socket to the server.
        scope: the repository's modules.
    """
    signal.set_wakeup_fd(-1)
    rlimits.bound_memory()
    rlimits.bound_cpu(float(request.get("cpu", 10.0)))
    process = ProgramProcess(request, write, control)
    recorder = process.recorder = Recorder("stop", process.send, scope.root)
    recorder.is_own = scope.own.__contains__
    recorder.describes = lambda: bool(process.request.get("describe"))
    recorder.reads_inputs = lambda: bool(process.request.get("inputs"))
    if scope.partial:
        recorder.note(f"which modules are the repository's: only {ENTRIES} of its files were looked at")
    env = {str(name): str(value) for name, value in dict(request.get("env") or {}).items()}
    os.environ.update(env)
    recorder.variables = env
    cwd = str(request.get("cwd", scope.root))
    try:
        os.chdir(cwd)
    except OSError as error:
        recorder.rejected("no-such-folder", f"{cwd}: {error.strerror}")
    os.environ["PWD"] = os.getcwd()  # as every shell gives it; configurations read it
    extra = [os.path.join(cwd, path) for path in env.get("PYTHONPATH", "").split(":") if path]
    here = [path for path in scope.installed if path != scope.root and f"{cwd}/".startswith(f"{path}/")]
    # Of two projects with one package, such as `EVA-01/det` and `EVA-02/det`, the one that a command runs in is meant.
    sys.path[:] = [*reversed(here), *extra, *sys.path, *(path for path in scope.installed if path not in sys.path)]
    sys.dont_write_bytecode = True
    for provide in (site.setquit, site.setcopyright, site.sethelper):  # the server starts without `site`
        provide()
    try:
        if request["do"] == "code":
            _run_code(process, scope)
        else:
            _run_program(process, scope)
    except Exception as error:  # a parked process answers through the pipe of its present question
        process.send(undecided("cannot-follow", f"the check: {type(error).__name__}: {error}"))


def _run_code(process: ProgramProcess, scope: ImportScope) -> None:
    """Run a candidate's own code. If the request names imports, do them first and park."""
    from . import python_runner

    request = process.request
    file = str(request.get("file") or os.path.join(str(request.get("cwd")), python_runner.FILE))
    machinery = Imports(process.recorder, scope, file)
    machinery.install()
    session = None
    if request.get("imports"):
        try:
            session = python_runner.Session({**request, "root": scope.root}, tuple(request["imports"]))
            if request.get("base"):
                process.lend()
                session.load(tuple(process.request["imports"]))
            process.park()
        except Exception:  # the error comes again when the code runs, and is judged there
            session = None
            process.confine()
    else:
        process.confine()
    answer = python_runner.run_code({**process.request, "root": scope.root}, process.recorder, session)
    process.send({"unchecked": [], "repairs": list(process.recorder.repairs), **answer})
    os._exit(0)


def _run_program(process: ProgramProcess, scope: ImportScope) -> None:
    request, recorder = process.request, process.recorder
    run_as, target = str(request.get("run", "file")), str(request["target"])
    cwd = os.getcwd()
    machinery = Imports(recorder, scope)
    machinery.install()
    readonly_fs.pretend(recorder)
    terminal.pretend()
    recorder.printed = last_line.watch()
    os.system = _not_run(recorder)
    if run_as == "console-script":
        path, spec = _by_entry_point(target, str(request.get("name", target)), machinery, str(request.get("file", "")))
    else:
        path, spec = _by_file(target, cwd, recorder) if run_as == "file" else _by_module(target, cwd, recorder)
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=path, __builtins__=builtins, __spec__=spec if run_as != "file" else None)
    main.__package__ = spec.parent if run_as != "file" else None
    if run_as == "file":
        main.__dict__.update(__cached__=None, __loader__=spec.loader)
    elif run_as == "console-script":
        main.__dict__.update(__spec__=None)
    sys.modules["__main__"] = main
    name = path if run_as != "file" else target
    sys_argv.watch([name, *(str(word) for word in request.get("argv", ()))], recorder, process.park)
    recorder.unparked, recorder.words_by_place = process.confine, sys_argv.by_place
    recorder.is_bare = sys_argv.are_none
    error: BaseException | None = None
    try:
        code = spec.loader.get_code(spec.name)
        machinery.execute(code, main.__dict__, path)
        error = machinery.taint.first_error if recorder.last is None else None
    except BaseException as raised:
        error = raised
    if recorder.last is None and scope.python > sys.version_info[:2] and _is_of_another_python(error):
        needed, here = ".".join(map(str, scope.python)), ".".join(map(str, sys.version_info[:2]))
        recorder.undecided("cannot-follow", f"it needs Python {needed}, and this is {here}: {error}")
    tainted = error is not None and (error is machinery.taint.first_error or machinery.taint.tainted(error))
    on_stubs = tainted or (machinery.taint.first_error is not None and recorder.last is None)
    recorder.finished(error, on_stubs and not machinery.taint.certain(error), machinery.taint.refuses)


def _not_run(recorder: Any) -> Any:
    """Replace `os.system`: the command is taken to succeed, and what hangs on it counts as what hangs on a stub."""

    def system(command: Any) -> int:
        recorder.note(f"it runs `{str(command)[:200]}`, which is not run here")
        recorder.touched += 1
        recorder.tested += 1
        return 0

    return system


def _is_of_another_python(error: BaseException | None) -> bool:
    """Whether a newer Python may not raise this error: a syntax error, or a missing name of the library."""
    return any(isinstance(each, (SyntaxError, ImportError, AttributeError)) for each in refusals.chain(error))


def _by_file(target: str, cwd: str, recorder: Any) -> tuple[str, Any]:
    """Find a script as `python FILE` does; a folder has its `__main__.py`."""
    path = os.path.join(cwd, target)
    if os.path.isdir(path):
        sys.path.insert(0, path)
        path = os.path.join(path, "__main__.py")
        if not os.path.isfile(path):
            recorder.rejected("no-such-file", f"can't find '__main__' module in {target!r}")
    else:
        sys.path.insert(0, os.path.dirname(os.path.realpath(path)))
    if not os.path.isfile(path):
        recorder.rejected("no-such-file", f"can't open file {target!r}: No such file or directory")
    path = os.path.normpath(path)
    return path, importlib.machinery.ModuleSpec("__main__", _loader("__main__", path), origin=path)


def _by_entry_point(target: str, name: str, machinery: Imports, file: str) -> tuple[str, Any]:
    """Write a console script for `module:function`, as an installer does.

    Args:
        target: `module:function`.
        name: the script's name.
        machinery: the import machinery.
        file: the module's file in the repository, used if the module cannot be imported by its name.
    """
    module, _, function = target.partition(":")
    top = function.partition(".")[0]
    source = f"import sys\nfrom {module} import {top}\nsys.exit({function}())\n"
    path = os.path.join("/opt/tools", os.path.basename(name))
    machinery.taint.sources[path] = source

    def get_code(_: str) -> Any:
        if file and not _is_there(module):
            place = os.path.join(machinery.scope.root, file)
            spec = importlib.util.spec_from_file_location(module, place, loader=machinery.loader(module, place))
            assert spec is not None and spec.loader is not None
            sys.modules[module] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[module])
        return compile(source, path, "exec")

    loader = types.SimpleNamespace(get_code=get_code)
    return path, types.SimpleNamespace(name="__main__", loader=loader, origin=path, parent=None)


def _is_there(module: str) -> bool:
    spec = None
    with contextlib.suppress(Exception):
        spec = importlib.util.find_spec(module)
    return spec is not None


def _loader(name: str, path: str) -> Any:
    loader = sys.meta_path[0]
    machinery = loader._imports  # type: ignore[attr-defined]
    if machinery.scope.stubs_allowed:
        return RepositoryLoader(machinery, name, path)
    return importlib.machinery.SourceFileLoader(name, path)


def _by_module(target: str, cwd: str, recorder: Any) -> tuple[str, Any]:
    """Find a module as `python -m MODULE` does; a package has its `__main__`."""
    sys.path.insert(0, cwd)
    spec: Any = None
    try:
        spec = importlib.util.find_spec(target)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(target + ".__main__")
    except (ImportError, ValueError) as error:
        if not isinstance(error, ModuleNotFoundError) or not f"{target}.".startswith(f"{error.name}."):
            recorder.finished(error)
    except Exception as error:
        recorder.finished(error, sys.meta_path[0]._imports.taint.tainted(error))  # type: ignore[attr-defined]
    if spec is None or not spec.origin or not hasattr(spec.loader, "get_code"):
        recorder.rejected("no-such-module", f"No module named {target}")
    return str(spec.origin), spec
