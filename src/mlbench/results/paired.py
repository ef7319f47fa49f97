"""Compare two runs over the same rows: exact McNemar for one attempt a row, paired bootstrap for pass@k."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from mlbench.records import Policy, UsageError
from mlbench.results.comparable import refuse_incomparable
from mlbench.results.format import printable
from mlbench.results.group_records import ks_of, tallies
from mlbench.results.models import RunRecord
from mlbench.results.paired_tests import bootstrap_change, mcnemar, newcombe
from mlbench.results.pass_at_k import Tally, unbiased
from mlbench.results.run_labels import label, log_name

LEVEL = 0.05

RowId = int | str
"""A row of a suite, or a sample of another task."""


class PairedTest(StrEnum):
    """How it is judged whether two runs differ."""

    MCNEMAR = "exact McNemar"
    BOOTSTRAP = "paired bootstrap"


@dataclass(frozen=True)
class PairedRate:
    """The difference of two runs in pass@k over the rows that both scored at least k times.

    Attributes:
        first, second: pass@k of each run over these rows, unbiased.
        difference: second - first.
        low, high: its 95 % interval.
        p: of the exact McNemar test; None for the bootstrap.
        only_first, only_second: rows whose estimate is higher in one run.
    """

    k: int
    n: int
    first: float
    second: float
    difference: float
    low: float
    high: float
    test: PairedTest
    p: float | None
    only_first: tuple[RowId, ...]
    only_second: tuple[RowId, ...]

    @property
    def differs(self) -> bool:
        """Whether the runs differ: the interval leaves 0 out and, if there is a test, p is below 0.05."""
        return not self.low <= 0 <= self.high and (self.p is None or self.p < LEVEL)


@dataclass(frozen=True)
class PairedComparison:
    """Two runs over the same rows.

    Attributes:
        first, second: file names of the logs.
        first_model, second_model: what answered.
        setting: of both runs; of two settings, both.
        only_in_first, only_in_second: rows that have a verdict in one run alone; they count nowhere.
    """

    first: str
    second: str
    first_model: str
    second_model: str
    setting: str
    policy: Policy
    rates: tuple[PairedRate, ...]
    only_in_first: tuple[int, ...]
    only_in_second: tuple[int, ...]


def compare(first: RunRecord, second: RunRecord, policy: Policy) -> PairedComparison:
    """Compare two runs row by row, for each k that both have.

    Raises:
        UsageError: the runs cannot be compared, or have no row in common.
    """
    refuse_incomparable([first, second], pairs=True)
    ours, theirs = tallies_by_row(first, policy), tallies_by_row(second, policy)
    shared = sorted(ours.keys() & theirs.keys())
    if not shared:
        raise UsageError(
            f"{log_name(first)} and {log_name(second)} have no row in common that is judged under {policy.value}"
        )
    rates = [paired_rate(ours, theirs, k) for k in ks_of(min(first.each, second.each))]
    return PairedComparison(
        first=log_name(first),
        second=log_name(second),
        first_model=label(first),
        second_model=label(second),
        setting=" and ".join(dict.fromkeys(printable(run.setting) for run in (first, second))),
        policy=policy,
        rates=tuple(rate for rate in rates if rate is not None),
        only_in_first=tuple(sorted(ours.keys() - theirs.keys())),
        only_in_second=tuple(sorted(theirs.keys() - ours.keys())),
    )


def comparisons(runs: Sequence[RunRecord], policy: Policy) -> list[PairedComparison]:
    """Compare two runs; of more, every two of one model and setting, such as a raw model and its tuned ones.

    Args:
        runs: in the order of a table; the later one of a pair is the second.
        policy: decides which answers pass.

    Raises:
        UsageError: no two runs can be compared.
    """
    pairs = [(a, b) for a, b in combinations(runs, 2) if len(runs) == 2 or _alike(a) == _alike(b)]
    if not pairs:
        raise UsageError(
            f"--paired compares two runs, or runs of one model and setting; {len(runs)} were found: name two logs"
        )
    order = {kind: place for place, kind in reversed([*enumerate(map(_alike, runs))])}
    return [compare(*pair, policy) for pair in sorted(pairs, key=lambda pair: order[_alike(pair[0])])]


def _alike(run: RunRecord) -> tuple[str, str, str]:
    return run.answered_by.model if run.answered_by else run.model, run.agent, run.setting


def tallies_by_row(run: RunRecord, policy: Policy) -> Mapping[int, Tally]:
    """The scored attempts of each row with a verdict."""
    rows = sorted({attempt.row for attempt in run.attempts if attempt.verdict(policy) is not None})
    return dict(zip(rows, tallies(run.attempts, policy), strict=True))


def paired_rate(ours: Mapping[int, Tally], theirs: Mapping[int, Tally], k: int) -> PairedRate | None:
    """The difference in pass@k over the rows that both have k times; None if there is none.

    Args:
        ours, theirs: the attempts of each run, by row.
        k: of pass@k.
    """
    rows = [row for row in sorted(ours.keys() & theirs.keys()) if ours[row].n >= k <= theirs[row].n]
    if not rows:
        return None
    before = [unbiased(ours[row].n, ours[row].c, k) for row in rows]
    after = [unbiased(theirs[row].n, theirs[row].c, k) for row in rows]
    return paired_values(rows, before, after, k)


def paired_values(rows: Sequence[RowId], before: Sequence[float], after: Sequence[float], k: int = 1) -> PairedRate:
    """The difference of two runs whose values per row are shares; of values 0 and 1 alone with McNemar's test.

    Args:
        rows: at least one; their order decides the bootstrap.
        before, after: the value of each row in the first and in the second run, from 0 to 1.
        k: of pass@k.
    """
    changes = [new - old for old, new in zip(before, after, strict=True)]
    lost = tuple(row for row, change in zip(rows, changes, strict=True) if change < 0)
    won = tuple(row for row, change in zip(rows, changes, strict=True) if change > 0)
    counts = Counter(zip(before, after, strict=True))
    if set(before) | set(after) <= {0.0, 1.0}:
        both, neither = counts[1.0, 1.0], counts[0.0, 0.0]
        low, high = newcombe(both, len(lost), len(won), neither)
        test, p = PairedTest.MCNEMAR, mcnemar(len(lost), len(won))
    else:
        low, high = bootstrap_change(changes)
        test, p = PairedTest.BOOTSTRAP, None
    n = len(rows)
    first, second = math.fsum(before) / n, math.fsum(after) / n
    return PairedRate(k, n, first, second, math.fsum(changes) / n, low, high, test, p, lost, won)
