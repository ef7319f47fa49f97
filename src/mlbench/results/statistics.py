"""Shares with their 95 % intervals. Pure functions of counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    pass

Z = 1.959963984540054
"""Two-sided 95 %."""

RESAMPLES = 2000
SEED = 20240611


class Interval(StrEnum):
    """How a 95 % interval was made."""

    WILSON = "Wilson"
    BOOTSTRAP = "cluster bootstrap"
    NONE = "none"


class ValueWithBounds(Protocol):
    """A value with the bounds of its interval; they are None if there is none."""

    @property
    def value(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


class BoundedValue(ValueWithBounds, Protocol):
    """A value with its interval: a `Rate`, or a record of one."""

    @property
    def interval(self) -> Interval: ...


@dataclass(frozen=True)
class Rate:
    """A share between 0 and 1 with its 95 % interval; all None if nothing was counted."""

    value: float | None
    low: float | None
    high: float | None
    interval: Interval
    samples: int


NO_RATE = Rate(None, None, None, Interval.NONE, 0)


def share(part: int, whole: int) -> Rate:
    """Return a share with Wilson's interval; all None if the whole is 0."""
    return Rate(part / whole, *wilson(part, whole), Interval.WILSON, whole) if whole else NO_RATE


def wilson(passed: int, total: int) -> tuple[float, float]:
    """Return the 95 % score interval of a binomial share (Wilson 1927).

    Raises:
        ValueError: unless 0 <= passed <= total and total > 0.
    """
    if not 0 <= passed <= total or total == 0:
        raise ValueError(f"no share of {passed} in {total}")
    share, z2 = passed / total, Z * Z
    centre = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = Z / (1 + z2 / total) * math.sqrt(share * (1 - share) / total + z2 / (4 * total * total))
    return (0.0 if passed == 0 else centre - half), (1.0 if passed == total else centre + half)


def percentiles(values: Sequence[float]) -> tuple[float, float]:
    """Return the 2.5th and the 97.5th percentile of sorted values."""
    last = len(values) - 1
    return values[round(0.025 * last)], values[round(0.975 * last)]
