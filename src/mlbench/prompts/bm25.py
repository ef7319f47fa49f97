"""BM25 over windows of units, with arrays that are mapped into memory.

A unit is a sentence or a piece of code. The ranked documents are windows of consecutive units. Postings are stored by
unit, not by window, because overlapping windows would need ten times as many.

The scores equal those of `rank_bm25.BM25Okapi` to the last bit: same operations, same order, same floor for negative
idf. Only ties differ: here the first window wins, there the sort decides. bm25s lacks that floor and uses single
precision.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

K1, B, EPSILON = 1.5, 0.75, 0.25

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Index:
    """An index of `n` windows over `n` units: window `i` begins with unit `i`.

    Attributes:
        words: by word, its position in `idf` and `offsets`.
        last: (n,) the last unit of each window.
        first: (n,) the first window that contains each unit.
        idf: one per word.
        norm: (n,) the part of a score's denominator that depends on the window's length.
        offsets: (words + 1,) where each word's postings begin.
        units, counts: postings: the units with a word, and how often it occurs there.
    """

    words: dict[str, int]
    last: Array
    first: Array
    idf: Array
    norm: Array
    offsets: Array
    units: Array
    counts: Array

    def scores(self, query: Sequence[str]) -> Array:
        """(n,) the score of each window; a word that the query repeats counts as often."""
        total = np.zeros(len(self.last))
        parts: dict[int, Array] = {}
        for word in query:
            place = self.words.get(word)
            if place is None or not self.idf[place]:
                continue
            if place not in parts:
                parts[place] = self._part(place)
            total += parts[place]
        return total

    def best(self, query: Sequence[str], count: int = 1) -> list[int]:
        """The best windows that do not overlap; if scores are equal, the first window.

        Args:
            query: words.
            count: the largest number of windows.
        """
        if not len(self.last):
            return []
        scores = self.scores(query)
        if count == 1:
            return [int(np.argmax(scores))]
        chosen: list[int] = []
        for window in map(int, np.argsort(-scores, kind="stable")):
            if all(window > self.last[other] or self.last[window] < other for other in chosen):
                chosen.append(window)
                if len(chosen) == count:
                    break
        return chosen

    def _part(self, place: int) -> Array:
        """(n,) what one word adds to each window's score."""
        postings = slice(int(self.offsets[place]), int(self.offsets[place + 1]))
        units, counts = self.units[postings], self.counts[postings]
        size = len(self.last) + 1  # a unit is in the windows from its first one to the one that begins with it
        steps = np.bincount(self.first[units], counts, size) - np.bincount(units + 1, counts, size)
        frequency = np.cumsum(steps)[:-1]
        part: Array = self.idf[place] * (frequency * (K1 + 1) / (frequency + self.norm))
        return part

    def save(self, folder: Path) -> None:
        """Write the index into a folder, for `load`."""
        (folder / "words.txt").write_text("\n".join(self.words), encoding="utf-8")
        for name in _ARRAYS:
            np.save(folder / f"{name}.npy", getattr(self, name))


_ARRAYS = ("last", "first", "idf", "norm", "offsets", "units", "counts")


def load(folder: Path) -> Index:
    """The index that `save` wrote, with its arrays mapped into memory."""
    text = (folder / "words.txt").read_text(encoding="utf-8")
    words = {word: place for place, word in enumerate(text.split("\n"))} if text else {}
    return Index(words, *(np.load(folder / f"{name}.npy", mmap_mode="r") for name in _ARRAYS))


def build(units: Iterable[Sequence[str]], ends: Sequence[int], width: int) -> Index:
    """Index windows of at most `width` units.

    Args:
        units: the words of each unit, in order.
        ends: for each unit, one past the last unit of its document; no window crosses it.
        width: units of a window.
    """
    words: dict[str, int] = {}
    ids, lengths = array("q"), array("q")
    for unit in units:
        lengths.append(len(unit))
        ids.extend([words.setdefault(word, len(words)) for word in unit])
    count = len(lengths)
    here = np.arange(count, dtype=np.int64)
    last = np.minimum(here + width, np.asarray(ends, dtype=np.int64)) - 1
    # window i contains unit u if last[i] >= u; last never decreases
    first = np.searchsorted(last, here, side="left")
    length = np.asarray(lengths, dtype=np.int64)
    keys, counts = np.unique(
        np.asarray(ids, dtype=np.int64) * max(count, 1) + np.repeat(here, length), return_counts=True
    )
    word_of, unit_of = np.divmod(keys, max(count, 1))
    offsets = np.searchsorted(word_of, np.arange(len(words) + 1))
    sums = np.concatenate(([0], np.cumsum(length)))
    sizes = sums[last + 1] - sums[:-1]
    average = int(sizes.sum()) / max(count, 1) or 1.0  # an empty index: any value will do
    return Index(
        words=words,
        last=last.astype(np.int32),
        first=first.astype(np.int32),
        idf=_idf(_windows_with(word_of, unit_of, first, offsets), count),
        norm=K1 * (1 - B + B * sizes / average),
        offsets=offsets,
        units=unit_of.astype(np.int32),
        counts=counts.astype(np.int32),
    )


def _windows_with(words: Array, units: Array, first: Array, offsets: Array) -> Array:
    """The number of windows that contain each word: the union of the windows of its units."""
    if not len(units):
        return np.zeros(0, np.int64)
    before = np.concatenate(([-1], units[:-1]))
    before[offsets[:-1]] = -1  # a word's first unit has no predecessor
    return np.add.reduceat(units - np.maximum(first[units], before + 1) + 1, offsets[:-1])


def _idf(windows_with: Array, count: int) -> Array:
    """As in BM25Okapi: summed in the order of first occurrence, negative values floored."""
    found = [math.log(count - each + 0.5) - math.log(each + 0.5) for each in map(int, windows_with)]
    floor = EPSILON * (sum(found) / len(found)) if found else 0.0
    return np.array([floor if each < 0 else each for each in found])
