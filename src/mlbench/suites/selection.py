"""Which rows, and which attempts at them, a run is about."""

from __future__ import annotations

from dataclasses import dataclass

from mlbench.records import Sample, UsageError
from mlbench.suites.suite import known_split, load_suite, plan_suite


@dataclass(frozen=True)
class SelectionAttempt:
    """A row that is to be answered; with a `reply` where the answer was made elsewhere (attempts count from 1)."""

    sample: Sample
    number: int | None = None
    reply: str | None = None


def select(suite: str, split: str, *, repo: str | None = None, limit: int | None = None) -> list[Sample]:
    """The rows of a split; of one repository only; at most `limit`, spread evenly so that every part is seen.

    Raises:
        UsageError: an unknown suite, split or repository, or a limit below 1.
    """
    known_split(split)
    if limit is not None and limit < 1:
        raise UsageError(f"--limit {limit}: at least 1 is needed")
    if repo is not None:
        load_suite(suite).repository(repo)
    rows = plan_suite(suite)[split]
    if not rows:
        raise UsageError(f"split {split} of {suite} has no rows")
    if repo is not None:
        github_id = load_suite(suite).repository(repo).github_id
        rows = [row for row in rows if row.github_id == github_id]
        if not rows:
            raise UsageError(f"split {split} of {suite} has no rows of {repo}")
    if limit is not None and limit < len(rows):
        rows = [rows[i * len(rows) // limit] for i in range(limit)]
    return [row.sample for row in rows]
