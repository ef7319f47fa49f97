"""The scale of a problem's scores: 0 is a predictor that looks at nothing, 1 the floor, which nobody beats by work."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mlbench.evals.mlagentbench.problem import ProblemMetric

CHANCE = 0.03
"""How far beyond the floor a score may lie by chance, on the scale."""


@dataclass(frozen=True)
class ScoreScale:
    """Both ends of the scale, measured on the same data as the submission.

    Attributes:
        trivial: the score of a predictor that looks at nothing; if speed is measured, the starter's.
        floor: the score of one who knows the rule behind the data; if speed is measured, of a program that only reads
            its inputs and writes an output.
    """

    metric: ProblemMetric
    trivial: float
    floor: float

    def position(self, score: float) -> float:
        """Return where a score lies between trivial (0) and floor (1). Times and perplexities are compared by ratio."""
        ends = (score, self.trivial, self.floor)
        at, low, high = (math.log(max(end, 1e-9)) for end in ends) if self.metric.by_ratio else ends
        return (at - low) / (high - low)

    def is_suspect(self, score: float) -> bool:
        """Return whether a score is too good to be true: beyond the floor by more than chance allows.

        If a perfect score is near, the bound lies halfway between it and the floor.
        """
        bound = 1 + CHANCE
        if self.metric.perfect is not None and self.metric.unit != "seconds":
            bound = min(bound, (1 + self.position(self.metric.perfect)) / 2)
        return self.position(score) > bound


def scale_of(metric: ProblemMetric, trivial: float | None, floor: float | None) -> ScoreScale | None:
    """Return the scale between two scores; None if one is unknown, or the floor is not better."""
    if trivial is None or floor is None or metric.improvement(floor, trivial) <= 0:
        return None
    return ScoreScale(metric, trivial, floor)
