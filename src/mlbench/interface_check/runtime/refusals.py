"""Decide whether an exception is the program's own refusal of its arguments."""

from __future__ import annotations

import dis
import opcode

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType
    from typing import Any

_RAISE = opcode.opmap["RAISE_VARARGS"]
_SHORTEST = 2  # letters: shorter parts of a word do not identify it


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and its causes and contexts, the outermost first."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def on_purpose(error: BaseException, root: str) -> bool:
    """Whether the repository's own code raised it by `raise`, `assert` or an exit code."""
    if isinstance(error, SystemExit):
        return True
    passed = list(steps(error))
    return bool(passed) and _is_own(passed[-1], root) and _code(passed[-1])[passed[-1].tb_lasti] == _RAISE


def names_words(error: BaseException, root: str, words: Iterable[str]) -> bool:
    """Whether the innermost repository line that it passed uses one of these arguments."""
    own = [step for step in steps(error) if _is_own(step, root)]
    if not own:
        return False
    words, frame = [word for word in words if word], own[-1].tb_frame
    names = _names(own[-1])
    values = [frame.f_locals.get(name, frame.f_globals.get(name)) for name in names]
    return "argv" in names or any(_holds(value, words) for value in values)


def steps(error: BaseException) -> Iterator[TracebackType]:
    """Yield the traceback entries of an exception, the innermost last."""
    step = error.__traceback__
    while step is not None:
        yield step
        step = step.tb_next


def _is_own(step: TracebackType, root: str) -> bool:
    """Whether the code is the repository's, or text that it executes."""
    frame = step.tb_frame
    file = frame.f_code.co_filename
    return file.startswith(root) or (file.startswith("<") and str(frame.f_globals.get("__file__")).startswith(root))


def _code(step: TracebackType) -> bytes:
    return step.tb_frame.f_code.co_code


def _names(step: TracebackType) -> set[str]:
    """The names that the current line of this frame uses."""
    code, line, found = step.tb_frame.f_code, 0, set()
    starts = {offset: number for offset, number in dis.findlinestarts(code) if number is not None}
    for each in dis.get_instructions(code):
        line = starts.get(each.offset, line)
        if line == step.tb_lineno and isinstance(each.argval, str) and each.opcode not in dis.hasconst:
            found.add(each.argval)
    return found


def _holds(value: Any, words: list[str]) -> bool:
    """Whether a value is an argument, a part of one, or a list with one."""
    if type(value) is str:
        return value in words or (len(value) >= _SHORTEST and any(value in word for word in words))
    if isinstance(value, (list, tuple)):
        return any(type(each) is str and each in words for each in list(value[:50]))
    return False
