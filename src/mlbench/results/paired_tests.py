"""Tests and intervals for paired results: exact McNemar, Newcombe's interval, paired bootstrap. Pure functions."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from mlbench.results.statistics import RESAMPLES, SEED, percentiles, wilson


def mcnemar(lost: int, won: int) -> float:
    """Return the two-sided p of the exact McNemar test: lost and won rows are a fair coin's sides."""
    n, fewer = lost + won, min(lost, won)
    return min(1.0, sum(math.comb(n, i) for i in range(fewer + 1)) / float(2**n) * 2)


def newcombe(both: int, lost: int, won: int, neither: int) -> tuple[float, float]:
    """Return the 95 % interval of a difference of paired shares, second - first (Newcombe 1998, method 10).

    It is not empty if no row changed, as an interval from the changed rows alone would be.

    Args:
        both: rows that pass in both runs.
        lost: rows that pass only in the first.
        won: rows that pass only in the second.
        neither: rows that pass in none.
    """
    n = both + lost + won + neither
    second, first = both + won, both + lost
    low_2, high_2 = wilson(second, n)
    low_1, high_1 = wilson(first, n)
    spread = second * (n - second) * first * (n - first)
    cross = both * neither - lost * won
    if cross > 0:
        cross = int(max(cross - n / 2, 0))
    phi = cross / math.sqrt(spread) if spread else 0.0
    p2, p1 = second / n, first / n
    down, up = p2 - low_2, high_1 - p1
    below = math.sqrt(max(0.0, down**2 - 2 * phi * down * up + up**2))
    down, up = p1 - low_1, high_2 - p2
    above = math.sqrt(max(0.0, up**2 - 2 * phi * down * up + down**2))
    return p2 - p1 - below, p2 - p1 + above


def bootstrap_change(changes: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % percentile interval of the mean change, resampling rows. The same input gives the same."""
    draw = random.Random(SEED).choices
    means = sorted(math.fsum(draw(changes, k=len(changes))) / len(changes) for _ in range(RESAMPLES))
    return percentiles(means)
