"""Limits of memory and processes by a kernel control group, if this user may create one."""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mlbench.sandbox.limits import Limits

ROOT = Path("/sys/fs/cgroup")
_OWN_PROCESSES = 3  # launcher, bwrap and init process are in the group, too
_serial = itertools.count(1)


@dataclass(frozen=True)
class ControlGroup:
    """A control group of version 2, or a memory group and a pids group of version 1. An `Enforcer`."""

    groups: list[Path]
    oom_file: Path

    @classmethod
    def create(cls, limits: Limits) -> ControlGroup | None:
        """Create a group; None if this user cannot."""
        name = f"mlbench-{os.getpid()}-{next(_serial)}"
        groups = [parent / name for parent in _parents()]
        made = cls(groups, groups[0] / ("memory.events" if len(groups) == 1 else "memory.oom_control"))
        try:
            for group in groups:
                group.mkdir()
        except OSError:
            made.close()
            return None
        if not made.adapt(limits):
            made.close()
            return None
        return made

    def adapt(self, limits: Limits) -> bool:
        memory, pids = self.groups[0], self.groups[-1]
        try:
            if memory == pids:
                (memory / "memory.max").write_text(str(limits.memory))
            else:
                with contextlib.suppress(OSError):  # to raise the limit, the swap limit has to be raised first
                    (memory / "memory.memsw.limit_in_bytes").write_text(str(limits.memory))
                (memory / "memory.limit_in_bytes").write_text(str(limits.memory))
            (pids / "pids.max").write_text(str(limits.processes + _OWN_PROCESSES))
        except OSError:
            return False
        for swap in ("memory.swap.max", "memory.memsw.limit_in_bytes"):
            with contextlib.suppress(OSError):  # not every kernel accounts for swap
                file = memory / swap
                if file.exists():
                    file.write_text("0" if swap.startswith("memory.swap") else str(limits.memory))
        return True

    def join(self, pid: int) -> None:
        for group in self.groups:
            (group / "cgroup.procs").write_text(str(pid))

    def watch(self, pid: int, clear: Callable[[], None]) -> None:
        pass

    def unwatch(self) -> None:
        pass

    def memory_kills(self) -> int:
        with contextlib.suppress(OSError):
            for line in self.oom_file.read_text().splitlines():
                if line.startswith("oom_kill "):
                    return int(line.split()[1])
        return 0

    def close(self) -> None:
        for group in self.groups:
            _remove(group, attempts=200)  # its last process may still be ending


def sweep() -> None:
    """Remove the empty control groups that killed runs left behind."""
    for parent in _parents():
        for group in parent.glob("mlbench-*"):
            if not Path("/proc", group.name.split("-")[1]).exists():
                _remove(group, attempts=3)


def _parents() -> list[Path]:
    """Return the parent groups: this process's own group (version 2), or one in each of two hierarchies (version 1)."""
    if not (ROOT / "cgroup.controllers").exists():
        return [ROOT / "memory", ROOT / "pids"]
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    own = next((line[3:] for line in lines if line.startswith("0::")), "/")
    return [ROOT / own.lstrip("/")]


def _remove(group: Path, attempts: int) -> None:
    for _ in range(attempts):
        try:
            group.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.002)
