"""What graders share; mounted beside them. It parses what an agent left: nothing is imported, unpickled or evaluated.

from mlbench_grading import Invalid, main, predictions
def grade(workspace, hidden): ... return score
main(grade)
"""

from __future__ import annotations

import csv
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TextIO

LARGEST = 64 << 20  # bytes of a submission
LONGEST = 1 << 20  # characters of one of its lines


class Invalid(Exception):
    """There is no valid submission: one line that names the file and the rule."""


def predictions(
    path: str,
    ids: Iterable[Any],
    columns: Sequence[str],
    low: float | None = None,
    high: float | None = None,
    id_column: str = "id",
) -> list[list[float]]:
    """The predictions of a CSV file with a header, joined by id: for each of `ids`, in their order, its numbers.

    Args:
        ids: every id that must be there once.
        columns: those of the predictions; the file may hold no others but the id's.
        low, high: bounds of a value, where there are any.

    Raises:
        Invalid: an id is missing, double or unknown; a value is no number, not finite or out of bounds.
    """
    rows = []
    for where, row in joined(path, ids, columns, id_column):
        values = [to_number(row[column], f"{where}: {column}") for column in columns]
        for column, value in zip(columns, values, strict=True):
            if (low is not None and value < low) or (high is not None and value > high):
                raise Invalid(f"{where}: {column} is {value:g}, outside of {low} to {high}")
        rows.append(values)
    return rows


def labels(
    path: str, ids: Iterable[Any], column: str, allowed: Sequence[str], id_column: str = "id", fold: bool = False
) -> list[str]:
    """The predicted classes of a CSV file with a header, joined by id: for each of `ids` one of `allowed`, in order.

    Args:
        fold: whether case does not count (`true` is `True`).

    Raises:
        Invalid: an id is missing, double or unknown; a value is no such class.
    """
    known = {each.casefold() if fold else each: each for each in allowed}
    found = []
    for where, row in joined(path, ids, [column], id_column):
        value = row[column].strip()
        key = value.casefold() if fold else value
        if key not in known:
            raise Invalid(f"{where}: {column} is {value!r:.40}, none of the classes, {allowed[0]} to {allowed[-1]}")
        found.append(known[key])
    return found


class Row(NamedTuple):
    where: str  # file and line, in words
    cells: dict[str, str]


def joined(path: str, ids: Iterable[Any], columns: Sequence[str], id_column: str) -> list[Row]:
    """The row of each of `ids`, in their order. The first row that is wrong ends it, however many there are.

    Raises:
        Invalid: as `read_csv`; an id is missing, double or unknown.
    """
    name = os.path.basename(path)
    wanted = [str(each) for each in ids]
    known = set(wanted)
    rows: dict[str, Row] = {}
    for row in _rows(path, [id_column, *columns]):
        key = row.cells[id_column].strip()
        if key not in known:
            raise Invalid(f"{row.where}: the id {key!r:.40} is not one of those asked for")
        if key in rows:
            raise Invalid(f"{row.where}: the id {key!r:.40} stands there twice")
        rows[key] = row
    missing = [key for key in wanted if key not in rows]
    if missing:
        raise Invalid(f"{name}: {len(missing)} of {len(wanted)} ids are missing, the first is {missing[0]!r:.40}")
    return [rows[key] for key in wanted]


def read_csv(path: str, columns: Sequence[str]) -> list[dict[str, str]]:
    """The rows of a CSV file that has just these columns, in any order, as text. Blank lines do not count.

    Raises:
        Invalid: it is not there, too large, no such table.
    """
    return [row.cells for row in _rows(path, columns)]


def _rows(path: str, columns: Sequence[str]) -> Iterator[Row]:
    name = _there(path)
    csv.field_size_limit(LONGEST)
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(_lines(file, name))
            found = [column.strip() for column in next(reader, [])]
            if not found:
                raise Invalid(f"{name}: it is empty; its first line has to be {','.join(columns)}")
            if sorted(found) != sorted(columns):
                shown = ", ".join(found[:20])
                raise Invalid(f"{name}: its columns are {shown:.200}; wanted are {', '.join(columns)}")
            for cells in reader:
                where = f"{name}: line {reader.line_num}"  # of the file: blank lines count, as in an editor
                if cells and len(cells) != len(found):
                    raise Invalid(f"{where}: {len(cells)} cells in {len(found)} columns")
                if cells:
                    yield Row(where, dict(zip(found, cells, strict=True)))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise Invalid(f"{name}: cannot be read: {error}") from None


def _lines(file: TextIO, name: str) -> Iterator[str]:
    """Those of a file, of which none is long: one of 64 MiB in a thousand million cells needs gigabytes."""
    number = 0
    while line := file.readline(LONGEST):
        number += 1
        if len(line) == LONGEST:
            raise Invalid(f"{name}: line {number} is longer than {LONGEST >> 10} KiB")
        yield line


def to_number(text: str, where: str) -> float:
    """A finite number.

    Raises:
        Invalid: it is none; `where` says which.
    """
    try:
        value = float(text)
    except ValueError:
        raise Invalid(f"{where}: {text!r:.40} is no number") from None
    if not math.isfinite(value):
        raise Invalid(f"{where}: {text.strip():.40} is not finite")
    return value


def load_array(path: str, shape: Sequence[int], kinds: str = "f") -> Any:
    """A NumPy array of a `.npy` file, of this shape, finite; never a pickle.

    Raises:
        Invalid: it is not there, too large, of another shape or type.
    """
    import numpy as np

    name = _there(path)
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)  # mapped: a few bytes may say that they are many
    except Exception as error:
        raise Invalid(f"{name}: is not a plain NumPy array: {error}") from None
    if not isinstance(array, np.ndarray):
        raise Invalid(f"{name}: is an archive of arrays, not a plain NumPy array: save it with numpy.save")
    if array.shape != tuple(shape):
        raise Invalid(f"{name}: its shape is {array.shape}, wanted is {tuple(shape)}")
    if array.dtype.kind not in kinds:
        raise Invalid(f"{name}: its type is {array.dtype}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise Invalid(f"{name}: not all of its values are finite")
    return np.array(array)


def _there(path: str) -> str:
    name = os.path.basename(path)
    if os.path.islink(path):
        raise Invalid(f"{name}: is a link; it has to be a file")
    if not os.path.exists(path):
        raise Invalid(f"{name}: there is no such file")
    if not os.path.isfile(path):
        raise Invalid(f"{name}: is no ordinary file")
    if os.path.getsize(path) > LARGEST:
        raise Invalid(f"{name}: larger than {LARGEST >> 20} MiB")
    return name


def main(grade: Callable[..., float]) -> None:
    """Call `grade(workspace, hidden)` and print its score, or why there is none, as one line of JSON.

    A grader of speed takes a third argument: the seconds of each measured run, which come on standard input.
    """
    arguments: list[Any] = [sys.argv[1], sys.argv[2]]
    if grade.__code__.co_argcount == 3:
        arguments.append(json.load(sys.stdin))
    answer: dict[str, float | str]
    try:
        score = float(grade(*arguments))
        far = "the predictions are so far off that the score is not finite"
        answer = {"score": score} if math.isfinite(score) else {"invalid": far}
    except Invalid as error:
        answer = {"invalid": " ".join(str(error).split())[:500]}
    print(json.dumps(answer))
