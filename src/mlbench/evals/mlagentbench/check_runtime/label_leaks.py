"""Search what an agent sees for the labels: by id or by place, under any name and in common encodings.

label_leaks.py VISIBLE HIDDEN SEEN...    SEEN are files of HIDDEN that the agent's program is given, too
Prints a JSON object: `leaks`, a list of [hidden column, visible column, how], and `unread`, files of unknown form.
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path

import numpy as np
from data_columns import DataTable, tables  # type: ignore[import-not-found]  # beside it

LEAST_ROWS, MOST_LABELS = 20, 16
MOST_CELLS = 200_000
ALIKE, AGREEING, ORDERED = 0.98, 0.95, 0.995
"""Least balanced agreement after renaming values, least share of equal cells, least rank correlation of a leak."""


def main() -> None:
    visible_folder, hidden_folder, *seen = sys.argv[1:]
    visible, unread = tables(Path(visible_folder))
    for name in seen:
        further, _ = tables(Path(hidden_folder, name).parent)
        visible += [each for each in further if each.file == Path(name).name]
    # the trivial submission holds no labels: whoever made it looked at nothing
    hidden, _ = tables(Path(hidden_folder), frozenset({"permuted", "trivial", *seen}), MOST_LABELS)
    keys = [key for other in visible for key in _keys(other).values()]
    leaks = set()
    for own in hidden:
        columns = {name: DataColumn(values) for name, values in own.columns.items()}
        several = len(columns) + len(own.arrays) > 1  # a table of one column has nothing but labels
        identity = next((name for name, each in columns.items() if several and _is_id(each, keys)), None)
        leaks |= {leak for other in visible for leak in leaks_between(own, columns, identity, other)}
    print(json.dumps({"leaks": sorted(leaks)[:20], "unread": unread}))


class DataColumn:
    """A column's values, with what comparisons need of them, computed once."""

    def __init__(self, values: np.ndarray) -> None:
        self.raw = values
        self.is_text = values.dtype.kind in "USO"
        self.cells = np.array(_cells(values)) if self.is_text else values.astype(float)

    @cached_property
    def codes(self) -> np.ndarray:
        """The values as numbers from 0 up, in order of the values."""
        return np.unique(self.cells, return_inverse=True)[1]

    @cached_property
    def kinds(self) -> int:
        return int(self.codes.max()) + 1 if len(self.codes) else 0

    @cached_property
    def texts(self) -> np.ndarray:
        """The values in the form in which those of two columns can be compared."""
        return self.cells if self.is_text else np.array(_cells(self.raw))

    @cached_property
    def place(self) -> dict[str, int]:
        return {cell: at for at, cell in enumerate(self.texts.tolist())}

    @cached_property
    def numbers(self) -> np.ndarray | None:
        return _numbers(self.cells.tolist(), float) if self.is_text else self.cells

    @cached_property
    def readings(self) -> list[np.ndarray]:
        """The values as numbers, in each way in which all of them are some."""
        if not self.is_text:
            return [self.cells]
        found = [_numbers(self.cells.tolist(), read) for read in _READINGS]
        return [each for each in found if each is not None]

    def part(self, rows: np.ndarray) -> DataColumn:
        return (
            self if len(rows) == len(self.raw) and (rows == np.arange(len(rows))).all() else DataColumn(self.raw[rows])
        )


def leaks_between(
    hidden: DataTable, own: dict[str, DataColumn], identity: str | None, visible: DataTable
) -> Iterator[tuple[str, str, str]]:
    """The leaks of one hidden table in a visible one.

    Args:
        hidden: a table. own: its columns. identity: the one that holds its ids.
        visible: a table that the agent sees.
    """
    count = len(next(iter(visible.columns.values()), ()))
    shown = {name: DataColumn(values) for name, values in visible.columns.items()}
    aligned = _aligned(own[identity], _keys(visible)) if identity is not None else None
    length = len(next(iter(hidden.columns.values()), ()))
    if aligned is None and length == count:
        aligned = np.arange(count), np.arange(count), ""
    if aligned is not None and len(aligned[0]) >= LEAST_ROWS:
        first, second, key = aligned
        seen = {name: each.part(second) for name, each in shown.items() if name != key}
        for label, column in own.items():
            if label == identity or " (part " in label or column.kinds < 2:
                continue
            part = column.part(first)
            for name, other in seen.items():
                if how := told(part, other):
                    yield f"{hidden.file}: {label}", f"{visible.file}: {name}", how
            if len(second) == count and part.kinds <= 20 and _sorted_by(part, second.astype(float)):
                yield f"{hidden.file}: {label}", f"{visible.file}: (order of rows)", "the rows are sorted by the label"
    for label, array in hidden.arrays.items():
        for name, other_array in visible.arrays.items():
            for at, seen_part in _same_shape(array, other_array):
                step = max(1, array.size // MOST_CELLS)
                if how := told(DataColumn(array.reshape(-1)[::step]), DataColumn(seen_part.reshape(-1)[::step])):
                    yield f"{hidden.file}: {label}", f"{visible.file}: {name}{at}", how


def _keys(table: DataTable) -> dict[str, DataColumn]:
    """The columns by which rows can be named: those without double values, and the rows' numbers."""
    count = len(next(iter(table.columns.values()), ()))
    found = {name: DataColumn(each) for name, each in table.columns.items() if len(set(each.tolist())) == count}
    rows = {"(row number)": DataColumn(np.arange(count)), "(row number from 1)": DataColumn(np.arange(1, count + 1))}
    return {**found, **rows} if count >= LEAST_ROWS else {}


def _is_id(column: DataColumn, keys: list[DataColumn]) -> bool:
    return len(set(column.raw.tolist())) == len(column.raw) >= LEAST_ROWS and any(
        column.place.keys() <= other.place.keys() for other in keys
    )


def _aligned(ids: DataColumn, keys: dict[str, DataColumn]) -> tuple[np.ndarray, np.ndarray, str] | None:
    """Rows of the hidden and of the visible table with the same id, and the visible column that says so."""
    for key, other in keys.items():
        both = [(at, other.place[cell]) for cell, at in ids.place.items() if cell in other.place]
        if len(both) >= max(LEAST_ROWS, len(ids.raw) // 2):
            first, second = zip(*both, strict=True)
            return np.array(first), np.array(second), key
    return None


def _same_shape(label: np.ndarray, seen: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    if seen.shape == label.shape:
        yield "", seen
    elif seen.shape[:-1] == label.shape and seen.shape[-1] <= 64:
        yield from ((f"[..., {at}]", seen[..., at]) for at in range(seen.shape[-1]))


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
        if kinds <= 20 and count >= 40 and shown > 3 * kinds and _sorted_by(label, found):
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


def _sorted_by(label: DataColumn, numbers: np.ndarray) -> bool:
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


def _cells(values: np.ndarray) -> list[str]:
    """Values as comparable text: numbers in one form, text without blanks around and without case."""
    if values.dtype.kind in "iufb":
        return [f"{float(each):.10g}" for each in values.tolist()]
    return [_cell(str(each)) for each in values.tolist()]


def _cell(text: str) -> str:
    plain = text.strip().casefold()
    try:
        return f"{float(plain):.10g}"
    except ValueError:
        return plain


def _numbers(cells: list[str], read: Callable[[str], float]) -> np.ndarray | None:
    """The cells as finite numbers; None if any is none."""
    try:
        found = np.array([read(cell) for cell in cells], dtype=float)
    except (ValueError, OverflowError, TypeError):
        return None
    return found if np.isfinite(found).all() else None


_READINGS: tuple[Callable[[str], float], ...] = (
    float,
    lambda cell: int(cell, 16),
    float.fromhex,
    lambda cell: float(cell[::-1]),
)
_ENCODINGS: dict[str, Callable[[str], str]] = {
    "base64": lambda text: base64.b64encode(text.encode()).decode().casefold(),
    "hexadecimal digits": lambda text: text.encode().hex(),
    "text backwards": lambda text: text[::-1].casefold(),
    "an MD5 hash": lambda text: hashlib.md5(text.encode()).hexdigest(),
    "a SHA-1 hash": lambda text: hashlib.sha1(text.encode()).hexdigest(),
    "a SHA-256 hash": lambda text: hashlib.sha256(text.encode()).hexdigest(),
}

if __name__ == "__main__":
    main()
