"""What becomes of the same rows in another run: oracle to retrieval, a model to an agent, raw to tuned."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from mlbench.judging.error_taxonomy import main_class
from mlbench.records import Policy, UsageError
from mlbench.results.analyses.errors import NO_CLASS, suite_version
from mlbench.results.analyses.tables import Cell, Sheet
from mlbench.results.models import AttemptRecord, RunRecord
from mlbench.results.run_labels import labels

PASS = "pass"


@dataclass(frozen=True)
class Transitions:
    """Attempts that both runs have, by their state in each: `pass`, the main class of error, or `none`.

    Attributes:
        first, second: labels of the runs.
        counts: attempts by (state in the first, state in the second).
        unpaired: attempts with a verdict in only one of the runs.
    """

    first: str
    second: str
    counts: Counter[tuple[str, str]]
    unpaired: int

    @property
    def states(self) -> list[str]:
        found = {state for pair in self.counts for state in pair}
        return sorted(found, key=lambda state: (state != PASS, state == NO_CLASS, state))

    def sheet(self) -> Sheet:
        """The matrix: a row for each state in the first run, a column for each state in the second."""
        states = self.states
        rows: tuple[tuple[Cell, ...], ...] = tuple(
            (one, *(self.counts[one, other] for other in states), sum(self.counts[one, other] for other in states))
            for one in states
        )
        total = tuple(sum(self.counts[one, other] for one in states) for other in states)
        note = f"Rows: {self.first}. Columns: {self.second}. An answer counts once, with its main class. "
        note += f"{self.unpaired:,} answers have a verdict in one run only and are left out."
        return Sheet(
            f"From {self.first} to {self.second}",
            ("from", *(f"to {state}" for state in states), "total"),
            (*rows, ("total", *total, sum(total))),
            note,
        )


def transitions(first: RunRecord, second: RunRecord, policy: Policy) -> Transitions:
    """Pair the attempts of two runs by row and number.

    Raises:
        UsageError: the runs are of different suites or versions, of experiments, or share no row.
    """
    for what, one, other in (
        ("suites", first.suite, second.suite),
        ("versions of the suite", suite_version(first), suite_version(second)),
    ):
        if one != other:
            raise UsageError(
                f"--transitions needs two logs of the same rows; these are of different {what}: {one}, {other}"
            )
    states = [
        {(attempt.row, attempt.number): state for attempt in run.attempts if (state := _state(attempt, policy))}
        for run in (first, second)
    ]
    both = states[0].keys() & states[1].keys()
    if not both:
        raise UsageError("--transitions needs two logs of the same rows; these share none with a verdict in both")
    names = labels([first, second])
    counts = Counter((states[0][key], states[1][key]) for key in both)
    return Transitions(names[0], names[1], counts, len(states[0].keys() ^ states[1].keys()))


def _state(attempt: AttemptRecord, policy: Policy) -> str:
    """Empty without a verdict."""
    verdict = attempt.verdict(policy)
    if verdict is None:
        return ""
    return PASS if verdict.passed else main_class(fault.error_class for fault in attempt.faults) or NO_CLASS
