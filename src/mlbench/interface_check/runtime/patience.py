"""A bound on wall time that a busy machine does not use up: the time that a process waited for a processor is free."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

BY_CLOCK = "it ran to the wall time limit"  # how the message starts
LONGEST = 4.0  # times the bound, after which it holds on any machine


class Patience:
    """How long processes may still take.

    Args:
        seconds: the bound.
        pids: the processes that run already; what they waited for before does not count.
    """

    def __init__(self, seconds: float, pids: Iterable[int] = ()) -> None:
        self.seconds = seconds
        self._began = time.monotonic()
        self._before = {pid: waited(pid) for pid in pids}

    def watch(self, pid: int) -> None:
        """A further process, which runs already."""
        self._before.setdefault(pid, waited(pid))

    def left(self, pids: Iterable[int]) -> float:
        """The seconds left, zero or less if there are none; `pids` are the processes that it is for."""
        elapsed = time.monotonic() - self._began
        if elapsed < self.seconds:
            return self.seconds - elapsed
        free = sum(max(0.0, waited(pid) - self._before.get(pid, 0.0)) for pid in pids if pid)
        return min(self.seconds + free, self.seconds * LONGEST) - elapsed


def waited(pid: int) -> float:
    """The seconds that the threads of a process have been ready to run and had no processor; 0 if nobody knows."""
    nanoseconds = 0
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/schedstat", "rb") as file:
                nanoseconds += int(file.read().split()[1])
    except (OSError, IndexError, ValueError):
        return nanoseconds / 1e9
    return nanoseconds / 1e9
