"""Whether a column that an agent sees tells a label: by equal values, by one value for each, or by order."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable

import numpy as np
from comparable_column import DataColumn  # type: ignore[import-not-found]  # beside it

ALIKE, AGREEING, ORDERED = 0.98, 0.95, 0.995
"""Least balanced agreement after renaming values, least share of equal cells, least rank correlation of a leak."""

MOST_CELLS = 200_000


def told(label: DataColumn, seen: DataColumn) -> str:
    """How a visible column tells a label; empty if it does not."""
    count, kinds, shown = len(label.raw), label.kinds, seen.kinds
    if kinds < 2 or shown < 2:
        return ""
    if kinds > 20 and float((label.texts == seen.texts).mean()) >= AGREEING:
        return "the same values"
    if seen.is_text:
        texts = [str(cell) for cell in label.raw.tolist()]
        for name, encode in _ENCODINGS.items():
            if float((np.array([encode(cell) for cell in texts]) == seen.texts).mean()) >= AGREEING:
                return f"the values as {name}"
    if (
        kinds <= max(20, count // 10)
        and shown <= 3 * kinds
        and count >= 10 * kinds
        and _agreement(label, seen) >= ALIKE
    ):
        return "each value stands for one label"
    if count - kinds >= 5 and kinds == shown <= count // 2 and _pairs(label, seen) == kinds:
        return "each value stands for one label"
    for found in seen.readings:
        if label.numbers is not None and kinds > 20 and abs(_rank_correlation(label.numbers, found)) >= ORDERED:
            return "the same order"
        if kinds <= 20 and count >= 40 and shown > 3 * kinds and sorted_by(label, found):
            return "its size tells the label"
    return ""


def _pairs(label: DataColumn, seen: DataColumn) -> int:
    return len(np.unique(label.codes * np.int64(seen.kinds) + seen.codes))


def _agreement(label: DataColumn, seen: DataColumn) -> float:
    """Mean over labels of the share of rows whose visible value stands for that label most often."""
    table = np.zeros((seen.kinds, label.kinds))
    np.add.at(table, (seen.codes, label.codes), 1)
    hits = np.zeros(label.kinds)
    meant = table.argmax(axis=1)
    np.add.at(hits, meant, table[np.arange(len(table)), meant])
    return float((hits / table.sum(axis=0)).mean())


def sorted_by(label: DataColumn, numbers: np.ndarray) -> bool:
    """Whether the labels come in few runs when rows are sorted by the numbers."""
    labels = label.codes[np.argsort(numbers, kind="stable")]
    shares = np.bincount(labels) / len(labels)
    changes = int((labels[1:] != labels[:-1]).sum())
    expected = len(labels) * (1 - float((shares**2).sum()))
    return expected >= 20 and changes <= len(shares) - 1 + 0.02 * expected


def _rank_correlation(left: np.ndarray, right: np.ndarray) -> float:
    ranks = [_ranks(each) for each in (left, right)]
    if min(each.std() for each in ranks) == 0:
        return 0.0
    first, second = ((each - each.mean()) / each.std() for each in ranks)
    return float((first * second).mean())


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks; equal values share their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse]


_ENCODINGS: dict[str, Callable[[str], str]] = {
    "base64": lambda text: base64.b64encode(text.encode()).decode().casefold(),
    "hexadecimal digits": lambda text: text.encode().hex(),
    "text backwards": lambda text: text[::-1].casefold(),
    "an MD5 hash": lambda text: hashlib.md5(text.encode()).hexdigest(),
    "a SHA-1 hash": lambda text: hashlib.sha1(text.encode()).hexdigest(),
    "a SHA-256 hash": lambda text: hashlib.sha256(text.encode()).hexdigest(),
}
