"""The bounds of a sandbox, and what enforces memory and processes: a control group, else a watcher."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel, ConfigDict, Field

MIB = 1024 * 1024


class Limits(BaseModel):
    """Bounds of one sandbox: bytes, counts and seconds. `seconds` is wall time of one candidate's execution."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    seconds: float = Field(default=60.0, gt=0)
    memory: int = Field(default=2048 * MIB, gt=0)
    written: int = Field(default=256 * MIB, gt=0)
    processes: int = Field(default=256, gt=0)
    open_files: int = Field(default=1024, gt=0)
    output: int = Field(default=MIB, gt=0)


class Enforcer(Protocol):
    """Holds the processes of one sandbox to its memory and process bounds."""

    def join(self, pid: int) -> None:
        """This process, and all that it will start, is held to the bounds."""
        ...

    def watch(self, pid: int) -> None:
        """A sandbox runs below this process from now on; 0: none does."""
        ...

    def adapt(self, limits: Limits) -> bool:
        """Take on other bounds, for the next sandbox; False where that cannot be."""
        ...

    def memory_kills(self) -> int:
        """How often a process was killed for the sandbox's memory so far."""
        ...

    def close(self) -> None:
        """It is not needed any more; leave nothing behind."""
        ...


CGROUP_ROOT = Path("/sys/fs/cgroup")
_serial = itertools.count(1)


@dataclass
class ControlGroup:
    """Version 2 (one group), or version 1 (a memory and a pids group)."""

    groups: list[Path]
    oom_file: Path

    @classmethod
    def create(cls, limits: Limits) -> ControlGroup | None:
        """None where this user cannot make one."""
        name = f"mlbench-{os.getpid()}-{next(_serial)}"
        if (CGROUP_ROOT / "cgroup.controllers").exists():
            groups = [_own_group() / name]
            made = cls(groups, groups[0] / "memory.events")
        else:
            groups = [CGROUP_ROOT / kind / name for kind in ("memory", "pids")]
            made = cls(groups, groups[0] / "memory.oom_control")
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
                with contextlib.suppress(OSError):  # a raised bound must lift the swap bound first
                    (memory / "memory.memsw.limit_in_bytes").write_text(str(limits.memory))
                (memory / "memory.limit_in_bytes").write_text(str(limits.memory))
            (pids / "pids.max").write_text(str(limits.processes))
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

    def watch(self, pid: int) -> None:
        pass

    def memory_kills(self) -> int:
        with contextlib.suppress(OSError):
            for line in self.oom_file.read_text().splitlines():
                if line.startswith("oom_kill "):
                    return int(line.split()[1])
        return 0

    def close(self) -> None:
        for group in self.groups:
            for _ in range(200):  # its last process may still be on its way out
                try:
                    group.rmdir()
                    break
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.002)


def _own_group() -> Path:
    line = next(row for row in Path("/proc/self/cgroup").read_text().splitlines() if row.startswith("0::"))
    return CGROUP_ROOT / line[3:].lstrip("/")


@dataclass
class Watched:
    """A sandbox without a control group: a thread looks at its process tree ten times a second."""

    limits: Limits
    pid: int = 0
    kills: int = 0

    def join(self, pid: int) -> None:
        pass

    def watch(self, pid: int) -> None:
        self.pid = pid
        if pid:
            _watcher.add(self)
        else:
            _watcher.discard(self)

    def adapt(self, limits: Limits) -> bool:
        self.limits = limits
        return True

    def memory_kills(self) -> int:
        return self.kills

    def close(self) -> None:
        _watcher.discard(self)

    def look(self, children: dict[int, list[int]]) -> None:
        tree, todo = [], list(children.get(self.pid, ()))
        while todo:
            pid = todo.pop()
            tree.append(pid)
            todo += children.get(pid, ())
        candidates = tree[1:]  # the first is the sandbox's own agent
        resident = sum(_resident(pid) for pid in candidates)
        if resident > self.limits.memory:
            self.kills += 1
        if resident > self.limits.memory or len(candidates) > self.limits.processes:
            for pid in candidates:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


class _Watcher:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: list[Watched] = []
        self._thread: threading.Thread | None = None

    def add(self, sandbox: Watched) -> None:
        with self._lock:
            self._watched.append(sandbox)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="mlbench-watcher", daemon=True)
                self._thread.start()

    def discard(self, sandbox: Watched) -> None:
        with self._lock, contextlib.suppress(ValueError):
            self._watched.remove(sandbox)

    def _run(self) -> None:
        while True:
            time.sleep(0.1)
            with self._lock:
                watched = list(self._watched)
                if not watched:
                    self._thread = None
                    return
            children = _children()
            for sandbox in watched:
                sandbox.look(children)


_watcher = _Watcher()


def _children() -> dict[int, list[int]]:
    table: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                stat = Path(f"/proc/{name}/stat").read_bytes()
                table.setdefault(int(stat.rpartition(b")")[2].split()[1]), []).append(int(name))
    return table


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError):
        return 0


def enforcer(limits: Limits) -> Enforcer:
    """A control group where this user may make one, else the watcher."""
    return ControlGroup.create(limits) or Watched(limits)
