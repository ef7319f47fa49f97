"""Read the files of a folder as named columns of values, never by unpickling."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

MOST_COLUMNS, MOST_BYTES = 4_096, 256 << 20
_SPLIT = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class DataTable:
    """Columns of equal length from one file.

    Attributes:
        file: its path. columns: by name, each a 1-d array of text or numbers.
        arrays: whole arrays of more than one dimension, by name.
    """

    file: str
    columns: dict[str, np.ndarray]
    arrays: dict[str, np.ndarray]


def tables(
    folder: Path, leave_out: frozenset[str] = frozenset(), most: int = MOST_COLUMNS
) -> tuple[list[DataTable], list[str]]:
    """Return the tables of all files of a folder, and the files that cannot be read as any.

    Args:
        folder: is searched with its subfolders.
        leave_out: first parts of paths that are not searched.
        most: columns of an array of several dimensions; of a wider one, only the whole is compared.
    """
    found: list[DataTable] = []
    unread = []
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    for file in files:
        name = file.relative_to(folder)
        if name.parts[0] in leave_out or str(name) in leave_out or file.suffix in (".py", ".md"):
            continue
        read = list(_read(file, str(name), most))
        found += read
        unread += [] if read else [str(name)]
    for place in sorted({file.parent for file in files}):
        names = [file.name for file in files if file.parent == place]
        if len(names) >= 20:
            where = f"{place.relative_to(folder)}/ (names of files)"
            found.append(DataTable(where, _parts("name", np.array(names)), {}))
    return found, unread


def _read(file: Path, name: str, most: int) -> Iterator[DataTable]:
    if file.stat().st_size > MOST_BYTES:
        return
    content = file.read_bytes()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    try:
        if content.startswith(b"\x93NUMPY"):
            yield _of_arrays(name, {"": np.load(io.BytesIO(content), allow_pickle=False)}, most)
        elif content.startswith(b"PK"):
            with np.load(io.BytesIO(content), allow_pickle=False) as held:
                by_length: dict[int, dict[str, np.ndarray]] = {}
                for key in held.files:
                    array = held[key]
                    if array.ndim:
                        by_length.setdefault(len(array), {})[key] = array
            for arrays in by_length.values():
                yield _of_arrays(name, arrays, most)
        else:
            yield from _of_text(name, content.decode("utf-8-sig"))
    except (ValueError, OSError, KeyError, csv.Error, EOFError):
        return


def _of_arrays(name: str, arrays: dict[str, np.ndarray], most: int) -> DataTable:
    columns: dict[str, np.ndarray] = {}
    for key, array in arrays.items():
        if array.ndim == 1:
            columns.update(_parts(key, array) if array.dtype.kind in "US" else {key: array})
        elif array.ndim > 1 and array.size and array.size // len(array) <= most:
            flat = array.reshape(len(array), -1)
            columns.update({f"{key}[{at}]": flat[:, at] for at in range(flat.shape[1])})
    return DataTable(name, columns, {key: array for key, array in arrays.items() if array.ndim > 1})


def _of_text(name: str, text: str) -> Iterator[DataTable]:
    if name.endswith((".json", ".jsonl", ".ndjson")) or text.lstrip()[:1] in ("{", "["):
        try:
            yield from _of_json(name, json.loads(text))
        except ValueError:
            yield from _of_json(name, [json.loads(line) for line in text.splitlines() if line.strip()])
        return
    lines = text.splitlines()
    for separator in (",", "\t", ";", "|"):
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator) if row]
        if len(rows) > 1 and len(rows[0]) > 1 and all(len(row) == len(rows[0]) for row in rows):
            columns = {f"{head}": np.array(cells) for head, *cells in zip(*rows, strict=True)}
            yield DataTable(
                name, {key: part for own, each in columns.items() for key, part in _parts(own, each).items()}, {}
            )
            return
    yield DataTable(name, _parts("line", np.array([line for line in lines if line.strip()])), {})
    yield DataTable(name, _parts("line after the first", np.array([line for line in lines[1:] if line.strip()])), {})


def _of_json(name: str, value: Any) -> Iterator[DataTable]:
    """Lists of numbers or texts, records, and objects by id, at any depth."""
    if isinstance(value, dict):
        plain = {key: each for key, each in value.items() if isinstance(each, str | int | float)}
        if len(plain) >= 20:
            columns = {"key": np.array([*plain]), "value": np.array([str(each) for each in plain.values()])}
            yield DataTable(name, columns, {})
        lists = {key: each for key, each in value.items() if _is_plain(each)}
        by_length: dict[int, dict[str, np.ndarray]] = {}
        for key, each in lists.items():
            by_length.setdefault(len(each), {}).update(_parts(key, np.array([str(cell) for cell in each])))
        for columns in by_length.values():
            yield DataTable(name, columns, {})
        for key, each in value.items():
            if key not in lists and isinstance(each, dict | list):
                yield from _of_json(f"{name}: {key}", each)
    elif _is_plain(value):
        yield DataTable(name, _parts("", np.array([str(cell) for cell in value])), {})
    elif isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        keys = [key for key in value[0] if all(key in each for each in value)]
        yield DataTable(name, {key: np.array([str(each[key]) for each in value]) for key in keys}, {})
    elif _is_grid(value):
        turned = enumerate(zip(*value, strict=True))
        yield DataTable(name, {str(at): np.array([str(cell) for cell in each]) for at, each in turned}, {})


def _is_grid(value: Any) -> bool:
    """Whether a value is a list of lists of one length."""
    lists = isinstance(value, list) and bool(value) and all(isinstance(each, list) for each in value)
    return lists and len({len(each) for each in value}) == 1


def _is_plain(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and not any(isinstance(each, dict | list) for each in value)


def _parts(name: str, cells: np.ndarray) -> dict[str, np.ndarray]:
    """A column of text, and the words of its cells as columns if all have equally many (`17_cat.png`)."""
    found = {name: cells}
    words = [_SPLIT.findall(str(cell)) for cell in cells[:1]]
    if words and 2 <= len(words[0]) <= 8:
        every = [_SPLIT.findall(str(cell)) for cell in cells]
        if all(len(each) == len(words[0]) for each in every):
            found.update(
                {f"{name} (part {at + 1})": np.array(part) for at, part in enumerate(zip(*every, strict=True))}
            )
    return found
