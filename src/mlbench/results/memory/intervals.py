"""Differences of means with 95 % intervals, by resampling whole clusters of rows. Pure functions."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from mlbench.results.statistics import RESAMPLES, SEED, percentiles

Cluster = tuple[float, int]
"""The sum of the values of some rows that belong together, and how many rows they are."""


@dataclass(frozen=True)
class MeanDifference:
    """A difference of two means, with its 95 % interval; no interval if there is nothing to resample.

    Attributes:
        n: rows, or pairs of rows.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int

    @property
    def holds_zero(self) -> bool | None:
        """Whether the interval holds 0, so that no difference is shown; None without an interval."""
        if self.low is None or self.high is None:
            return None
        return self.low <= 0 <= self.high


def mean_difference(
    pairs: Sequence[tuple[float, float]], resamples: int = RESAMPLES, seed: int = SEED
) -> MeanDifference:
    """The mean of first − second over pairs, with a percentile bootstrap over the pairs.

    There is no interval if all pairs differ by the same amount. For pass rates see `results/paired.py`.

    Args:
        pairs: two values of one row.
        resamples: number of draws.
        seed: of the random generator.
    """
    gaps = [first - second for first, second in pairs]
    if not gaps:
        return MeanDifference(None, None, None, 0)
    mean, n = math.fsum(gaps) / len(gaps), len(gaps)
    if len(set(gaps)) == 1:
        return MeanDifference(mean, None, None, n)
    draw = random.Random(seed).choices
    low, high = percentiles(sorted(math.fsum(draw(gaps, k=n)) / n for _ in range(resamples)))
    return MeanDifference(mean, low, high, n)


def cluster_difference(ours: Sequence[Cluster], theirs: Sequence[Cluster]) -> MeanDifference:
    """The mean over the rows of `ours` − that of `theirs`, with a bootstrap over whole clusters of each side.

    There is no interval if a side has fewer than two clusters.

    Args:
        ours, theirs: the clusters of each side.
    """
    n = sum(count for _, count in (*ours, *theirs))
    if not ours or not theirs:
        return MeanDifference(None, None, None, n)
    value = _mean(ours) - _mean(theirs)
    if min(len(ours), len(theirs)) < 2:
        return MeanDifference(value, None, None, n)
    draw = random.Random(SEED).choices
    drawn = sorted(_mean(draw(ours, k=len(ours))) - _mean(draw(theirs, k=len(theirs))) for _ in range(RESAMPLES))
    low, high = percentiles(drawn)
    return MeanDifference(value, low, high, n)


def _mean(clusters: Sequence[Cluster]) -> float:
    return math.fsum(total for total, _ in clusters) / sum(count for _, count in clusters)
