"""Success by the published rule: better than the starter by 5, 10 or 30 %, at the end and at any point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlbench.evals.mlagentbench.problem import SUCCESS
from mlbench.results.mlagentbench.models import Experiment
from mlbench.results.statistics import Rate, share

THRESHOLDS = (0.05, SUCCESS, 0.3)
"""Relative improvements over the starter, of the published figures."""


@dataclass(frozen=True)
class ThresholdRates:
    """Success of started attempts beyond a threshold.

    Attributes:
        threshold: the relative improvement.
        final: of the final submission.
        any_point: of any graded step, the final submission included; None if no attempt's steps were graded.
    """

    threshold: float
    final: Rate
    any_point: Rate | None


def is_published(data: str) -> bool:
    """Return whether a run's data are those of the profile `published`."""
    return data.startswith("published")


def threshold_rates(experiments: Sequence[Experiment]) -> list[ThresholdRates]:
    """Return the success rates of a run's attempts, by threshold."""
    stepwise = any(each.progress for each in experiments)
    rates = []
    for threshold in THRESHOLDS:
        final = sum(_beyond(each, each.score, threshold) for each in experiments)
        best = sum(_beyond(each, each.best(), threshold) for each in experiments)
        whole = len(experiments)
        rates.append(ThresholdRates(threshold, share(final, whole), share(best, whole) if stepwise else None))
    return rates


def _beyond(of: Experiment, score: float | None, threshold: float) -> bool:
    if score is None or of.starter is None:
        return False
    return of.problem.metric.improvement(score, of.starter.mean) > threshold
