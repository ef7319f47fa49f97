"""Shares of attempts, and means over repeats, with their 95 % intervals."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from mlbench.results.statistics import NO_RATE, RESAMPLES, SEED, Interval, Rate, wilson


@dataclass(frozen=True)
class Mean:
    """A mean with the interval of the bootstrap over repeats; `low` and `high` are None where nothing was repeated."""

    value: float
    low: float | None = None
    high: float | None = None


def share(part: int, whole: int) -> Rate:
    """A share of attempts with Wilson's interval; none of nothing."""
    return Rate(part / whole, *wilson(part, whole), Interval.WILSON, whole) if whole else NO_RATE


def mean_over_repeats(groups: Sequence[Sequence[float]], resamples: int = RESAMPLES, seed: int = SEED) -> Mean | None:
    """The mean of the groups' means, and percentiles of it when each group's values are drawn again, with replacement.

    Groups without values do not count; one with a single value adds nothing to the width. The same input gives the
    same interval. None where no group has a value.
    """
    counted = [list(group) for group in groups if group]
    if not counted:
        return None
    value = fmean(map(fmean, counted))
    if all(len(group) == 1 for group in counted):
        return Mean(value)
    draw = random.Random(seed).choices
    drawn = sorted(fmean(fmean(draw(group, k=len(group))) for group in counted) for _ in range(resamples))
    return Mean(value, drawn[round(0.025 * (resamples - 1))], drawn[round(0.975 * (resamples - 1))])
