"""Bad forms of a good submission file: tables, arrays, and files of any kind."""

from __future__ import annotations

import csv
import io
import pickle
from collections.abc import Callable
from typing import Any

MARKER = "/tmp/agent-code-ran"
CODE = f"__import__('os').system('touch {MARKER}')"
HUGE_FILE = 1 << 30
HUGE_VALUE = "a huge value"
"""It may be scored, since the largest of some values may be right; a grader has to survive it."""
Form = bytes | str | None
"""Contents; `link`, `folder` or `huge` for what is no ordinary content; None for no file."""


class _Touch:
    """Leaves the marker when it is unpickled."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return open, (MARKER, "w")


def bad_forms(name: str, good: bytes) -> tuple[dict[str, Form], dict[str, Form], dict[str, Form]]:
    """Return forms that a grader must refuse, must score worse than the good one, and must score as the good one."""
    refused: dict[str, Form] = {
        "no file": None,
        "an empty file": b"",
        "random bytes": bytes(range(256)) * 8,
        "a pickle": pickle.dumps(_Touch()),
        "a folder": "folder",
        "a link to the hidden answers": "link",
        "a file of 1 GB": "huge",
        "the first half of the file": good[: len(good) // 2],
    }
    if good.startswith(b"\x93NUMPY"):
        further, worse, same = _arrays(good)
    elif name.endswith((".csv", ".tsv")):
        further, worse, same = _tables(good, "\t" if name.endswith(".tsv") else ",")
    else:
        further, worse, same = {}, {}, {}
    return {**refused, **further}, worse, same


def _tables(good: bytes, separator: str) -> tuple[dict[str, Form], dict[str, Form], dict[str, Form]]:
    head, *rows = csv.reader(io.StringIO(good.decode()), delimiter=separator)
    key = next((at for at in range(len(head)) if len({row[at] for row in rows}) == len(rows)), 0)

    def text(lines: list[list[str]]) -> bytes:
        buffer = io.StringIO()
        csv.writer(buffer, delimiter=separator).writerows(lines)
        return buffer.getvalue().encode()

    def first(value: str) -> bytes:
        """The value in every cell of the first row but the id's."""
        return text([head, [each if at == key else value for at, each in enumerate(rows[0])], *rows[1:]])

    def rotated(begin: int, end: int) -> bytes:
        """The predictions of some rows, each at the next id."""
        part = rows[begin:end]
        turned = [
            [own[at] if at == key else other[at] for at in range(len(head))]
            for own, other in zip(part, [*part[1:], part[0]], strict=True)
        ]
        return text([head, *rows[:begin], *turned, *rows[end:]])

    unknown = [["no-such-id" if at == key else each for at, each in enumerate(rows[0])], *rows[1:]]
    other = [f"{name}_" if at != key else name for at, name in enumerate(head)]
    refused: dict[str, Form] = {
        "no header": text(rows),
        "the header only": text([head]),
        "one row": text([head, rows[0]]),
        "a missing id": text([head, *rows[1:]]),
        "a double id": text([head, *rows, rows[0]]),
        "a double id with another value": text(
            [head, *rows, [rows[0][at] if at == key else rows[1][at] for at in range(len(head))]]
        ),
        "an unknown id": text([head, *unknown]),
        "one more row, of an unknown id": text([head, *rows, unknown[0]]),
        "every row twice": text([head, *rows, *rows]),
        "a column more": text([[*head, "more"], *([*row, "1"] for row in rows)]),
        "a column less": text([[*head[:-1]], *(row[:-1] for row in rows)]),
        "columns of other names": text([other, *rows]),
        "a cell less": text([head, rows[0][:-1], *rows[1:]]),
        "an empty cell": first(""),
        "NaN": first("nan"),
        "infinity": first("inf"),
        "minus infinity": first("-inf"),
        "a word for a value": first("high"),
        "code for a value": first(CODE),
        "UTF-16": good.decode().encode("utf-16"),
    }
    some = max(2, len(rows) // 20)
    worse: dict[str, Form] = {
        "all predictions at other ids": rotated(0, len(rows)),
        "the first predictions at other ids": rotated(0, _varied(rows, key, some)),
        "the last predictions at other ids": rotated(len(rows) - _varied(rows[::-1], key, some), len(rows)),
        HUGE_VALUE: first("1e308"),
    }
    return refused, worse, {"the rows in another order": text([head, *rows[::-1]])}


def _varied(rows: list[list[str]], key: int, least: int) -> int:
    """Rows from the first on in which not all predictions are the same, at least `least`."""
    values = [[each for at, each in enumerate(row) if at != key] for row in rows]
    other = next((at for at, value in enumerate(values) if value != values[0]), len(rows) - 1)
    return min(len(rows), max(least, other + 1))


def _arrays(good: bytes) -> tuple[dict[str, Form], dict[str, Form], dict[str, Form]]:
    import numpy as np

    right = np.load(io.BytesIO(good), allow_pickle=False)
    whole = right.dtype.kind in "iu"
    nan = right.astype("f8")
    nan.flat[0] = np.nan

    def saved(array: Any) -> bytes:
        buffer = io.BytesIO()
        np.save(buffer, array, allow_pickle=True)
        return buffer.getvalue()

    some = max(2, len(right) // 20)
    huge = right.copy()
    huge.flat[0] = np.iinfo(right.dtype).max if whole else np.finfo(right.dtype).max
    part = right.copy()
    part[:some] = np.roll(part[:some], 1, axis=0)
    end = right.copy()
    end[-some:] = np.roll(end[-some:], 1, axis=0)
    refused: dict[str, Form] = {
        "one row": saved(right[:1]),
        "a row less": saved(right[1:]),
        "a row more": saved(np.concatenate([right, right[:1]])),
        "every row twice": saved(np.concatenate([right, right])),
        "flat": saved(right.reshape(-1)) if right.ndim > 1 else saved(right.reshape(1, -1)),
        "another type": saved(right.astype("f8" if whole else "i8")),
        "complex numbers": saved(right.astype("c16")),
        "text": saved(right.astype("U8")),
        "NaN": saved(nan),
        "infinity": saved(np.where(np.isnan(nan), np.inf, nan)),
        "minus infinity": saved(np.where(np.isnan(nan), -np.inf, nan)),
        "an array of objects": saved(np.array([_Touch(), None], dtype=object)),
    }
    worse: dict[str, Form] = {
        "all rows at other places": saved(np.roll(right, 1, axis=0)),
        "the first rows at other places": saved(part),
        "the last rows at other places": saved(end),
        HUGE_VALUE: saved(huge),
    }
    return refused, worse, {}
