"""Shards: the parts of one run that different machines do."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from mlbench.records import UsageError
from mlbench.source_digest import source_digest

_Row = TypeVar("_Row", bound=Hashable)

SHARD = "shard"
"""Key in a log's metadata: the index of the run's shard, their number, and the digests of code and input."""


@dataclass(frozen=True)
class Shard:
    """One of the parts of a run.

    Attributes:
        index: counts from 1.
        of: the number of shards.
    """

    index: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read `3/8`, as the argument `shard` of a task has it.

        Raises:
            UsageError: it is no such text, or there is no such shard.
        """
        index, slash, of = text.partition("/")
        if not slash or not (index.isdecimal() and of.isdecimal()):
            raise UsageError(f"shard {text!r}: write it as 3/8, the third of eight")
        return cls.of_options(int(of), int(index))

    @classmethod
    def of_options(cls, shards: int, shard: int) -> Shard:
        """Return the shard that `--shards` and `--shard` name.

        Raises:
            UsageError: there is no such shard.
        """
        if shards < 1 or not 1 <= shard <= shards:
            raise UsageError(f"--shards {shards} --shard {shard}: shards are numbered from 1 to --shards")
        return cls(shard, shards)

    def __str__(self) -> str:
        return f"{self.index}/{self.of}"

    def part_of(self, rows: Sequence[_Row]) -> list[_Row]:
        """Return every `of`-th row, so that each shard has its share of every repository.

        Equal rows stay together: the attempts at one row belong to one shard.

        Raises:
            UsageError: there are fewer rows than shards.
        """
        distinct = list(dict.fromkeys(rows))
        if len(distinct) < self.of:
            raise UsageError(f"--shards {self.of}: there are only {len(distinct)} rows or problems to share")
        chosen = set(distinct[self.index - 1 :: self.of])
        return [row for row in rows if row in chosen]

    def log_metadata(self, given: Path | None = None) -> dict[str, object]:
        """Return what a log says about its shard, so that shards of different runs are not merged.

        Args:
            given: the file of answers that is shared among the shards, if there is one.
        """
        return {
            "index": self.index,
            "of": self.of,
            "code": source_digest(),
            "input": file_digest(given) if given else "",
        }


def file_digest(file: Path) -> str:
    """Return the SHA-256 of a file of answers."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def shard_metadata(shard: str | None, given: Path | None = None) -> dict[str, object]:
    """Return the metadata of a log that is a shard's; empty if it is none.

    Args:
        shard: the argument of the task.
        given: see `Shard.log_metadata`.

    Raises:
        UsageError: there is no such shard.
    """
    return {SHARD: Shard.parse(shard).log_metadata(given)} if shard else {}
