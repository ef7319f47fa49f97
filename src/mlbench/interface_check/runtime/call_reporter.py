"""Report the calls of a real execution while it runs, and keep the arrays that they take and return."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import weakref
from collections.abc import Callable
from typing import Any

from . import values
from .call_hook import CallTarget, Hook
from .value_recorder import SCALARS, ValueEncoder, described

MOST_MADE = 100

MOST_CLAIMS, MOST_RESULTS, LARGEST_CLAIM = 50, 20, 8 << 20  # number of calls, number of variables, bytes of an array


class _Made:
    """An object of the repository that `call` made, and its plain attributes named like the arguments."""

    def __init__(self, value: Any, call: dict[str, Any] | None) -> None:
        self.reference = weakref.ref(value)
        self.call = call
        self.settle()

    def _space(self) -> dict[str, Any]:
        value = self.reference()
        return object.__getattribute__(value, "__dict__") if value is not None else {}

    def settle(self) -> None:
        """Take the present attributes as set by the repository."""
        self.held = self._holds()

    def _holds(self) -> dict[str, Any]:
        space, found = self._space(), {}
        for name in self.call["arguments"] if self.call is not None else ():
            for spelling in (name, f"_{name}"):
                if spelling in space and type(space[spelling]) in SCALARS:
                    found[name] = space[spelling]
        return found

    def changed(self) -> dict[str, Any]:
        """The call that would have made the present attributes; empty if nothing changed."""
        now = self._holds()
        news = {name: now[name] for name, old in self.held.items() if name in now and _differ(now[name], old)}
        if self.call is None or not news:
            return {}
        self.held = now
        self.call = {**self.call, "arguments": {**self.call["arguments"], **news}}
        return self.call


def _differ(one: Any, other: Any) -> bool:
    return one is not other and (type(one) is not type(other) or one != other)


class Claims:
    """Saves the arrays that calls take and return. The judge recomputes the result from the argument.

    Args:
        folder: the folder for the files. Empty: nothing is saved.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.count = 0
        self.most = MOST_CLAIMS

    def keep(self, passed: Any, returned: Any) -> None:
        """Save a call's first array argument (or an empty array) and its result, if the result is an array."""
        numpy = sys.modules.get("numpy")
        if not self.folder or numpy is None or not isinstance(returned, numpy.ndarray) or self.count >= self.most:
            return
        taken = next(_arrays(passed, numpy.ndarray), numpy.zeros(0))
        if max(taken.nbytes, returned.nbytes) > LARGEST_CLAIM:
            return
        with contextlib.suppress(Exception):
            os.makedirs(self.folder, exist_ok=True)
            numpy.savez(os.path.join(self.folder, f"{self.count}.npz"), taken=taken, returned=returned)
            self.count += 1

    def keep_results(self, variables: dict[str, Any]) -> None:
        """Save the arrays among an answer's variables at its end, because its own code may have made the result."""
        self.most += MOST_RESULTS
        for value in list(variables.values()):
            self.keep((), value)


def _arrays(value: Any, kind: type, depth: int = 0) -> Any:
    if isinstance(value, kind):
        yield value
    elif depth < 3 and isinstance(value, (list, tuple, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _arrays(each, kind, depth + 1)


class CallReporter:
    """Reports the calls of a real execution and how each ended.

    Args:
        root: the repository's folder.
        file: the candidate's file.
        send: takes the kind and the content of a report: `call` with numbered JSON, `done` or `raised` with the number.
    """

    def __init__(self, root: str, file: str, send: Callable[[str, str], None]) -> None:
        self.send = send
        self.hook = Hook(root, file, self.around, self.looked, self.beside)
        self.shower = ValueEncoder(self.hook)
        self.numbers = itertools.count()
        self.inside = 0  # calls of the candidate that have not returned
        self.claims = Claims(os.environ.get("MLBENCH_CLAIMS", ""))
        self.made: list[_Made] = []

    def look(self) -> None:
        """The candidate's code pauses: report the objects whose attributes it set, as if made with these values."""
        if not self.inside:
            for made in self.made:
                if call := made.changed():
                    self.send("done", self.called(call))

    def settle(self) -> None:
        """The repository's code pauses: attributes that it set are its own."""
        if not self.inside:
            for made in self.made:
                made.settle()

    def called(self, call: dict[str, Any]) -> str:
        number = next(self.numbers)
        self.send("call", values.as_json({**call, "number": number}))
        return str(number)

    def around(self, function: Any, target: CallTarget, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.look()
        call, number = None, ""
        with contextlib.suppress(TypeError):  # the call itself raises it
            call = described(self.shower, target, args, kwargs)
            number = self.called(call)
        self.inside += 1
        how = "raised"
        try:
            value = function(*args, **kwargs)
            how = "done"
            self.claims.keep((args, kwargs), value)
        except SystemExit as error:
            if type(error) is SystemExit and not error.code and self._from_the_repository(error):
                how = "done"
            raise
        finally:
            self.inside -= 1
            self.settle()
            self.send(how, number)
        if len(self.made) < MOST_MADE and self.hook.has_class(type(value)):
            with contextlib.suppress(TypeError, AttributeError):  # an object with slots only
                self.made.append(_Made(value, call if isinstance(function, type) else None))
        return value

    def _from_the_repository(self, error: BaseException) -> bool:
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        return trace is not None and self.hook.inside(trace.tb_frame.f_code)

    def beside(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        value = function(*args, **kwargs)
        self.shower.remember(value, function, args, kwargs)
        return value

    def looked(self, target: CallTarget) -> None:
        self.send("done", self.called(described(self.shower, target, (), {})))
