"""Selects the rows of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from mlbench.records import Sample, UsageError
from mlbench.suites.shards import Shard
from mlbench.suites.suite import Suite, known_split

_Row = TypeVar("_Row")


@dataclass(frozen=True)
class SelectionAttempt:
    """A row to answer; an answer made elsewhere has its `reply` and `number` (from 1).

    Attributes:
        seconds: the active time that a person took for the reply; None if no person gave it.
    """

    sample: Sample
    number: int | None = None
    reply: str | None = None
    seconds: float | None = None


def select(
    suite: Suite, split: str, *, repo: str | None = None, limit: int | None = None, shard: str | None = None
) -> list[Sample]:
    """The rows of a split, spread evenly over it if there is a limit.

    Args:
        suite: the suite.
        split: one of its splits.
        repo: only rows of this repository.
        limit: at most this many rows.
        shard: only this part of them, such as `3/8`.

    Raises:
        UsageError: an unknown split, repository or shard, no rows, a limit below 1, or a repository is not
            fetched yet.
    """
    known_split(split)
    if limit is not None and limit < 1:
        raise UsageError(f"--limit {limit}: at least 1 is needed")
    github_id = None if repo is None else suite.repository(repo).github_id
    if suite.rows is None:
        suite.refuse_absent((repo,) if repo else ())
    rows = suite.splits[split]
    if not rows:
        raise UsageError(f"split {split} of {suite.name} has no rows; `mlbench suites show {suite.name}` has the sizes")
    if github_id is not None:
        rows = [row for row in rows if row.github_id == github_id]
        if not rows:
            raise UsageError(
                f"split {split} of {suite.name} has no rows of {repo}; `mlbench suites show {suite.name}` has the sizes"
            )
    chosen = {row.sample.id: row.sample for row in spread(rows, limit)}
    return [chosen[id] for id in (Shard.parse(shard).part_of(list(chosen)) if shard else chosen)]


def shard_of(attempts: Sequence[SelectionAttempt], shard: str | None) -> list[SelectionAttempt]:
    """Return the attempts at the rows of one shard; all of them without one.

    Args:
        attempts: answers made elsewhere.
        shard: such as `3/8`.

    Raises:
        UsageError: there is no such shard, or there are fewer rows than shards.
    """
    if shard is None:
        return list(attempts)
    own = set(Shard.parse(shard).part_of([attempt.sample.id for attempt in attempts]))
    return [attempt for attempt in attempts if attempt.sample.id in own]


def spread(rows: Sequence[_Row], limit: int | None) -> list[_Row]:
    """Return at most `limit` rows, spread evenly and in their order; those of a lower limit are among them."""
    if limit is None or limit >= len(rows):
        return list(rows)
    places: dict[int, None] = {}
    for fraction in _halves():
        places[int(fraction * len(rows))] = None
        if len(places) == limit:
            break
    return [rows[place] for place in sorted(places)]


def _halves() -> Iterator[float]:
    """Yield 0, 1/2, 1/4, 3/4, 1/8, 5/8, …: the van der Corput sequence, whose every beginning is spread evenly."""
    yield 0.0
    parts, fractions = 1, [0.0]
    while True:
        parts *= 2
        later = [fraction + 1 / parts for fraction in fractions]
        yield from later
        fractions += later
