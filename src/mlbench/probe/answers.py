"""A Python answer, run under watch: every call that it makes into the repository binds, and what it raises is judged.

The candidate runs for real, statement by statement. Loops of the repository are cut (`cutting.py`) and what they would
have left is stood for (`standin.py`), so that the answer is checked to its end in milliseconds. An exception says
something about the candidate only where nothing that was cut has a part in it.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import errno
import importlib.machinery
import inspect
import os
import re
import sys
import time
import types
from typing import TYPE_CHECKING, Any

from . import standin, started, stubs, values
from .cutting import Cutter, Stop, innermost
from .faults import BINDING, WORDS, fault, places, words
from .instrument import HOOK, Hook, Shower, Target, described, instrumented
from .reaching import reaching
from .standin import CertainlyNot, Standin

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = "/workspace"
LEAVING = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen", "os.kill"}
FILE = "mlbench_candidate.py"
OWN_TURNS = 1000  # turns that the candidate's own loops may take
MOST_CALLS = 500
MOST_NOTES = 40


class Answer:
    """What was found so far: the fields of an Invocation."""

    def __init__(self) -> None:
        self.status = "accepted"
        self.reason = ""
        self.message = ""
        self.calls: list[dict[str, Any]] = []
        self.unchecked: list[str] = []
        self.stopped = 0  # the first line that was not run
        self.wrote = False  # it failed because nothing can be written here
        self.starts: list[dict[str, Any]] = []  # programs that it starts; see started.py

    def note(self, said: str) -> None:
        said = said[:WORDS]
        if said not in self.unchecked and len(self.unchecked) < MOST_NOTES:
            self.unchecked.append(said)

    def decide(self, status: str, reason: str, message: str) -> None:
        self.status, self.reason, self.message = status, reason, message[:WORDS]

    def fields(self) -> dict[str, Any]:
        return {**vars(self), "how": "code"}


class Watch(Hook):
    """The hook of the check: makes the candidate's calls, or stands for them."""

    def __init__(self, root: str, file: str, cutter: Cutter, answer: Answer) -> None:
        super().__init__(root, file, self._called, self._looked, self._called_elsewhere)
        self.cutter = cutter
        self.answer = answer
        self.shower = Shower(self)
        self.unbound: BaseException | None = None
        self.touched = 0  # as many touches as when the innermost call of the candidate began
        self.cuts = 0
        self.guesses = 0
        self.own_turns = 0
        self.machinery = _machinery()
        self.passed: set[Any] = set()  # (type, value) of the plain values that the candidate has passed
        cutter.artefact = self.artefact

    def target(self, function: Any) -> Target | None:
        if type(function) is Standin:
            return None if function._target is None else super().target(function._target)
        return None if values.stub_name(function) else super().target(function)

    def begin(self) -> None:
        """What is touched or cut from here on has a part in what comes."""
        self.touched, self.cuts, self.guesses = standin.touches, len(self.cutter.cuts), _guesses()

    def going_on(self) -> bool:
        self.own_turns += 1
        if self.own_turns <= OWN_TURNS and len(self.answer.calls) < MOST_CALLS:
            return True
        self.answer.note(f"stopped: a loop of its own was left after {self.own_turns - 1} turns")
        self.cuts += 1
        return False

    def _record(self, call: dict[str, Any]) -> None:
        self.passed |= set(_plain_values(call["arguments"]))
        opened = call.pop("open")
        if opened:
            self.answer.note(f"{call['function']}: {', '.join(opened)} goes into its **kwargs")
        if len(self.answer.calls) < MOST_CALLS:
            self.answer.calls.append(call)

    def _called(self, function: Any, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if type(function) is Standin:
            return self._not_run(function, target, args, kwargs)
        try:
            self._record(described(self.shower, target, args, kwargs))
            binds = True
        except TypeError as error:
            binds = False
            if target.behind:  # what is called takes anything
                self.unbound = TypeError(f"{target.name.rpartition('.')[2]}() {error}")
                raise self.unbound from None
        if target.signature is None:
            self.answer.note(f"{target.name}: its parameters are not known")
        before = self.touched, self.cuts, self.guesses
        self.begin()
        deadline = self.cutter.allow()
        try:
            value = function(*args, **kwargs)
            if not binds:  # a decorator of its own took the call
                self._record(described(self.shower, Target(target.name, None), args, kwargs))
            return value
        except Exception as error:
            if not binds and len(places(error)) <= 2 and isinstance(error, TypeError):
                self.unbound = error
            elif self._artefact(error, function, args, kwargs):
                self.answer.note(f"{target.name}: ended by {words(error)} after a cut")
                return self.cutter.result(inspect.unwrap(function))
            raise
        finally:
            self.cutter.deadline = max(deadline, self.cutter.turns)
            self.touched, self.cuts, self.guesses = before

    def _looked(self, target: Target) -> None:
        self._record(described(self.shower, target, (), {}))

    def _not_run(self, function: Any, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A method of what was never made: it binds all the same, and its text tells what it returns."""
        try:
            self._record(described(self.shower, target, args, kwargs))
        except TypeError as error:
            self.unbound = TypeError(f"{target.name.rpartition('.')[2]}() {error}")
            raise self.unbound from None
        self.answer.note(f"{target.name}: binds; not run, its object stands for one that was cut")
        return self.cutter.result(inspect.unwrap(function._target), function._receiver)

    def _called_elsewhere(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if type(function) is Standin:
            call = described(self.shower, Target(function._path, None), args, kwargs)
            self._record({**call, "open": []})
            self.answer.note(f"{function._path}: called on what was cut; its parameters are not known")
            return function(*args, **kwargs)
        touched = standin.touches
        try:
            value = function(*args, **kwargs)
        except Exception:
            if standin.touches == touched and not _holds_standin((args, kwargs)):
                raise
            return Standin(f"{getattr(function, '__name__', type(function).__name__)}()")
        self.shower.remember(value, function, args, kwargs)
        return value

    def artefact(self, error: BaseException) -> bool:
        if self.certain(error):
            return False
        if self.machinery is not None and self.machinery.ground.stubs_allowed and isinstance(error, OSError):
            return (str, error.filename) not in self.passed and not self.can_be_written(error)  # data, or the network
        cut = len(self.cutter.cuts) != self.cuts and not self.cutter.raised_on_purpose(error)
        return cut or standin.touches != self.touched or (self.machinery is not None and self.machinery.tainted(error))

    def can_be_written(self, error: OSError) -> bool:
        """Whether a file could have been written where the repository can be written."""
        name = os.path.abspath(str(getattr(error, "filename", "")))
        return error.errno == errno.EROFS and name.startswith((self.root, "/tmp/", os.path.expanduser("~/")))

    def certain(self, error: BaseException) -> bool:
        """Whether an exception is the candidate's doing, whatever was cut before."""
        if error is self.unbound or isinstance(error, (CertainlyNot, ImportError)):
            return True
        if isinstance(error, TypeError) and BINDING.search(str(error)):
            return True
        last = innermost(error)
        held = list(last.tb_frame.f_locals.values()) if last is not None else []
        if self.cutter.raised_on_purpose(error):
            guards = self.cutter.guards(error)
            if any(_stands_in(one) for one in guards):
                return False
            return (
                _guesses() == self.guesses or self._quoted(str(error)) or any(self._was_passed(one) for one in guards)
            )
        mixed = isinstance(error, TypeError) and re.search(r"\b(str|NoneType)\b", str(error)) is not None
        return mixed and any(type(one) in (str, type(None)) and self._was_passed(one) for one in held)

    def _was_passed(self, value: Any) -> bool:
        return type(value) in (str, int, float, type(None)) and (type(value), value) in self.passed

    def _quoted(self, message: str) -> bool:
        """Whether a message names a text that the candidate has passed."""
        texts = (one for kind, one in self.passed if kind is str and len(one) > 2)
        return any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", message) for one in texts)

    def _artefact(self, error: BaseException, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether what was cut may have a part in an exception that a call of the repository raised."""
        if self.certain(error):
            return False
        if self.artefact(error):
            return True
        involved = [getattr(function, "__self__", function), *args, *kwargs.values()]
        unfinished = {id(one) for one in self.cutter.unfinished}
        if not any(type(one) is Standin or id(one) in unfinished for one in involved):
            return False
        return not self.cutter.raised_on_purpose(error)


def _guesses() -> int:
    return standin.guesses + int(stubs.count.touched)


def _stands_in(value: Any) -> bool:
    return type(value) is Standin or bool(values.stub_name(value))


def _machinery() -> Any:
    """The import machinery of this process, where it has one of the check's."""
    return getattr(sys.meta_path[0], "_imports", None) if sys.meta_path else None


def _silence(recorder: Any) -> None:
    """What is parsed in here, by the candidate's own parser, is no configuration and ends nothing."""
    recorder.mode = "ride"
    recorder._send = lambda answer: None


def _plain_values(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, dict)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _plain_values(one)
    elif not isinstance(value, bool):
        yield type(value), value


class Session:
    """A process that is ready for candidates of one folder: their imports from the repository are done.

    `imports` names modules, and as `module:name` what is imported from them and may be a module itself.
    A fork of it answers in a fraction of the time. Nothing of a candidate has run in it.

    Raises:
        Exception: what an import raises; the process is then of no use as a session.
    """

    def __init__(self, request: dict[str, Any], imports: tuple[str, ...] = ()) -> None:
        self.cwd = request.get("cwd", ROOT)
        self.root = os.path.realpath(request.get("root", ROOT))
        self.file = str(request.get("file") or os.path.join(self.cwd, FILE))
        self.cutter = Cutter(self.root)
        os.chdir(self.cwd)
        sys.argv = [self.file, *map(str, request.get("argv") or ())]
        beside = os.path.dirname(self.file)
        sys.path[:] = [beside, *(path for path in sys.path if path not in ("", beside))]
        self._count_loops()
        machinery = _machinery()
        if machinery is not None:
            _silence(machinery.recorder)
        self._own: dict[str, bool] = {}  # top-level modules: whether they are the repository's
        self.load(imports)

    def load(self, imports: tuple[str, ...]) -> None:
        """Do these imports, where they are the repository's."""
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
    """Run the candidate of a request in this process, which is spent afterwards.

    Returns:
        The fields of an Invocation; `stopped` is the first line that was not run, 0 where all were.
    """
    answer = Answer()
    code = request["code"]
    session = session or Session(request)
    try:
        tree = ast.parse(code, session.file)
        statements = instrumented(code, session.file, loops=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        answer.decide("rejected", "python-syntax", words(error))
        return answer.fields()
    for what in reaching(tree):
        answer.note(f"reaches: {what}")
    watch = Watch(session.root, session.file, session.cutter, answer)
    main = types.ModuleType("__main__")
    vars(main).update({"__file__": session.file, "__builtins__": builtins, HOOK: watch})
    sys.modules["__main__"] = main
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        numpy.seed(0)
    with _watched(answer), started.noted(answer.starts, session.file) as written:
        _run(statements, main, watch, answer, session)
    answer.wrote |= bool(written) and not os.access(session.root, os.W_OK)  # where it can, it is looked at
    cuts = session.cutter.cuts
    if cuts:
        answer.note("stopped inside: " + ", ".join(dict.fromkeys(cuts)))
    if answer.status == "accepted" and not answer.calls and not answer.stopped:
        answer.decide("rejected", "not-a-call-of-the-repository", "nothing of the repository is called")
    return answer.fields()


def _run(statements: Any, main: types.ModuleType, watch: Watch, answer: Answer, session: Session) -> None:
    """Statement by statement: one that ends on what was cut does not keep the next from being checked."""
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
            if (
                (standin.touches == watch.touched and len(cuts) == watch.cuts)
                or watch.certain(error)
                or _unknown_name(error)
            ):
                if isinstance(error, OSError) and watch.can_be_written(error):
                    answer.wrote = True
                    answer.decide("undecided", "raised", words(error))
                else:
                    answer.decide(*fault(error, session.file, watch.root, error is watch.unbound))
                return
            answer.note(f"line {line}: ended by {words(error)} after a cut")
            for name in names:
                vars(main).setdefault(name, Standin(name))


@contextlib.contextmanager
def _watched(answer: Answer) -> Iterator[None]:
    """What would end this process, start another or wait, is noted, and ends the candidate or is left out."""
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


def _holds_standin(value: Any, depth: int = 0) -> bool:
    """Whether what stands for something that was cut is a value, or in one."""
    if type(value) is Standin:
        return True
    if depth > 3 or type(value) not in (list, tuple, dict):
        return False
    return any(_holds_standin(one, depth + 1) for one in (value.values() if type(value) is dict else value))


def _unknown_name(error: BaseException) -> bool:
    return isinstance(error, NameError) and not isinstance(error, UnboundLocalError)
