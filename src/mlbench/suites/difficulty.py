"""How hard a row is before anybody answers it: what it requires, what its documentation shows, what must be changed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mlbench.records import Sample

_OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w.-]*|(?<![\w.=!<>])[A-Za-z_][\w.]*(?==(?!=))")
_CONTINUED = re.compile(r"\\[ \t]*\n[ \t]*")
_PYTHON_WORD = re.compile(r"\w+|[^\w\s]")
_LONGEST = 400
"""Words of one command that are compared."""
_NEAREST = 3
"""Lines that are compared: those that share most words."""


@dataclass(frozen=True)
class Difficulty:
    """The difficulty of one row.

    Attributes:
        arguments: values that an answer must have.
        named: options or keywords of the reference.
        documented: how many of them the row's documentation names.
        edits: words to insert, delete or replace in the nearest documented command to get the reference.
    """

    arguments: int
    named: int
    documented: int
    edits: int


def difficulty(sample: Sample) -> Difficulty:
    """The difficulty of a row; a row without documentation has the whole reference to write.

    Raises:
        ValueError: the row's column `arguments` is malformed.
    """
    names = set(_OPTION.findall(_CONTINUED.sub(" ", sample.output)))
    shown = set(_OPTION.findall(_CONTINUED.sub(" ", sample.oracle)))
    edits = _shell_edits(sample) if sample.kind == "shell" else _python_edits(sample)
    return Difficulty(len(sample.required()), len(names), len(names & shown), edits)


def _shell_edits(sample: Sample) -> int:
    words = tuple(_CONTINUED.sub(" ", sample.output).split()[:_LONGEST])
    own = set(words)
    near = sorted(_commands(sample.oracle), key=lambda line: -len(own & set(line)))[:_NEAREST]
    return min([len(words), *(_distance(words, each) for each in near)])


@lru_cache(maxsize=256)
def _commands(text: str) -> tuple[tuple[str, ...], ...]:
    lines = (line.strip().lstrip("$>% ").split() for line in _CONTINUED.sub(" ", text).splitlines())
    return tuple(dict.fromkeys(tuple(line[:_LONGEST]) for line in lines if line))


def _python_edits(sample: Sample) -> int:
    """The tokens of the reference that the documentation does not have."""
    own = Counter(_PYTHON_WORD.findall(f"{sample.prefix_code}\n{sample.output}"))
    return (own - Counter(_PYTHON_WORD.findall(sample.oracle))).total()


def _distance(one: Sequence[str], other: Sequence[str]) -> int:
    """The edit distance of two lists of words."""
    if not set(one) & set(other):
        return max(len(one), len(other))
    row = list(range(len(other) + 1))
    for at, word in enumerate(one, 1):
        corner, row[0] = row[0], at
        for to, theirs in enumerate(other, 1):
            corner, row[to] = row[to], min(row[to] + 1, row[to - 1] + 1, corner + (word != theirs))
    return row[-1]
