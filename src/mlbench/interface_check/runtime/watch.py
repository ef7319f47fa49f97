"""The call hook of the check. It makes the calls of a Python answer, or replaces their results by stubs.

It also decides whether the candidate or a cut caused an exception.
"""

from __future__ import annotations

import errno
import functools
import inspect
import os
import re
import sys
import types
from typing import TYPE_CHECKING, Any

from . import assumed_inputs, entry_functions, refusals, return_stub, started, stubs, values
from .at_once import calls_its_first
from .call_hook import CallTarget, Hook
from .error_mapping import BINDING, WORDS, places, words
from .executed import execute
from .loop_cutoff import Cutter, innermost
from .module_names import NoSuchName
from .return_stub import CertainlyNot, ReturnStub
from .taint import is_network
from .value_recorder import ValueEncoder, described

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OWN_TURNS = 1000  # turns of the candidate's own loops
MOST_CALLS = 500
MOST_NOTES = 40
NOWHERE = "No usable temporary directory"  # from a message of tempfile


class Answer:
    """The findings so far, as the fields of an `Invocation`."""

    def __init__(self) -> None:
        self.status = "accepted"
        self.reason = ""
        self.message = ""
        self.calls: list[dict[str, Any]] = []
        self.unchecked: list[str] = []
        self.stopped = 0  # the first line that was not run
        self.wrote = False  # it failed because the jail is not writable
        self.starts: list[dict[str, Any]] = []  # programs that it starts; see started.py

    def note(self, said: str) -> None:
        said = said[:WORDS]
        if said not in self.unchecked and len(self.unchecked) < MOST_NOTES:
            self.unchecked.append(said)

    def decide(self, status: str, reason: str, message: str) -> None:
        self.status, self.reason, self.message = status, reason, message[:WORDS]

    def fields(self) -> dict[str, Any]:
        return {**vars(self), "how": "code"}


class CallWatcher(Hook):
    """Makes the candidate's calls, or replaces their results by stubs."""

    def __init__(self, root: str, file: str, cutter: Cutter, answer: Answer) -> None:
        super().__init__(root, file, self._called, self._looked, self._called_elsewhere)
        self.cutter = cutter
        self.answer = answer
        self.shower = ValueEncoder(self)
        self.unbound: BaseException | None = None
        self.touched = 0  # the number of touches when the candidate's innermost call began
        self.cuts = 0
        self.guesses = 0
        self.own_turns = 0
        self.machinery = machinery()
        self.names_nowhere = False  # whether the candidate's code has the path of stubs
        self.read: list[str] = []  # Python files that the candidate opened to read
        self.passed: set[Any] = set()  # (type, value) of the plain values that the candidate has passed
        cutter.artefact = self.artefact
        cutter.starts = self.starts

    def target(self, function: Any) -> CallTarget | None:
        if type(function) is ReturnStub:
            return None if function._target is None else super().target(function._target)
        return None if values.stub_name(function) else super().target(function)

    def _of_class(self, kind: type) -> CallTarget | None:
        """The target of a class. A candidate's class that extends a repository class counts as that class."""
        base = next((each for each in kind.__mro__ if self.has_class(each)), None)
        return super()._of_class(base if base is not None and self._adds(kind, base) else kind)

    def _adds(self, kind: type, base: type) -> bool:
        """Whether a class inherits its constructor and calls every base method that it overrides."""
        for each in kind.__mro__[: kind.__mro__.index(base)]:
            for name, value in each.__dict__.items():
                if name in ("__module__", "__doc__", "__qualname__", "__dict__", "__weakref__", "__annotations__"):
                    continue
                if not hasattr(base, name) or getattr(base, name, None) is getattr(object, name, _nothing):
                    continue
                code = getattr(value, "__code__", None)
                if code is None or name in ("__init__", "__new__") or not {"super", name} <= set(code.co_names):
                    return False
        return kind.__module__ == "__main__"

    def ask(self, function: Any, site: int) -> Any:
        if function is exec:
            return lambda *args: execute(self, sys._getframe(1), self.read, self.note_start, *args)
        if calls_its_first(function):
            return lambda first, *rest, **named: function(self.handed(first), *rest, **named)
        return super().ask(function, site)

    def handed(self, function: Any) -> Any:
        """Wrap a callable that the candidate hands to the standard library."""
        target = self.target(function)
        return function if target is None else functools.partial(self._made, function, target)

    def mine(self) -> bool:
        """Whether the candidate's own code is the direct caller."""
        return entry_functions.asked_by(sys._getframe(1), self.file, (started.HERE,))

    def starts(self, frame: types.FrameType) -> bool:
        """Record the start of a program, if the candidate calls its main function in this frame."""
        if not entry_functions.asked_by(frame.f_back, self.file, (started.HERE, started.LIBRARY, "<frozen")):
            return False
        last = self.machinery.recorder.last if self.machinery is not None else None
        script = self.cutter.main.get((frame.f_code.co_filename, frame.f_code.co_name), "")
        start = entry_functions.start(frame, self.root, last, script)
        if start is not None:
            self.note_start(start)
        return start is not None

    def note_start(self, start: dict[str, Any]) -> None:
        if len(self.answer.starts) < started.MOST:
            self.answer.starts.append(start)

    def begin(self) -> None:
        """Start counting touches and cuts for the next call."""
        self.touched, self.cuts, self.guesses = return_stub.touches, len(self.cutter.cuts), _guesses()

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

    def _called(self, function: Any, target: CallTarget, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if type(function) is ReturnStub:
            return self._not_run(function, target, args, kwargs)
        try:
            self._record(described(self.shower, target, args, kwargs))
            binds = True
        except TypeError as error:
            binds = False
            if target.behind:  # the callee takes any arguments
                self.unbound = TypeError(f"{target.name.rpartition('.')[2]}() {error}")
                raise self.unbound from None
        if target.signature is None:
            self.answer.note(f"{target.name}: its parameters are not known")
        before = self.touched, self.cuts, self.guesses
        self.begin()
        deadline = self.cutter.allow()
        try:
            value = function(*args, **kwargs)
            if not binds:  # its own decorator took the call
                self._record(described(self.shower, CallTarget(target.name, None), args, kwargs))
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

    def _looked(self, target: CallTarget) -> None:
        self._record(described(self.shower, target, (), {}))

    def _not_run(self, function: Any, target: CallTarget, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Bind a method of an object that was never made, and guess its result from its text."""
        try:
            self._record(described(self.shower, target, args, kwargs))
        except TypeError as error:
            self.unbound = TypeError(f"{target.name.rpartition('.')[2]}() {error}")
            raise self.unbound from None
        self.answer.note(f"{target.name}: binds; not run, its object stands for one that was cut")
        return self.cutter.result(inspect.unwrap(function._target), function._receiver)

    def _called_elsewhere(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if type(function) is ReturnStub:
            call = described(self.shower, CallTarget(function._path, None), args, kwargs)
            self._record({**call, "open": []})
            self.answer.note(f"{function._path}: called on what was cut; its parameters are not known")
            return function(*args, **kwargs)
        touched = return_stub.touches
        try:
            value = function(*args, **kwargs)
        except Exception:
            if return_stub.touches == touched and not _holds(_is_cut, (args, kwargs)):
                raise
            return ReturnStub(f"{getattr(function, '__name__', type(function).__name__)}()")
        self.shower.remember(value, function, args, kwargs)
        return value

    def artefact(self, error: BaseException) -> bool:
        if name := self._missing_input(error):
            self.answer.note(assumed_inputs.noted(name))
            return True
        if self.certain(error):
            return False
        if self.machinery is not None and self.machinery.scope.stubs_allowed and isinstance(error, OSError):
            return (str, error.filename) not in self.passed and not self.can_be_written(error)  # data, or the network
        cut = len(self.cutter.cuts) != self.cuts and not self.cutter.raised_on_purpose(error)
        return (
            cut
            or return_stub.touches != self.touched
            or (self.machinery is not None and self.machinery.taint.tainted(error))
        )

    def _missing_input(self, error: BaseException) -> str:
        """The file or folder of the user whose absence is all that an exception says; empty if it says more.

        The repository looked for it: what the candidate opens by itself is its own.
        """
        if self.machinery is None or not self.machinery.scope.stubs_allowed or self.names_nowhere:
            return ""
        if not isinstance(error, FileNotFoundError) and not assumed_inputs.IS_MISSING.search(str(error)):
            return ""
        return assumed_inputs.named(str(error), getattr(error, "filename", None), self.root)

    def _rests_on_stubs(self, error: BaseException, given: Any) -> bool:
        """Whether the repository refuses a value that a missing library would have made.

        It raises on purpose, after it tested a stub that is among the arguments, or because of an error on a stub. The
        same holds for a cut result of unknown class, unless the message or a condition is about a plain value.
        """
        if error is self.unbound or not self.cutter.raised_on_purpose(error) or isinstance(error, CertainlyNot):
            return False
        if _guesses() != self.guesses and _holds(stubs.is_stub, given):
            return True
        if _holds(_is_unknown, given) and not self._quoted(str(error)):
            return not any(self._was_passed(one) for one in self.cutter.guards(error))
        return any(self.by_library_stub(each) for each in refusals.chain(error) if each is not error)

    def by_library_stub(self, error: BaseException) -> bool:
        """Whether a stub of a missing library, or the missing network, caused an exception."""
        machinery = self.machinery
        if machinery is None or not machinery.scope.stubs_allowed:
            return False
        return bool(is_network(error) or (machinery.taint.through_stub(error) and not self.names_nowhere))

    def can_be_written(self, error: OSError) -> bool:
        """Whether a writable jail could have written this file."""
        name = os.path.abspath(str(getattr(error, "filename", "")))
        if NOWHERE in str(error):
            return True
        return error.errno == errno.EROFS and name.startswith((self.root, "/tmp/", os.path.expanduser("~/")))

    def certain(self, error: BaseException) -> bool:
        """Whether the candidate caused an exception, whatever was cut before."""
        if error is self.unbound or isinstance(error, (CertainlyNot, ImportError, NoSuchName, stubs.NotATensorError)):
            return True
        if isinstance(error, TypeError) and BINDING.search(str(error)):
            return True
        last = innermost(error)
        held = list(last.tb_frame.f_locals.values()) if last is not None else []
        if self.cutter.raised_on_purpose(error):
            if stubs.NOWHERE in str(error) and not self.names_nowhere:
                return False  # a stub's path
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
        """Whether a message quotes a text that the candidate passed."""
        texts = (one for kind, one in self.passed if kind is str and len(one) > 2)
        return any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", message) for one in texts)

    def _artefact(self, error: BaseException, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether a cut may have contributed to an exception of a repository call."""
        if self._rests_on_stubs(error, (args, kwargs)):
            return True
        if self.artefact(error):
            return True
        if self.certain(error):
            return False
        involved = [getattr(function, "__self__", function), *args, *kwargs.values()]
        unfinished = {id(one) for one in self.cutter.unfinished}
        if not any(type(one) is ReturnStub or id(one) in unfinished for one in involved):
            return False
        return not self.cutter.raised_on_purpose(error)


def _nothing() -> None:
    return None


def _guesses() -> int:
    return return_stub.guesses + int(stubs.count.touched)


def _stands_in(value: Any) -> bool:
    return type(value) is ReturnStub or bool(values.stub_name(value))


def machinery() -> Any:
    """The check's import machinery in this process; None if there is none."""
    return getattr(sys.meta_path[0], "_imports", None) if sys.meta_path else None


def _plain_values(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, dict)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _plain_values(one)
    elif not isinstance(value, bool):
        yield type(value), value


def _is_cut(value: Any) -> bool:
    return type(value) is ReturnStub


def _is_unknown(value: Any) -> bool:
    """Whether a value is the stub of a cut result whose class is not known."""
    return type(value) is ReturnStub and value._kind is None


def _holds(is_meant: Callable[[Any], bool], value: Any, depth: int = 0) -> bool:
    """Whether a value is meant, or is a list, tuple or dict that contains such a value."""
    if is_meant(value):
        return True
    if depth > 3 or type(value) not in (list, tuple, dict):
        return False
    return any(_holds(is_meant, one, depth + 1) for one in (value.values() if type(value) is dict else value))
