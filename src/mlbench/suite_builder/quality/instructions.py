"""Does an instruction say what is wanted, every value once and clearly, and not how it is written?

The same rules hold for the builder's templates, a model's, a person's, and published rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_DASHED = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*")
_SHORT = re.compile(r"(?<![\w-])-[A-Za-z]\w*(?![\w-])")
_ASSIGNED = re.compile(r"(?<![\w./=-])([A-Za-z_][\w.]*=[^\s,;()]+)")
_CALL = re.compile(
    r"\b(?:python[\d.]*|torchrun|deepspeed|bash|sh|accelerate launch|srun|mpirun)\s+(?:-\w+\s+)*[\w./-]+\.(?:py|sh)\b"
    r"|\bpython[\d.]*\s+-m\s+\w"
)
_QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_PATH = re.compile(r"\S*/\S*")
_WORD = re.compile(r"[^\W\d]\w*")
GRAM = 5
"""So many words of the reference in a row, beside its values, numbers and paths, are a quotation: prose does not hit on
them."""


@dataclass(frozen=True)
class InstructionFault:
    """What is wrong with an instruction; `reason` as in a `Finding`."""

    reason: str
    evidence: str


def faults(instruction: str, said: Mapping[str, Sequence[str]], reference: str) -> Iterator[InstructionFault]:
    """What is wrong with one instruction.

    Args:
        said: for each argument the ways in which its value may be said; an empty one need not be.
        reference: the answer.
    """
    yield from unsaid(instruction, said)
    yield from leaks(instruction, [way for ways in said.values() for way in ways], reference)


def unsaid(instruction: str, said: Mapping[str, Sequence[str]]) -> Iterator[InstructionFault]:
    """Arguments whose value does not stand in the instruction, at a place of its own.

    A value stands there as whole words: 16 is not in 160, 1.16 or 16e-3; it is in 16x16. Two arguments with the same
    value need two places, and `data` needs another one than `data/train`. Longer values choose first.
    """
    free = " ".join(instruction.split())
    ways = {name: [" ".join(way.split()) for way in each] for name, each in said.items() if all(each)}
    for name in sorted(ways, key=lambda each: -max(map(len, ways[each]), default=0)):
        places = [found for way in ways[name] if (found := _found(way, free))]
        if places:
            place = max(places, key=lambda each: each.end() - each.start())
            free = free[: place.start()] + "\0" * (place.end() - place.start()) + free[place.end() :]
        elif any(_found(way, instruction) for way in ways[name]):
            yield InstructionFault(
                "value-ambiguous", f"{name}: {ways[name][0]!r} stands only where another argument is said"
            )
        else:
            yield InstructionFault("value-missing", f"{name}: {ways[name][0]!r} is not said")


def leaks(instruction: str, values: Sequence[str], reference: str) -> Iterator[InstructionFault]:
    """What an instruction gives away of how the answer is written."""
    bare = _without(instruction, values)
    words = set(reference.split())
    short = {each for each in _SHORT.findall(bare) if each in words}
    assigned = {each for each in _ASSIGNED.findall(instruction) if each in words}
    for option in sorted({*_DASHED.findall(bare), *short, *assigned}):
        yield InstructionFault("option-string", option)
    if called := _CALL.search(instruction):
        yield InstructionFault("program-called", called[0])
    quotable = _grams(_PATH.sub("\0", _QUOTED.sub("\0", _without(reference, values))))
    if quoted := next((gram for gram in _grams(bare) if gram in quotable), None):
        yield InstructionFault("code-quoted", " ".join(quoted))


def _found(value: str, text: str) -> re.Match[str] | None:
    return re.search(_bounded(value), text, re.I if " " in value else 0)


def _bounded(value: str) -> str:
    """A pattern for a value as whole words, a number as a whole number: `order-3` and `3x3` say 3, `3e-5` does not."""
    before = after = ""
    if value[0].isdigit():
        before = r"(?<![^\W\dx])(?<!\d)(?<!\w[.,/\\])(?<![^A-Za-z]-)(?<!\b[A-Za-z]-)(?<!\d[eE]-)"
    elif value[0].isalnum():
        before = r"(?<!\w)(?<!\w[./\\-])"
    if value[-1].isdigit():
        after = r"(?![^\W\dx])(?!\d)(?![.,]\d)(?!x\D)(?!-\d)"
    elif value[-1].isalnum():
        after = r"(?!\w)(?![./\\-]\w)"
    return before + re.escape(value) + after


def _without(text: str, values: Sequence[str]) -> str:
    """The text with a break where a value stands."""
    for value in sorted({value for value in values if value}, key=len, reverse=True):
        text = re.sub(_bounded(value), "\0", text)
    return text


def _grams(text: str) -> list[tuple[str, ...]]:
    """Every run of `GRAM` words that no break interrupts."""
    found = []
    for part in text.split("\0"):
        words = _WORD.findall(part.lower())
        found += [tuple(words[start : start + GRAM]) for start in range(len(words) - GRAM + 1)]
    return found


def masked(instruction: str, said: Mapping[str, Sequence[str]]) -> str:
    """The instruction with a NUL for each value: its wording alone."""
    return _without(instruction, [" ".join(way.split()) for ways in said.values() for way in ways])
