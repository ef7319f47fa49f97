"""Compute success rates, and means over repeats, with their 95 % intervals."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from mlbench.results.statistics import RESAMPLES, SEED, percentiles


@dataclass(frozen=True)
class Mean:
    """A mean with its bootstrap interval over repeats; both bounds are None without repeats."""

    value: float
    low: float | None = None
    high: float | None = None


def mean_over_repeats(groups: Sequence[Sequence[float]]) -> Mean | None:
    """Return the mean of the groups' means with its percentile bootstrap interval.

    Each group's values are resampled. Groups without values do not count; a group with one value adds nothing to the
    width. The same input gives the same interval.

    Args:
        groups: values of each group.

    Returns:
        None if no group has a value.
    """
    counted = [list(group) for group in groups if group]
    if not counted:
        return None
    value = fmean(map(fmean, counted))
    if all(len(group) == 1 for group in counted):
        return Mean(value)
    draw = random.Random(SEED).choices
    drawn = sorted(fmean(fmean(draw(group, k=len(group))) for group in counted) for _ in range(RESAMPLES))
    return Mean(value, *percentiles(drawn))
