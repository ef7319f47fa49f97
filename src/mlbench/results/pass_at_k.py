"""Estimate pass@k from the attempts of samples, with 95 % intervals (Wilson, cluster bootstrap)."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from mlbench.results.statistics import NO_RATE, RESAMPLES, SEED, Interval, Rate, percentiles, wilson

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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


def bootstrap(pairs: Sequence[tuple[int, int]], ks: Sequence[int]) -> dict[int, tuple[float, float]]:
    """Return percentile intervals of the unbiased pass@k, resampling whole samples.

    The same input gives the same interval. All k share their draws. A draw without a sample of k attempts is skipped.

    Args:
        pairs: (n, c) of each sample: attempts and passes.
        ks: the k of pass@k.
    """
    import numpy as np  # a slow import

    # only (n, c) of a sample matters, so each draw is a histogram over the distinct pairs
    kinds = {pair: number for number, pair in enumerate(sorted(set(pairs)))}
    numbers = np.array([kinds[pair] for pair in pairs])
    histograms = np.concatenate([_histograms(part, numbers, len(kinds)) for part in _draws(len(pairs))])
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


def _draws(size: int) -> Iterable[NDArray[np.int64]]:
    """Return the draws in blocks; those of a usual split are kept, as every run and group of this size has them."""
    return _kept_draws(size) if size * RESAMPLES <= _BLOCK else _new_draws(size)


@lru_cache(maxsize=16)
def _kept_draws(size: int) -> tuple[NDArray[np.int64], ...]:
    return tuple(_new_draws(size))


def _new_draws(size: int) -> Iterator[NDArray[np.int64]]:
    """Yield the draws of `random.Random(SEED).choices`, many at once: NumPy has the same generator."""
    import numpy as np

    _, state, _ = random.Random(SEED).getstate()
    generator = np.random.RandomState()
    generator.set_state(("MT19937", np.array(state[:-1], dtype=np.uint32), state[-1], 0, 0.0))
    block = max(1, _BLOCK // size)
    for start in range(0, RESAMPLES, block):
        yield (generator.random_sample((min(block, RESAMPLES - start), size)) * size).astype(np.int64)


def _histograms(draws: NDArray[np.int64], numbers: NDArray[np.int64], kinds: int) -> NDArray[np.int64]:
    """Count for each draw how often it has each kind of sample."""
    import numpy as np

    rows = np.arange(len(draws))[:, None] * kinds
    return np.bincount((numbers[draws] + rows).ravel(), minlength=len(draws) * kinds).reshape(len(draws), kinds)
