"""The remaining steps and time of the research agent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

_GRID = 20


@dataclass(frozen=True)
class Remaining:
    """The steps and seconds that a prompt shows."""

    step: int
    of_steps: int
    seconds: int
    of_seconds: int


@dataclass(frozen=True)
class ResearchBudget:
    """The agent's limits.

    Attributes:
        steps: the most replies of the model.
        seconds: the most working time.
        used: returns the seconds used so far; after a resume, those that the steps took when they were first done.
    """

    steps: int
    seconds: float
    used: Callable[[], float]

    @property
    def left(self) -> float:
        """The remaining seconds; negative if the time is over."""
        return self.seconds - self.used()

    def shown(self, step: int) -> Remaining:
        """Return what the prompt of a step shows; the time is rounded to twentieths."""
        grid = max(1.0, self.seconds / _GRID)
        left = max(0.0, self.left)
        rounded = left // grid * grid if left >= grid else left
        return Remaining(step, self.steps, int(rounded), int(self.seconds))
