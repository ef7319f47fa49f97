"""Limits of memory and processes without a control group: a thread checks each process tree ten times a second.

It never signals a process by its id, which may have been reused by then. Instead, it asks the sandbox's init process to
end everything inside. It cannot see memory that no process has mapped. Kernel memory is limited only by the numbers of
processes and descriptors.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from mlbench.sandbox.limits import Limits

_PAUSE_SECONDS = 0.1
_PAGE = os.sysconf("SC_PAGESIZE")
_Children = dict[int, list[int]]


class Watched:
    """A sandbox that the thread watches. An `Enforcer`."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pid = 0
        self._clear: Callable[[], None] | None = None
        self._kills = 0

    def join(self, pid: int) -> None:
        pass

    def watch(self, pid: int, clear: Callable[[], None]) -> None:
        self._pid, self._clear = pid, clear
        _watcher.add(self)

    def unwatch(self) -> None:
        _watcher.discard(self)

    def adapt(self, limits: Limits) -> bool:
        self._limits = limits
        return True

    def memory_kills(self) -> int:
        return self._kills

    def close(self) -> None:
        self.unwatch()

    def needs_clearing(self, children: _Children) -> tuple[bool, bool]:
        """Return whether too much memory is used, and whether there are too many processes."""
        inside = _below(self._pid, children)[1:]  # the first is the init process
        too_much = _exceeds(inside, self._limits.memory)
        return too_much, len(inside) > self._limits.processes

    def clear(self, for_memory: bool) -> None:
        self._kills += for_memory  # first, so that the reason is known when the end of a command is reported
        try:
            if self._clear:
                self._clear()
        except OSError:  # the init process is busy or has ended; if it is busy, the next check asks again
            self._kills -= for_memory


class _Watcher:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: set[Watched] = set()
        self._thread: threading.Thread | None = None

    def add(self, sandbox: Watched) -> None:
        with self._lock:
            self._watched.add(sandbox)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="mlbench-watcher", daemon=True)
                self._thread.start()

    def discard(self, sandbox: Watched) -> None:
        with self._lock:
            self._watched.discard(sandbox)

    def _run(self) -> None:
        while True:
            time.sleep(_PAUSE_SECONDS)
            with self._lock:
                watched = list(self._watched)
                if not watched:
                    self._thread = None
                    return
            with contextlib.suppress(OSError):  # for example no descriptors: try again later
                children = _children()
                for sandbox in watched:
                    self._look(sandbox, children)

    def _look(self, sandbox: Watched, children: _Children) -> None:
        memory, processes = sandbox.needs_clearing(children)
        if memory or processes:
            with self._lock:  # it may have been closed in the meantime
                if sandbox in self._watched:
                    sandbox.clear(for_memory=memory)


_watcher = _Watcher()


def _children() -> _Children:
    table: _Children = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                stat = Path(f"/proc/{name}/stat").read_bytes()
                table.setdefault(int(stat.rpartition(b")")[2].split()[1]), []).append(int(name))
    return table


def _below(root: int, children: _Children) -> list[int]:
    tree, todo = [], list(children.get(root, ()))
    while todo:
        pid = todo.pop()
        tree.append(pid)
        todo += children.get(pid, ())
    return tree


def _exceeds(pids: list[int], bound: int) -> bool:
    """Return whether processes together use more memory. The exact sum is made only if a quick one exceeds."""
    return sum(map(_resident, pids)) > bound and sum(map(_share, pids)) > bound


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def _share(pid: int) -> int:
    """Return resident bytes; a page that N processes share counts as 1/N."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        return int(text.partition("\nPss:")[2].split()[0]) * 1024
    except (OSError, IndexError):
        return _resident(pid)
