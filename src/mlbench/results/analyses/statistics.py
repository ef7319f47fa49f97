"""Describe a suite's rows: samples (table 2), tasks and instructions (table 10)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from mlbench.records import Sample
from mlbench.results.analyses.distances import distinct, edit_distance, words

PAIRS = 2000
"""Pairs of instructions whose distance is measured, within tasks and across tasks."""
TEXTS = 2000
"""Instructions whose n-grams are counted. The share of distinct n-grams falls with their number."""


@dataclass(frozen=True)
class Distances:
    """Mean edit distances over pairs of instructions; None if there are no two."""

    pairs: int
    characters: float | None
    words: float | None


@dataclass(frozen=True)
class Diversity:
    """How varied the instructions of a suite are.

    Attributes:
        tasks: number of different tasks.
        within, across: distances between two instructions of one task, and of two tasks.
        distinct: share of distinct n-grams among `texts` instructions, for n = 1, 2, 3.
    """

    rows: int
    tasks: int
    average_tokens: float
    most_tokens: int
    within: Distances
    across: Distances
    distinct: tuple[float, float, float]
    texts: int


def guessed_task(row: Sample) -> Hashable:
    """Return repository, folder, oracle segment and type, because published rows do not name their task."""
    return (row.github_id, row.path, row.oracle, row.type)


def counts(splits: Mapping[str, Sequence[Sample]], github_id: int, kind: str) -> dict[str, int]:
    """Count the rows of one repository and language by split."""
    return {s: sum(r.github_id == github_id and r.kind == kind for r in rows) for s, rows in splits.items()}


def diversity(
    rows: Sequence[Sample],
    count: Callable[[str], int],
    seed: int,
    task_of: Callable[[Sample], Hashable] = guessed_task,
) -> Diversity:
    """Measure the diversity of rows; distances and n-grams are measured on a random sample.

    Args:
        rows: at least one, each row once.
        count: returns the tokens of a text.
        seed: of the random sample.
        task_of: returns the key of a row's task.
    """
    rng = random.Random(seed)
    tokens = [count(row.instruction) for row in rows]
    tasks: dict[Hashable, list[Sample]] = defaultdict(list)
    for row in rows:
        tasks[task_of(row)].append(row)
    texts = [words(row.instruction) for row in (rng.sample(rows, TEXTS) if len(rows) > TEXTS else rows)]
    return Diversity(
        rows=len(rows),
        tasks=len(tasks),
        average_tokens=fmean(tokens),
        most_tokens=max(tokens),
        within=_distances(_within([each for each in tasks.values() if len(each) > 1], rng)),
        across=_distances(_across(list(tasks.values()), rng)),
        distinct=(distinct(texts, 1), distinct(texts, 2), distinct(texts, 3)),
        texts=len(texts),
    )


_Pairs = list[tuple[Sample, Sample]]


def _within(tasks: list[list[Sample]], rng: random.Random) -> _Pairs:
    """Pairs of instructions of one task; a task is drawn in proportion to its rows."""
    if not tasks:
        return []
    drawn = rng.choices(tasks, weights=[len(task) for task in tasks], k=PAIRS)
    pairs = [rng.sample(task, 2) for task in drawn]
    return [(one, other) for one, other in pairs]


def _across(tasks: list[list[Sample]], rng: random.Random) -> _Pairs:
    if len(tasks) < 2:
        return []
    sizes = [len(task) for task in tasks]
    pairs: _Pairs = []
    for first in rng.choices(range(len(tasks)), weights=sizes, k=PAIRS):
        others = [0 if i == first else size for i, size in enumerate(sizes)]
        (second,) = rng.choices(range(len(tasks)), weights=others)
        pairs.append((rng.choice(tasks[first]), rng.choice(tasks[second])))
    return pairs


def _distances(pairs: _Pairs) -> Distances:
    if not pairs:
        return Distances(0, None, None)
    texts = [(one.instruction, other.instruction) for one, other in pairs]
    return Distances(
        pairs=len(pairs),
        characters=fmean(edit_distance(one, other) for one, other in texts),
        words=fmean(edit_distance(words(one), words(other)) for one, other in texts),
    )
