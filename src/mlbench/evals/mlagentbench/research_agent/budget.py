"""What is left of the steps and of the time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

_GRID = 20


@dataclass(frozen=True)
class Remaining:
    """What a prompt shows."""

    step: int
    of_steps: int
    seconds: int
    of_seconds: int


@dataclass(frozen=True)
class ResearchBudget:
    """`used` says the seconds that are gone: of a resumed run those that its steps took when they were first done."""

    steps: int
    seconds: float
    used: Callable[[], float]

    @property
    def left(self) -> float:
        return self.seconds - self.used()

    def shown(self, step: int) -> Remaining:
        """In twentieths of the time, as long as there are some: nobody plans by less."""
        grid = max(1.0, self.seconds / _GRID)
        left = max(0.0, self.left)
        rounded = left // grid * grid if left >= grid else left
        return Remaining(step, self.steps, int(rounded), int(self.seconds))
