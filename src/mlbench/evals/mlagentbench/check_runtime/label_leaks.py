"""Search what an agent sees for the labels: by id or by place, under any name and in common encodings.

label_leaks.py VISIBLE HIDDEN SEEN...    SEEN are files of HIDDEN that the agent's program is given, too
Prints a JSON object: `leaks`, a list of [hidden column, visible column, how], and `unread`, files of unknown form.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from column_match import MOST_CELLS, sorted_by, told  # type: ignore[import-not-found]  # beside it
from comparable_column import DataColumn  # type: ignore[import-not-found]
from data_columns import DataTable, tables  # type: ignore[import-not-found]

LEAST_ROWS, MOST_LABELS = 20, 16


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
            if len(second) == count and part.kinds <= 20 and sorted_by(part, second.astype(float)):
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


if __name__ == "__main__":
    main()
