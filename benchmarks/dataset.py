"""What the rows of `ml-bench` are worth: figures of the data set itself, each made by one function of `FIGURES`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from statistics import median

from benchmarks.record import Figure, record
from mlbench.records import Completeness
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


FIGURES: list[Callable[[Suite], Iterator[Figure]]] = [completeness]
"""Each yields figures of a suite."""


def main() -> bool:
    suite = load_suite(SUITE)
    return record("dataset", [figure for figures in FIGURES for figure in figures(suite)])


if __name__ == "__main__":
    sys.exit(not main())
