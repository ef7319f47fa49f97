"""Checks that an instruction says every value once, and not how the answer is written.

The same rules apply to templates of the builder, of a model and of a person, and to published rows.
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
_PATH = re.compile(r"\S*/\S*|[A-Za-z_][\w-]*(?:\.[\w-]+){2,}")
"""A path, a module's name, or a file's: `run.marco-v2.1-doc.txt`."""
_WORD = re.compile(r"[^\W\d]\w*")
GRAM = 5
"""This many consecutive words of the reference are a quotation (without values, numbers and paths)."""


@dataclass(frozen=True)
class InstructionFault:
    """A fault of an instruction; `reason` as in a `QualityFinding`."""

    reason: str
    evidence: str


def faults(instruction: str, said: Mapping[str, Sequence[str]], reference: str) -> Iterator[InstructionFault]:
    """The faults of one instruction.

    Args:
        instruction: its text.
        said: for each argument, the ways in which its value may be said; an empty way need not occur.
        reference: the answer.
    """
    yield from unsaid(instruction, said)
    yield from leaks(instruction, [way for ways in said.values() for way in ways], reference)


def unsaid(instruction: str, said: Mapping[str, Sequence[str]]) -> Iterator[InstructionFault]:
    """Arguments whose value the instruction does not say in a place of its own.

    Values are matched as whole words: 16 is not in 160, 1.16 or 16e-3, but it is in 16x16. Two arguments with the
    same value need two places, and `data` needs another place than `data/train`. Longer values are matched first.
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
    """What an instruction reveals of how the answer is written.

    Args:
        instruction: its text.
        values: the values of the arguments, which may occur.
        reference: the answer.
    """
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
    """A pattern for a value as whole words or a whole number: in `3x3`, not in `3e-5`."""
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
    """The text with a break in place of each value."""
    for value in sorted({value for value in values if value}, key=len, reverse=True):
        text = re.sub(_bounded(value), "\0", text)
    return text


def _grams(text: str) -> list[tuple[str, ...]]:
    """Every run of `GRAM` words without a break."""
    found = []
    for part in text.split("\0"):
        words = _WORD.findall(part.lower())
        found += [tuple(words[start : start + GRAM]) for start in range(len(words) - GRAM + 1)]
    return found


def masked(instruction: str, said: Mapping[str, Sequence[str]]) -> str:
    """The instruction with a NUL for each value: its wording alone."""
    return _without(instruction, [" ".join(way.split()) for ways in said.values() for way in ways])
