"""Reads the records of Parquet and JSON Lines files, and finds each split's files."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from mlbench.records import UsageError

PARQUET, LINES = ".parquet", ".jsonl"
_NO_ARROW = "reading Parquet needs pyarrow: pip install 'mlbench-harness[parquet]'"


@dataclass(frozen=True)
class Record:
    """One row of a table; `where` names its file and its row or line."""

    where: str
    values: dict[str, Any]


@dataclass(frozen=True)
class TableFault:
    """A file, the rest of a file, or a line that could not be read."""

    where: str
    why: str


def chosen(names: Iterable[str], splits: Iterable[str]) -> dict[str, list[str]]:
    """The files of each split, by their names.

    Understood are `full.jsonl`, `data/full-00000-of-00001.parquet` and `full/0000.parquet`. If a split is there in both
    formats, Parquet is preferred if pyarrow is installed.
    """
    names = sorted(names)
    formats = (PARQUET, LINES) if _has_arrow() else (LINES, PARQUET)
    found: dict[str, list[str]] = {}
    for split in splits:
        of_split = [name for name in names if _split_of(name, split)]
        for suffix in formats:
            of_format = [name for name in of_split if PurePosixPath(name).suffix.lower() == suffix]
            if of_format:
                found[split] = of_format
                break
    return found


def _split_of(name: str, split: str) -> bool:
    """Whether the file's own name, or else its nearest folder, names this split."""
    return bool(re.search(rf"(?:^|/|[._-]){split}(?:[-._][^/]*|/[^/]*)$", name))


def read(file: Path) -> Iterator[Record | TableFault]:
    """The records of one file, in order. An unreadable place yields a fault and never raises.

    Raises:
        UsageError: the file is Parquet and pyarrow is not installed, or it has another format.
    """
    if file.suffix.lower() == PARQUET:
        return _parquet(file)
    if file.suffix.lower() == LINES:
        return _lines(file)
    raise UsageError(f"{file}: not a {PARQUET} or {LINES} file")


def _parquet(file: Path) -> Iterator[Record | TableFault]:
    if not _has_arrow():
        raise UsageError(_NO_ARROW)
    import pyarrow
    from pyarrow import parquet

    row = 0
    try:
        with parquet.ParquetFile(file) as table:
            for batch in table.iter_batches(batch_size=1000):
                for position in range(batch.num_rows):
                    row += 1
                    where = f"{file.name}, row {row}"
                    try:
                        (values,) = batch.slice(position, 1).to_pylist()
                    except UnicodeDecodeError as error:
                        yield TableFault(where, f"not UTF-8 ({_first_line(error)})")
                    else:
                        yield Record(where, values)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        where = f"{file.name} behind row {row}" if row else file.name
        yield TableFault(where, f"damaged, or not Parquet ({_first_line(error)})")


def _lines(file: Path) -> Iterator[Record | TableFault]:
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                where = f"{file.name}, line {number}"
                try:
                    values = json.loads(line)
                except (ValueError, RecursionError) as error:
                    yield TableFault(where, f"not JSON ({_first_line(error)})")
                    continue
                yield Record(where, values) if isinstance(values, dict) else TableFault(where, "not an object")
    except OSError as error:
        yield TableFault(file.name, f"cannot be read ({error.strerror})")


def _has_arrow() -> bool:
    return importlib.util.find_spec("pyarrow") is not None


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:120]
