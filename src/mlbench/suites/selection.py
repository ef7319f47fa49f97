"""Which rows, and which attempts at them, a run is about."""

from __future__ import annotations

from dataclasses import dataclass

from mlbench.records import Sample, UsageError
from mlbench.suites.suite import Suite, known_split


@dataclass(frozen=True)
class SelectionAttempt:
    """A row that is to be answered; with a `reply` where the answer was made elsewhere (attempts count from 1)."""

    sample: Sample
    number: int | None = None
    reply: str | None = None


def select(suite: Suite, split: str, *, repo: str | None = None, limit: int | None = None) -> list[Sample]:
    """The rows of a split; of one repository only; at most `limit`, spread evenly so that every part is seen.

    Raises:
        UsageError: an unknown suite, split or repository, or a limit below 1.
    """
    known_split(split)
    if limit is not None and limit < 1:
        raise UsageError(f"--limit {limit}: at least 1 is needed")
    github_id = None if repo is None else suite.repository(repo).github_id
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
