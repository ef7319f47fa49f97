"""Run a Python answer, check that its calls into the repository bind, and judge its exceptions.

The candidate really runs, statement by statement. Loops of the repository are cut (`loop_cutoff.py`), and stubs replace
their results (`return_stub.py`). So an answer is checked to its end in milliseconds. An exception counts against the
candidate only if nothing that was cut contributed to it.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import importlib.machinery
import os
import sys
import time
import types
from typing import TYPE_CHECKING, Any

from . import refusals, return_stub, started, stubs
from .ast_rewrite import HOOK, instrumented
from .at_once import at_once
from .error_mapping import WORDS, fault, words
from .forbidden_access import reaching
from .loop_cutoff import Cutter, Stop
from .return_stub import ReturnStub
from .watch import Answer, CallWatcher, machinery

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = "/workspace"
LEAVING = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen", "os.kill"}
FILE = "mlbench_candidate.py"
_UNKNOWN_OUTPUT = "mlbench-output-of-"  # what follow.bash writes in the place of a program's output


def _silence(recorder: Any) -> None:
    """Ignore what the candidate's own parser parses: it is no configuration of a program."""
    recorder.mode = "ride"
    recorder._send = lambda answer: None


class Session:
    """A process that has done the imports from the repository, ready for candidates of one folder.

    `imports` holds modules, and `module:name` for names that may be modules themselves. No code of a candidate has run
    in it. A fork of it answers in a fraction of the time.

    Raises:
        Exception: an import raised it. The process cannot be used as a session.
    """

    def __init__(self, request: dict[str, Any], imports: tuple[str, ...] = ()) -> None:
        self.cwd = request.get("cwd", ROOT)
        self.root = os.path.realpath(request.get("root", ROOT))
        self.file = os.path.join(self.cwd, FILE)
        self.cutter = Cutter(
            self.root, [(str(file), str(name), str(script)) for file, name, script in request.get("main") or ()]
        )
        os.chdir(self.cwd)
        sys.argv = [self.file, *map(str, request.get("argv") or ())]
        beside = os.path.dirname(self.file)
        sys.path[:] = [beside, *(path for path in sys.path if path not in ("", beside))]
        self._count_loops()
        found = machinery()
        if found is not None:
            _silence(found.recorder)
        self._own: dict[str, bool] = {}  # top-level modules: whether they are the repository's
        self.load(imports)

    def load(self, imports: tuple[str, ...]) -> None:
        """Import these modules, if they belong to the repository."""
        for name in imports:
            if self._has(name.partition(":")[0].partition(".")[0]):
                module = importlib.import_module(name.partition(":")[0])
                for folder in getattr(sys.modules[module.__name__.partition(".")[0]], "__path__", ()):
                    self.cutter.precompile(folder)
                part = name.partition(":")[2]
                if part and hasattr(module, "__path__") and not hasattr(module, part):
                    with contextlib.suppress(ModuleNotFoundError):
                        importlib.import_module(f"{module.__name__}.{part}")

    def _has(self, name: str) -> bool:
        if name not in self._own:
            self._own[name] = self._is_own(name)
        return self._own[name]

    def _is_own(self, name: str) -> bool:
        if name in sys.modules or name in sys.builtin_module_names:
            return False
        found = importlib.machinery.PathFinder.find_spec(name)
        places = [found.origin or "", *(found.submodule_search_locations or ())] if found is not None else []
        return any(str(place).startswith(self.cutter.root) for place in places)

    def _count_loops(self) -> None:
        plain, cutter = importlib.machinery.SourceFileLoader.source_to_code, self.cutter

        def source_to_code(self: Any, data: Any, path: Any, **options: Any) -> Any:
            if str(path).startswith(cutter.root):
                return cutter.compiled(data, str(path))
            return plain(self, data, path, **options)

        setattr(importlib.machinery.SourceFileLoader, "source_to_code", source_to_code)  # noqa: B010


def run_code(request: dict[str, Any], recorder: Any = None, session: Session | None = None) -> dict[str, Any]:
    """Run the candidate of a request in this process, which cannot be used again.

    Returns:
        The fields of an `Invocation`. `stopped` is the first line that was not run, 0 if all were.
    """
    answer = Answer()
    session = session or Session(request)
    try:
        code = request["code"] if "code" in request else _read(request["file"])
        if code.startswith(_UNKNOWN_OUTPUT):
            made_by = code[len(_UNKNOWN_OUTPUT) :].split("\n")[0][:80]
            answer.decide("undecided", "cannot-follow", f"it runs what `{made_by}` would have written")
            return answer.fields()
        tree = ast.parse(code, session.file)
        statements = instrumented(code, session.file, loops=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        answer.decide("rejected", "python-syntax", words(error))
        return answer.fields()
    stubs.answer = session.file
    for what in reaching(tree):
        answer.note(f"reaches: {what}")
    watch = CallWatcher(session.root, session.file, session.cutter, answer)
    watch.names_nowhere = stubs.NOWHERE in code
    main = types.ModuleType("__main__")
    vars(main).update({"__file__": session.file, "__builtins__": builtins, HOOK: watch})
    sys.modules["__main__"] = main
    sys.argv[1:] = [str(word) for word in request.get("argv") or ()]
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        numpy.seed(0)
    noted = started.noted(answer.starts, session.file, watch.read)
    with _watched(answer), noted as written, at_once(watch.mine, watch.handed):
        _run(statements, main, watch, answer, session)
    answer.wrote |= bool(written) and not os.access(
        session.root, os.W_OK
    )  # if it can be written, the file itself is read
    cuts = session.cutter.cuts
    if cuts:
        answer.note("stopped inside: " + ", ".join(dict.fromkeys(cuts)))
    if answer.status == "accepted" and not answer.calls and not answer.stopped:
        answer.decide("rejected", "not-a-call-of-the-repository", "nothing of the repository is called")
    return answer.fields()


def _read(file: str) -> str:
    """Read a file that the candidate wrote, and put its folder first on the module search path."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    sys.argv[0] = file
    with open(file, encoding="utf-8") as opened:
        return opened.read()


def _run(statements: Any, main: types.ModuleType, watch: CallWatcher, answer: Answer, session: Session) -> None:
    """Run each statement. One that fails because of a cut does not stop the next."""
    cuts = session.cutter.cuts
    for line, end, names, statement in statements:
        try:
            watch.begin()
            exec(statement, vars(main))
        except SystemExit as error:
            if error.code not in (None, 0):
                answer.decide("rejected", "exits-early", f"line {line}: exits with {error.code!r}"[:WORDS])
            return
        except Stop as error:
            answer.note(f"stopped: line {line}: {error}")
            answer.stopped = end + 1
            return
        except BaseException as error:
            missing = isinstance(error, FileNotFoundError) and not watch.can_be_written(error)
            if (
                not watch.by_library_stub(error)
                and return_stub.touches == watch.touched
                and len(cuts) == watch.cuts
                and not (missing and answer.starts)
            ) or (watch.certain(error) or _unknown_name(error)):
                if any(isinstance(each, OSError) and watch.can_be_written(each) for each in refusals.chain(error)):
                    answer.wrote = True
                    answer.decide("undecided", "raised", words(error))
                else:
                    answer.decide(*fault(error, session.file, watch.root, error is watch.unbound))
                return
            answer.note(f"line {line}: ended by {words(error)} after a cut")
            for name in names:
                vars(main).setdefault(name, ReturnStub(name))


@contextlib.contextmanager
def _watched(answer: Answer) -> Iterator[None]:
    """Intercept calls that end this process, start another, or wait."""
    on = True

    def leave(*args: Any) -> None:
        answer.note(f"reaches: {args[0] if args and isinstance(args[0], str) else 'os._exit'}")
        raise Stop("it leaves this process")

    def audit(event: str, args: tuple[Any, ...]) -> None:
        if on and event in LEAVING:
            leave(event)

    def sleep(seconds: float) -> None:
        answer.note(f"stopped: does not sleep {seconds!r} s")

    kept = os._exit, os.abort, time.sleep
    sys.addaudithook(audit)
    os._exit, os.abort, time.sleep = leave, leave, sleep  # type: ignore[assignment]
    try:
        yield
    finally:
        on = False
        os._exit, os.abort, time.sleep = kept


def _unknown_name(error: BaseException) -> bool:
    return isinstance(error, NameError) and not isinstance(error, UnboundLocalError)
