"""What the rows of `ml-bench` are worth: figures of the data set itself, each made by one function of `FIGURES`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from statistics import median

from benchmarks import variety
from benchmarks.record import Figure, record
from mlbench.records import Completeness
from mlbench.suites.leaks import leaks
from mlbench.suites.suite import Suite, load_suite

SUITE = "ml-bench"


def completeness(suite: Suite) -> Iterator[Figure]:
    """The share of test rows whose oracle shows all that the reference needs, and how long an oracle is."""
    rows = suite.splits["full"]
    complete = sum(row.completeness is Completeness.COMPLETE for row in rows)
    yield Figure("oracle complete, rows of full", 100 * complete / len(rows), 90, "%", at_most=False)
    lines = [sum(span.text.count("\n") for span in row.oracle.spans) for row in rows if row.oracle]
    spans = [len(row.oracle.spans) for row in rows if row.oracle]
    yield Figure("lines of an oracle, median", median(lines), None, "lines")
    yield Figure("spans of an oracle, median", median(spans), None, "spans")


def varied(suite: Suite) -> Iterator[Figure]:
    """How varied the training instructions are, held against table 10 of the paper."""
    for split in ("id_train", "ood_train"):
        found = variety.figures([row.sample for row in suite.splits[split]])
        for name in ("mean_tokens", "distance_within", "distance_across"):
            figure = f"{split}: {name.replace('_', ' ')}"
            yield Figure(figure, found[name], variety.PAPER[name], "", at_most=False)
        yield Figure(f"{split}: word types", found["word_types"], None, "")
        yield Figure(f"{split}: rows with a neighbour at least 90 % alike", 100 * found["nearest_alike"], 5, "%")
    test = [row.sample for row in suite.splits["full"]]
    train = [row.sample for split in ("id_train", "ood_train") for row in suite.splits[split]]
    yield Figure("test rows that a training row repeats with other numbers", sum(1 for _ in leaks(test, train)), 0, "")


FIGURES: list[Callable[[Suite], Iterator[Figure]]] = [completeness, varied]
"""Each yields figures of a suite."""


def main() -> bool:
    suite = load_suite(SUITE)
    return record("dataset", [figure for figures in FIGURES for figure in figures(suite)])


if __name__ == "__main__":
    sys.exit(not main())
