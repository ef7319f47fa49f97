"""Runs in a jail: the grader of a problem on submissions that are bad in one way each. Prints its words as JSON.

python bad_submissions.py GRADE.PY HIDDEN FILE SHAPE    SHAPE is empty for a table, else that of an array, as JSON
"""

import contextlib
import csv
import io
import json
import os
import runpy
import sys
import tempfile

import numpy as np


def tables(hidden: str) -> dict[str, bytes | None]:
    """Those made of the perfect one; None is no file."""
    with open(f"{hidden}/perfect/submission.csv", newline="") as file:
        head, *rows = csv.reader(file)
    unknown, nan = [["no-such-id", *rows[0][1:]], *rows[1:]], [[rows[0][0], *["nan"] * (len(head) - 1)], *rows[1:]]
    return {
        "no file": None,
        "empty": b"",
        "garbage": bytes(range(256)),
        "no header": text(rows),
        "header only": text([head]),
        "another column": text([[*head, "more"], *([*row, "1"] for row in rows)]),
        "a column less": text([head[:-1], *(row[:-1] for row in rows)]),
        "a cell less": text([head, rows[0][:-1], *rows[1:]]),
        "an empty cell": text([head, [*rows[0][:-1], ""], *rows[1:]]),
        "NaN": text([head, *nan]),
        "double id": text([head, *rows, rows[0]]),
        "missing id": text([head, *rows[1:]]),
        "unknown id": text([head, *unknown]),
        "good": text([head, *rows]),
    }


def text(rows: list[list[str]]) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue().encode()


def arrays(shape: list[int], kind: str) -> dict[str, bytes | None]:
    right = np.full(shape, 1.0 if kind == "i" else -np.log(shape[-1])).astype(kind)
    other = right.astype("f8" if kind == "i" else "i8")
    nan = right.astype("f8")
    nan.flat[0] = np.nan
    return {
        "no file": None,
        "empty": b"",
        "garbage": bytes(range(256)),
        "a row less": saved(right[1:]),
        "flat": saved(right.reshape(-1)),
        "another type": saved(other),
        "complex": saved(right.astype("c16")),
        "text": saved(right.astype("U8")),
        "NaN": saved(nan),
        "infinity": saved(np.where(np.isnan(nan), np.inf, nan)),
        "pickle": saved(np.array([{}, None], dtype=object)),
        "cut": saved(right)[:-8],
    }


def saved(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def said_of(content: bytes | None, grader: str, hidden: str, name: str) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
        if content is not None:
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        sys.argv, sys.stdin = [grader, folder, hidden], io.StringIO("[0.5]")
        try:
            runpy.run_path(grader, run_name="__main__")
            return dict(json.loads(printed.getvalue()))
        except BaseException as error:
            return {"crash": f"{type(error).__name__}: {error}"}


def main() -> None:
    grader, hidden, name, shape, kind = sys.argv[1:]
    cases = arrays(json.loads(shape), kind) if shape else tables(hidden)
    print(json.dumps({case: said_of(content, grader, hidden, name) for case, content in cases.items()}))


main()
