"""Reads and writes rows as files, for suites whose rows are not made from recipes."""

from __future__ import annotations

import ast
import json
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from mlbench.records import PYTHON_TYPE, SHELL_TYPE, Sample, UsageError

SPLIT = "split"
"""The column that names a row's split in a suite's file of rows; a row of two splits is written twice."""


_MAY_BE_NULL = ("prefix_code", "oracle")
"""Columns that a row can do without: it needs no preparation, or no segment of the documentation was recorded."""


class UnusableError(ValueError):
    """A record is not a row; equal faults have equal messages, which are counted."""


def sample_from(record: Mapping[str, Any]) -> Sample:
    """A record of a table as a row; columns other than the 11 published ones are ignored.

    Lines end with a line feed afterwards, because the shell reads `\\` before a carriage return otherwise. Nothing is
    evaluated.

    Raises:
        UnusableError: a column is missing or has another type, `path` is not `./folder` inside the repository,
            `type` is unknown, or `arguments` is not the literal of a dict.
    """
    cells: dict[str, Any] = {field.name: _cell(field.name, str(field.type), record) for field in fields(Sample)}
    sample = Sample(**cells)
    if sample.type not in (SHELL_TYPE, PYTHON_TYPE):
        raise UnusableError(f"`type` is neither {SHELL_TYPE} nor {PYTHON_TYPE}")
    normal = posixpath.normpath(sample.path)
    if sample.path != "." and not sample.path.startswith("./"):
        raise UnusableError("`path` does not start with ./")
    if normal == ".." or normal.startswith("../"):
        raise UnusableError("`path` leads out of the repository")
    try:
        sample.required()
    except ValueError as error:
        raise UnusableError(str(error).partition(": ")[2]) from error
    return sample


def _cell(name: str, wanted: str, record: Mapping[str, Any]) -> int | str:
    """One column's value, checked for its type."""
    if name not in record:
        raise UnusableError(f"no column `{name}`")
    value = record[name]
    if wanted == "int":
        if isinstance(value, float) and value.is_integer():  # a table's integers are floats if a cell is empty
            value = int(value)
        if type(value) is not int:
            raise UnusableError(f"`{name}` is not a whole number")
        return value
    if value is None and name in _MAY_BE_NULL:
        return ""
    if name == "arguments":
        value = _as_literal(value)
    if not isinstance(value, str):
        raise UnusableError(f"`{name}` is not a text")
    try:
        value.encode()
    except UnicodeEncodeError as error:  # a lone surrogate is valid JSON but cannot be encoded
        raise UnusableError(f"`{name}` holds half a character") from error
    return value.replace("\r\n", "\n").replace("\r", "\n")


def _as_literal(arguments: object) -> object:
    """The literal of a dict, for arguments that a table holds as a dict or as its JSON. A null is no argument."""
    if isinstance(arguments, str) and arguments.lstrip().startswith("{"):
        try:
            ast.literal_eval(arguments)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            try:
                arguments = json.loads(arguments)
            except (ValueError, RecursionError):
                return arguments
    if isinstance(arguments, Mapping):
        return repr({str(name): wanted for name, wanted in arguments.items() if wanted is not None})
    return arguments


def write_rows(splits: Mapping[str, Sequence[Sample]], file: Path) -> None:
    """Write a suite's rows as JSON Lines.

    Raises:
        OSError: the file cannot be written.
    """
    with file.open("w", encoding="utf-8") as lines:
        for split, rows in splits.items():
            lines.writelines(json.dumps({SPLIT: split, **asdict(row)}, ensure_ascii=False) + "\n" for row in rows)


def read_rows(file: Path, sizes: Mapping[str, int]) -> dict[str, list[Sample]]:
    """The rows of a suite by split, in the order of `sizes`.

    Args:
        file: a file that `write_rows` wrote.
        sizes: the number of rows that each split must have.

    Raises:
        UsageError: the file cannot be read, a line is not a row, or a split has another number of rows.
    """
    splits: dict[str, list[Sample]] = {split: [] for split in sizes}
    try:
        for number, record in _records(file):
            try:
                splits[record[SPLIT]].append(sample_from(record))
            except (UnusableError, KeyError, TypeError) as error:
                why = error if isinstance(error, UnusableError) else f"`{SPLIT}` is none of {', '.join(sizes)}"
                raise UsageError(f"{file}, line {number}: {why}") from error
    except OSError as error:
        raise UsageError(f"{file}: cannot be read ({error.strerror})") from error
    for split, rows in splits.items():
        if len(rows) != sizes[split]:
            raise UsageError(f"{file}: {len(rows)} rows in split {split}, suite.yaml says {sizes[split]}")
    return splits


def _records(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise UsageError(f"{file}, line {number}: not JSON ({error})") from error
            yield number, record


def write_json_lines(records: Iterable[Mapping[str, object]], file: Path) -> None:
    """Write one JSON object a line."""
    file.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records), encoding="utf-8")
