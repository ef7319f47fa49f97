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
from mlbench.results.analyses.tables import Cell
from mlbench.results.logs import read_runs
from mlbench.results.models import RunRecord
from mlbench.suites.origins import origin_of
from mlbench.suites.selection import select
from mlbench.suites.suite import load_rows, load_suite

OWN_ROWS = ("full", "id_train", "ood_train")
"""The splits that share no row with each other."""

T = TypeVar("T")


@dataclass(frozen=True)
class RowContext:
    """A row in its split, and the checkout of its repository."""

    split: str
    row: Sample
    repository: str
    folder: Path


def places(suite: str, splits: Sequence[str], limit: int) -> Iterator[RowContext]:
    """Return at most `limit` rows of each split, spread evenly; splits without rows are skipped.

    Args:
        suite: name of the suite.
        splits: splits to read.
        limit: rows per split.

    Raises:
        UsageError: there is no such suite or split, no split has rows, or a repository is not checked out.
    """
    loaded = load_suite(suite)
    held = [split for split in splits if split not in load_rows(suite) or load_rows(suite)[split]]
    if not held:
        raise UsageError(f"suite {loaded.name} has no rows in {', '.join(splits)}")
    for split in held:
        for row in select(suite, split, limit=limit):
            name = loaded.repository_of(row.github_id).name
            yield RowContext(split, row, name, loaded.folder(name))


def selection_of(place: RowContext, suite: str, setting: Setting, context: Context) -> ContextSelection:
    """Return what a model is shown in a setting.

    Args:
        place: the row.
        suite: name of the suite.
        setting: the prompt's setting.
        context: how documents are retrieved.
    """
    return SETTINGS[setting](place.row, place.folder, context, segment_file(place, suite))


def segment_file(place: RowContext, suite: str) -> str | None:
    """Return the file of the oracle segment, if a recipe names it."""
    origin = origin_of(suite, place.row.id)
    return origin.recipe.segment.file if origin else None


def runs_of(suite: str, logs: Sequence[Path]) -> list[RunRecord]:
    """Return the runs of some logs.

    Raises:
        UsageError: a log is of another suite or version, or cannot be read.
    """
    loaded = load_suite(suite)
    runs = read_runs(logs)
    for run in runs:
        if run.suite != loaded.name or not run.version.endswith(f"suite version {loaded.version}"):
            raise UsageError(
                f"{run.location}: a log of {run.suite}, {run.version}; wanted are logs of {loaded.name},"
                f" suite version {loaded.version}"
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
