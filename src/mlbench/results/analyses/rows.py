"""The rows that an analysis looks at, each with its repository and with what a setting shows of that."""

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
from mlbench.suites.selection import select
from mlbench.suites.suite import load_suite

OWN_ROWS = ("full", "id_train", "ood_train")
"""The splits that share no row."""

T = TypeVar("T")


@dataclass(frozen=True)
class RowContext:
    """A row in its split, and the checkout of its repository."""

    split: str
    row: Sample
    repository: str
    folder: Path


def places(suite: str, splits: Sequence[str], limit: int) -> Iterator[RowContext]:
    """At most `limit` rows of each split, spread evenly over it; splits without rows are passed over.

    Raises:
        UsageError: there is no such suite or split, none of the splits has rows, or a repository is not here.
    """
    loaded = load_suite(suite)
    held = [split for split in splits if split not in loaded.splits or loaded.splits[split]]
    if not held:
        raise UsageError(f"suite {loaded.name} has no rows in {', '.join(splits)}")
    for split in held:
        for row in select(loaded, split, limit=limit):
            name = loaded.repository_of(row.github_id).name
            yield RowContext(split, row, name, loaded.folder(name))


def selection_of(place: RowContext, suite: str, setting: Setting, context: Context) -> ContextSelection:
    """What a model is shown in a setting."""
    return SETTINGS[setting](place.row, place.folder, context, segment_file(place, suite))


def segment_file(place: RowContext, suite: str) -> str | None:
    """Where the oracle segment stands, if a recipe says so."""
    origin = load_suite(suite).row(place.row.id).origin
    return origin.recipe.segment.file if origin else None


def runs_of(suite: str, logs: Sequence[Path]) -> list[RunRecord]:
    """The runs of some logs, all of this suite in this version.

    Raises:
        UsageError: a log is of another suite or version, or as `read_runs` says.
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
    """Items by a name, in the order in which names first come."""
    groups: dict[str, list[T]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return dict(groups)


def mean(values: Iterable[float]) -> Cell:
    """The mean; no figure of no values."""
    found = list(values)
    return fmean(found) if found else None
