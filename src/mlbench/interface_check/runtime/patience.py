"""A wall-time limit for busy machines: time spent waiting for a processor does not count."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable

from .processes import contents

BY_CLOCK = "it ran to the wall time limit"  # beginning of the message
LONGEST = 16.0  # times the limit: the hard limit on any machine


class Patience:
    """The time that processes have left.

    Args:
        seconds: the limit.
        pids: the running processes. Their earlier waiting time is ignored.
    """

    def __init__(self, seconds: float, pids: Iterable[int] = ()) -> None:
        self.seconds = seconds
        self._began = time.monotonic()
        self._before = {pid: waited(pid) for pid in pids}

    def watch(self, pid: int) -> None:
        """Add a process that already runs."""
        if pid not in self._before:
            self._before[pid] = waited(pid)

    def left(self, pids: Iterable[int]) -> float:
        """Return the seconds left for these processes; zero or less if the time is up."""
        elapsed = time.monotonic() - self._began
        if elapsed < self.seconds:
            return self.seconds - elapsed
        free = sum(max(0.0, waited(pid) - self._before.get(pid, 0.0)) for pid in pids if pid)
        return min(self.seconds + free, self.seconds * LONGEST) - elapsed


def waited(pid: int) -> float:
    """Seconds that the threads of a process have waited for a processor; 0 if unknown."""
    nanoseconds = 0
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            nanoseconds += int(contents(f"/proc/{pid}/task/{thread}/schedstat").split()[1])
    except (OSError, IndexError, ValueError):
        return nanoseconds / 1e9
    return nanoseconds / 1e9
