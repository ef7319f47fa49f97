"""Compute pass@k and 95 % intervals (Wilson, cluster bootstrap). Pure functions of counts."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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


@dataclass(frozen=True)
class Tally:
    """One sample under one policy: whether each scored attempt passed, in order."""

    passes: tuple[bool, ...]

    @property
    def n(self) -> int:
        return len(self.passes)

    @property
    def c(self) -> int:
        return sum(self.passes)


def unbiased(n: int, c: int, k: int) -> float:
    """Estimate pass@k from c passes in n attempts: 1 - C(n-c, k) / C(n, k) (Chen et al. 2021).

    Raises:
        ValueError: unless 1 <= k <= n and 0 <= c <= n.
    """
    if not (1 <= k <= n and 0 <= c <= n):
        raise ValueError(f"pass@{k} of {c} passes in {n} attempts is not defined")
    return 1.0 - math.comb(n - c, k) / math.comb(n, k)


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


def any_of_first(tallies: Sequence[Tally], k: int) -> Rate:
    """Return the share of samples with a pass among their first k scored attempts.

    This is the paper's pass@k. Each sample is one outcome, so the interval is Wilson's.
    """
    counted = [tally for tally in tallies if tally.n >= k]
    if not counted:
        return NO_RATE
    passed = sum(any(tally.passes[:k]) for tally in counted)
    return Rate(passed / len(counted), *wilson(passed, len(counted)), Interval.WILSON, len(counted))


def estimated(tallies: Sequence[Tally], ks: Sequence[int]) -> dict[int, Rate]:
    """Return the unbiased pass@k: for each k, the mean over samples with k scored attempts.

    The interval is Wilson's if every sample counts as 0 or 1, else the cluster bootstrap over samples. There is no
    bootstrap interval if all samples have the same estimate.
    """
    pairs = [(tally.n, tally.c) for tally in tallies]
    whole = {k: _whole(pairs, k) for k in ks}
    drawn = bootstrap(pairs, [k for k in ks if not whole[k]]) if not all(whole.values()) else {}
    rates = {}
    for k in ks:
        counted = [unbiased(n, c, k) for n, c in pairs if n >= k]
        if not counted:
            rates[k] = NO_RATE
            continue
        mean = math.fsum(counted) / len(counted)
        low, high = wilson(round(sum(counted)), len(counted)) if whole[k] else drawn[k]
        if not whole[k] and low == high:
            rates[k] = Rate(mean, None, None, Interval.NONE, len(counted))
            continue
        rates[k] = Rate(mean, low, high, Interval.WILSON if whole[k] else Interval.BOOTSTRAP, len(counted))
    return rates


def _whole(pairs: Sequence[tuple[int, int]], k: int) -> bool:
    return all(unbiased(n, c, k) in (0.0, 1.0) for n, c in pairs if n >= k)


def bootstrap(
    pairs: Sequence[tuple[int, int]], ks: Sequence[int], resamples: int = RESAMPLES, seed: int = SEED
) -> dict[int, tuple[float, float]]:
    """Return percentile intervals of the unbiased pass@k, resampling whole samples.

    The same input gives the same interval. All k share their draws. A draw without a sample of k attempts is skipped.

    Args:
        pairs: (n, c) of each sample: attempts and passes.
        ks: the k of pass@k.
        resamples: number of draws.
        seed: of the random generator.
    """
    import numpy as np  # a slow import

    # only (n, c) of a sample matters, so each draw is a histogram over the distinct pairs
    kinds = {pair: number for number, pair in enumerate(sorted(set(pairs)))}
    numbers = np.array([kinds[pair] for pair in pairs])
    histograms = np.concatenate(
        [_histograms(part, numbers, len(kinds)) for part in _draws(len(pairs), resamples, seed)]
    )
    found = {}
    for k in ks:
        counted = [number for pair, number in kinds.items() if pair[0] >= k]
        worth = np.array([unbiased(n, c, k) for n, c in kinds if n >= k])
        samples = histograms[:, counted].sum(axis=1)
        drawn = samples > 0
        means = (histograms[drawn][:, counted] @ worth) / samples[drawn]
        found[k] = percentiles(np.sort(means).tolist())
    return found


_BLOCK = 2_000_000
"""Numbers that are drawn at once, so that memory does not grow with the samples."""


def _draws(size: int, resamples: int, seed: int) -> Iterable[NDArray[np.int64]]:
    """Return the draws in blocks; those of a usual split are kept, as every run and group of this size has them."""
    return _kept_draws(size, resamples, seed) if size * resamples <= _BLOCK else _new_draws(size, resamples, seed)


@lru_cache(maxsize=16)
def _kept_draws(size: int, resamples: int, seed: int) -> tuple[NDArray[np.int64], ...]:
    return tuple(_new_draws(size, resamples, seed))


def _new_draws(size: int, resamples: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """Yield the draws of `random.Random(seed).choices`, many at once: NumPy has the same generator."""
    import numpy as np

    _, state, _ = random.Random(seed).getstate()
    generator = np.random.RandomState()
    generator.set_state(("MT19937", np.array(state[:-1], dtype=np.uint32), state[-1], 0, 0.0))
    block = max(1, _BLOCK // size)
    for start in range(0, resamples, block):
        yield (generator.random_sample((min(block, resamples - start), size)) * size).astype(np.int64)


def _histograms(draws: NDArray[np.int64], numbers: NDArray[np.int64], kinds: int) -> NDArray[np.int64]:
    """Count for each draw how often it has each kind of sample."""
    import numpy as np

    rows = np.arange(len(draws))[:, None] * kinds
    return np.bincount((numbers[draws] + rows).ravel(), minlength=len(draws) * kinds).reshape(len(draws), kinds)


def percentiles(values: Sequence[float]) -> tuple[float, float]:
    """Return the 2.5th and the 97.5th percentile of sorted values."""
    last = len(values) - 1
    return values[round(0.025 * last)], values[round(0.975 * last)]
