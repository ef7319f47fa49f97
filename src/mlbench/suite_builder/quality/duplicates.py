"""What stands in the test set and, the same or nearly so, in a training split."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_WORD = re.compile(r"\0|\w+")
SHINGLE = 3
"""Words of one shingle: order counts, and a changed word costs three of them."""
ALIKE = 0.4
"""Jaccard similarity of the shingles of two texts, from which they are one text.

Measured on the 2,036 hand-written templates of the bundled suites: independent wordings of one task reach 0.18 at most
(0.03 in the middle); with two words changed it is 0.5 and more in nine of ten, with the halves swapped 0.76.
"""


@dataclass(frozen=True)
class ComparedText:
    """A row's instruction with a NUL for each argument's value, and its reference.

    Attributes:
        group: what it is compared within: the same repository, folder, language and segment.
    """

    row: int
    group: tuple[int, str, str, str]
    wording: str
    reference: str


@dataclass(frozen=True)
class Twin:
    """A row of the test set with the training row that it is like; `reason` as in a `Finding`."""

    row: int
    other: int
    reason: str
    likeness: float


def twins(test: Sequence[ComparedText], train: Sequence[ComparedText]) -> list[Twin]:
    """The rows of the test set that a model may have learnt by heart, each with one training row at most.

    The same answer, whatever the question: `same-reference`. The same question but for its values: `near-duplicate`;
    there the answer of the training row needs only its values changed.
    """
    answers = {(text.group, _normal(text.reference)): text.row for text in reversed(train)}
    groups: dict[tuple[int, str, str, str], list[ComparedText]] = defaultdict(list)
    for text in train:
        groups[text.group].append(text)
    indexes = {group: _Index(texts) for group, texts in groups.items()}
    found = []
    for text in test:
        same = answers.get((text.group, _normal(text.reference)))
        if same is not None:
            found.append(Twin(text.row, same, "same-reference", 1.0))
        elif text.group in indexes:
            other, likeness = indexes[text.group].nearest(text.wording)
            if likeness >= ALIKE:
                found.append(Twin(text.row, other, "near-duplicate", likeness))
    return found


class _Index:
    """The distinct wordings of one task, by their shingles."""

    def __init__(self, texts: Iterable[ComparedText]) -> None:
        self._rows: list[int] = []
        self._sizes: list[int] = []
        self._holding: dict[tuple[str, ...], list[int]] = defaultdict(list)
        self._found: dict[frozenset[tuple[str, ...]], tuple[int, float]] = {}
        seen: set[frozenset[tuple[str, ...]]] = set()
        for text in texts:
            shingles = _shingles(text.wording)
            if shingles in seen:
                continue
            seen.add(shingles)
            for shingle in shingles:
                self._holding[shingle].append(len(self._rows))
            self._rows.append(text.row)
            self._sizes.append(len(shingles))

    def nearest(self, wording: str) -> tuple[int, float]:
        """The row that is most like it, and how much."""
        shingles = _shingles(wording)
        if shingles not in self._found:
            shared: Counter[int] = Counter()
            for shingle in shingles:
                shared.update(self._holding.get(shingle, ()))
            scores = ((n / (len(shingles) + self._sizes[at] - n), -at) for at, n in shared.items())
            likeness, at = max(scores, default=(0.0, 0))
            self._found[shingles] = (self._rows[-at], likeness)
        return self._found[shingles]


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return frozenset(tuple(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1)))


def _normal(code: str) -> str:
    return " ".join(code.replace("\\\n", " ").split())


def likeness(one: str, other: str) -> float:
    """How much two texts are alike, from 0 to 1."""
    first, second = _shingles(one), _shingles(other)
    return len(first & second) / len(first | second)
