"""Selects the rows of a run."""

from __future__ import annotations

from dataclasses import dataclass

from mlbench.records import Sample, UsageError
from mlbench.suites.suite import Suite, known_split


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


def select(suite: Suite, split: str, *, repo: str | None = None, limit: int | None = None) -> list[Sample]:
    """The rows of a split, spread evenly over it if there is a limit.

    Args:
        suite: the suite.
        split: one of its splits.
        repo: only rows of this repository.
        limit: at most this many rows.

    Raises:
        UsageError: an unknown split or repository, no rows, a limit below 1, or a repository is not fetched yet.
    """
    known_split(split)
    if limit is not None and limit < 1:
        raise UsageError(f"--limit {limit}: at least 1 is needed")
    github_id = None if repo is None else suite.repository(repo).github_id
    if suite.rows is None:
        suite.refuse_absent((repo,) if repo else ())
    rows = suite.splits[split]
    if not rows:
        raise UsageError(f"split {split} of {suite.name} has no rows")
    if github_id is not None:
        rows = [row for row in rows if row.github_id == github_id]
        if not rows:
            raise UsageError(f"split {split} of {suite.name} has no rows of {repo}")
    if limit is not None and limit < len(rows):
        rows = [rows[i * len(rows) // limit] for i in range(limit)]
    return [row.sample for row in rows]
