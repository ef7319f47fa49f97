"""What the instruction names and an accepted draft does not say: numbers, names, and values that the program offers.

By rules, from the instruction alone. A doubt may be wrong: it is asked about, and the same answer given again stands.
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
    """Numbers and names of the instruction that are nowhere in what the programs understood, nor in the code."""
    got = [leaf for each in check.invocations for leaf in _said(each)]
    texts = " ".join([code, *(str(each) for each in got)])
    numbers = {number for each in [*got, *_NUMBER.findall(texts)] if (number := _number(each)) is not None}
    doubts = [said for said in _numbers(instruction) if not _is_met(said, numbers)]
    return doubts + [name for name in dict.fromkeys(_NAME.findall(instruction)) if name not in texts]


def unchosen(instruction: str, described: Check) -> list[str]:
    """Of each option with choices the one that the instruction names, where the option has another value.

    Args:
        described: a check with the schemas of its programs.
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
    """Figures, then numerals; `one` is so often a pronoun."""
    words = [word for word in re.findall(r"[a-z]+", instruction.lower()) if word in _NUMERAL]
    return list(dict.fromkeys([*_NUMBER.findall(instruction), *words]))


def _is_met(said: str, numbers: Iterable[float]) -> bool:
    """Whether a number is there; a percentage may be a fraction."""
    value = _NUMERAL[said] if said in _NUMERAL else float(said)
    return any(_same(value, number) or _same(value, 100 * number) for number in numbers)


def _said(invocation: Invocation) -> Iterable[Any]:
    """Every value that a program was told or has by default; of code, what its calls pass. Arrays say nothing."""
    todo: list[Any] = [invocation.configuration, *(call.arguments for call in invocation.calls)]
    while todo:
        each = todo.pop()
        if isinstance(each, dict):
            todo += () if each.get("!") == "array" else each.values()
        elif isinstance(each, (list, tuple)):
            todo += each if len(each) <= _MOST_ITEMS else ()
        elif each is not None:
            yield each


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
