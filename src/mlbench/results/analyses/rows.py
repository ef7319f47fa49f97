"""Select the rows that an analysis reads, with their repositories and prompts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TypeVar

from mlbench.prompts.context import Context, ContextSelection
from mlbench.prompts.settings import SETTINGS
from mlbench.records import Sample, Setting, UsageError
from mlbench.repositories.oracle_spans import Oracle
from mlbench.results.analyses.tables import Cell
from mlbench.results.logs import read_runs
from mlbench.results.models import RunRecord
from mlbench.suites.selection import select
from mlbench.suites.suite import Suite

OWN_ROWS = ("full", "id_train", "ood_train")
"""The splits that share no row with each other."""

T = TypeVar("T")


@dataclass(frozen=True)
class RowContext:
    """A row in its split, and the checkout of its repository.

    Attributes:
        oracle: the spans of its oracle; None if the suite has no recipes.
        section: the one section that the paper's oracle would be.
    """

    split: str
    row: Sample
    repository: str
    folder: Path
    oracle: Oracle | None
    section: str


def entries(suite: Suite, splits: Sequence[str], limit: int) -> Iterator[RowContext]:
    """Return at most `limit` rows of each split, spread evenly; splits without rows are skipped.

    Args:
        suite: the suite.
        splits: splits to read.
        limit: rows per split.

    Raises:
        UsageError: there is no such split, no split has rows, or a repository is not checked out.
    """
    held = [split for split in splits if split not in suite.splits or suite.splits[split]]
    if not held:
        raise UsageError(f"suite {suite.name} has no rows in {', '.join(splits)}")
    for split in held:
        for row in select(suite, split, limit=limit):
            name, listed = suite.repository_of(row.github_id).name, suite.row(row.id)
            yield RowContext(split, row, name, suite.folder(name), listed.oracle, listed.section)


def selection_of(entry: RowContext, setting: Setting, context: Context) -> ContextSelection:
    """Return what a model is shown in a setting.

    Args:
        entry: the row.
        setting: the prompt's setting.
        context: how documents are retrieved.
    """
    return SETTINGS[setting](entry.row, entry.folder, context, entry.oracle)


def runs_of(suite: Suite, logs: Sequence[Path]) -> list[RunRecord]:
    """Return the runs of some logs, all of this suite in this version.

    Raises:
        UsageError: a log is of another suite or version, or cannot be read.
    """
    runs = read_runs(logs)
    for run in runs:
        if run.suite != suite.name or not run.version.endswith(f"suite version {suite.version}"):
            raise UsageError(
                f"{run.location}: a log of {run.suite}, task version {run.version}; this analysis needs logs of"
                f" {suite.name}, suite version {suite.version}; run `mlbench eval {suite.name}` again"
            )
    return runs


def grouped(items: Iterable[T], key: Callable[[T], str]) -> dict[str, list[T]]:
    """Group items by a name, in order of first occurrence."""
    groups: dict[str, list[T]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return dict(groups)


def mean(values: Iterable[float]) -> Cell:
    """Return the mean; None of no values."""
    found = list(values)
    return fmean(found) if found else None
