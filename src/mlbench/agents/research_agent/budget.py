"""What is left of the steps and of the time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

_GRID = 20


@dataclass(frozen=True)
class Left:
    """What a prompt shows."""

    step: int
    of_steps: int
    seconds: int
    of_seconds: int


@dataclass
class Budget:
    """Counts from its making on. `clock` gives seconds."""

    steps: int
    seconds: float
    clock: Callable[[], float] = time.monotonic
    began: float = field(init=False)

    def __post_init__(self) -> None:
        self.began = self.clock()

    @property
    def left(self) -> float:
        return self.seconds - (self.clock() - self.began)

    def shown(self, step: int) -> Left:
        """In twentieths of the time, as long as there are some: so a resumed run meets prompts that were answered."""
        grid = max(1.0, self.seconds / _GRID)
        left = max(0.0, self.left)
        rounded = left // grid * grid if left >= grid else left
        return Left(step, self.steps, int(rounded), int(self.seconds))
