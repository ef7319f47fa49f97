"""Find values that the instruction names and an accepted draft does not use.

They are numbers, names and choices of options. The rules use only the instruction. A finding may be wrong, so the
model is asked, and it may repeat its answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from mlbench.records import Check, Invocation

_NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?(?:e-?\d+)?(?![\w-]|\.\d)", re.IGNORECASE)
_NAME = re.compile(r"(?<![\w./-])(?:\w+_\w+|[\w-]+\.[a-z]{2,5})\b")
_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMERAL = {word: float(value) for value, word in enumerate(_WORDS, 2)}
_LEAST_LETTERS = 3
_MOST_ITEMS = 32


def unmet(instruction: str, check: Check, code: str) -> list[str]:
    """Return numbers and names of the instruction that a draft does not contain.

    Args:
        instruction: what the answer must do, in words.
        check: has the configuration of the draft's programs.
        code: the draft.
    """
    values = [value for invocation in check.invocations for value in _values(invocation)]
    texts = " ".join([code, *(str(value) for value in values)])
    numbers = {number for value in [*values, *_NUMBER.findall(texts)] if (number := _number(value)) is not None}
    doubts = [wanted for wanted in _numbers(instruction) if not _is_met(wanted, numbers)]
    return doubts + [name for name in dict.fromkeys(_NAME.findall(instruction)) if name not in texts]


def unchosen(instruction: str, described: Check) -> list[str]:
    """Return choices that the instruction names although the option has another value.

    Args:
        instruction: what the answer must do, in words.
        described: a check with the option schemas of its programs.
    """
    words = re.findall(r"[a-z0-9]+", instruction.lower())
    named = {"".join(words[n : n + count]) for count in (1, 2, 3) for n in range(len(words))}
    doubts = []
    for invocation in described.invocations:
        for option in invocation.schema:
            wanted = [choice for choice in option.choices if _bare(choice) in named]
            value = str(invocation.configuration.get(option.place))
            if len(wanted) == 1 and len(_bare(wanted[0])) >= _LEAST_LETTERS and wanted[0] not in value:
                doubts.append(f"{wanted[0]} (a choice of {option.place})")
    return list(dict.fromkeys(doubts))


def _numbers(instruction: str) -> list[str]:
    """Return the numbers of a text: digits, then words, without `one`, which is often a pronoun."""
    words = [word for word in re.findall(r"[a-z]+", instruction.lower()) if word in _NUMERAL]
    return list(dict.fromkeys([*_NUMBER.findall(instruction), *words]))


def _is_met(wanted: str, numbers: Iterable[float]) -> bool:
    """Whether a number is present, possibly as a fraction instead of a percentage."""
    value = _NUMERAL[wanted] if wanted in _NUMERAL else float(wanted)
    return any(_same(value, number) or _same(value, 100 * number) for number in numbers)


def _values(invocation: Invocation) -> Iterable[Any]:
    """Yield every value of a program's configuration and of a code's calls, except arrays."""
    todo: list[Any] = [invocation.configuration, *(call.arguments for call in invocation.calls)]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            todo += () if value.get("!") == "array" else value.values()
        elif isinstance(value, (list, tuple)):
            todo += value if len(value) <= _MOST_ITEMS else ()
        elif value is not None:
            yield value


def _bare(choice: str) -> str:
    return re.sub(r"[^a-z0-9]", "", choice.lower())


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _same(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))
