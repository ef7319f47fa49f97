"""Reads the texts of training files as streams: text, JSON Lines and Parquet, the first two also with gzip."""

from __future__ import annotations

import codecs
import gzip
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mlbench.records import UsageError
from mlbench.results.memory.ngrams import token_stream

CHUNK = 1 << 20
"""Characters that are read at once."""
LONGEST_LINE = 64 << 20
"""Bytes of a JSON line; a longer one is left out and counted."""
_BATCH = 64
TEXT, LINES, PARQUET = (".txt", ".md", ".text"), (".jsonl", ".ndjson"), (".parquet",)


@dataclass
class TextCounts:
    """What was read of one file: texts, and lines that could not be read."""

    name: str
    texts: int = 0
    unread: int = 0


def training_files(paths: Iterable[Path]) -> list[Path]:
    """Return the files, those of folders included.

    Raises:
        UsageError: a path does not exist, a folder has no such file, or a named file has another ending.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if _ending(file) and file.is_file())
            if not inside:
                raise UsageError(f"{path}: has no training file; their names end in {_endings()}")
            found += inside
        elif not path.is_file():
            raise UsageError(f"{path}: no such file")
        elif not _ending(path):
            raise UsageError(f"{path}: not a training file; their names end in {_endings()}")
        else:
            found.append(path)
    return list(dict.fromkeys(found))


def texts_of(file: Path, counts: TextCounts) -> Iterator[tuple[str, Iterator[list[str]]]]:
    """Return each text with its place (`data.jsonl:17`), as tokens in parts. Use each before the next.

    Args:
        file: one of `training_files`.
        counts: gets the numbers of texts and of unread lines.

    Raises:
        UsageError: the file is empty, cannot be read, or holds no text.
    """
    if file.stat().st_size == 0:
        raise UsageError(f"{file}: the file is empty")
    try:
        kind = _ending(file)
        if kind in TEXT:
            with _opened(file) as stream:
                counts.texts += 1
                yield file.name, token_stream(_chunks(stream))
            return
        for number, record in _records(file, counts) if kind in LINES else _cells(file):
            for text in _strings(record):
                counts.texts += 1
                yield f"{file.name}:{number}", token_stream([text])
    except (OSError, EOFError) as error:
        raise UsageError(f"{file}: cannot be read ({' '.join(str(error).split())[:120]})") from error
    if not counts.texts:
        raise UsageError(f"{file}: holds no text ({counts.unread} lines that are no JSON)")


def _ending(file: Path) -> str:
    name = file.name.lower()
    plain = name.removesuffix(".gz")
    known = (*TEXT, *LINES) if plain != name else (*TEXT, *LINES, *PARQUET)
    return next((ending for ending in known if plain.endswith(ending)), "")


def _endings() -> str:
    return ", ".join((*TEXT, *LINES, *PARQUET)) + ", and .gz of all but the last"


def _opened(file: Path) -> io.BufferedIOBase:
    return gzip.open(file) if file.name.lower().endswith(".gz") else file.open("rb")


def _chunks(stream: io.BufferedIOBase) -> Iterator[str]:
    """Text in chunks; what is no UTF-8 becomes a separator."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    while chunk := stream.read(CHUNK):
        yield decoder.decode(chunk)
    yield decoder.decode(b"", final=True)


def _records(file: Path, counts: TextCounts) -> Iterator[tuple[int, object]]:
    with _opened(file) as stream:
        number = 0
        while line := stream.readline(LONGEST_LINE):
            number += 1
            cut = len(line) == LONGEST_LINE and not line.endswith(b"\n")
            while cut and (more := stream.readline(LONGEST_LINE)):  # what is left of a line that is too long
                cut = not more.endswith(b"\n")
                line = b"-"
            if not line.strip():
                continue
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError):
                counts.unread += 1


def _cells(file: Path) -> Iterator[tuple[int, object]]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise UsageError(f"{file}: reading Parquet files needs pip install 'mlbench-harness[parquet]'") from error
    number = 0
    try:
        for batch in parquet.ParquetFile(file).iter_batches(batch_size=_BATCH):
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except pa.ArrowException as error:
        raise UsageError(f"{file}: not a Parquet file ({' '.join(str(error).split())[:120]})") from error


def _strings(value: object) -> Iterator[str]:
    """Every text in a record, each by itself; the names of its fields are no texts."""
    todo = [value]
    while todo:
        match todo.pop():
            case str(text):
                yield text
            case dict(fields):
                todo += reversed(list(fields.values()))
            case list(items):
                todo += reversed(items)
