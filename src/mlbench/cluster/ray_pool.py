"""A pool of workers on a Ray cluster: each has few batches at a time, and a dead one is replaced."""

from __future__ import annotations

import os
import socket
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import anyio.to_thread

from mlbench.cluster.work_queue import Batch, WarmWorker, WorkQueue
from mlbench.records import RunError, UsageError

_AHEAD = 2
"""Batches of answers that a worker has at most: one that it does, and the next. More would only wait in memory."""
_FAILURES = 10
"""Workers in one place that may die one after the other without judging anything."""
_SECONDS = 5.0
_OPEN_SECONDS = 0.05
"""How often an open queue is asked for new items."""

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


@contextmanager
def connected(address: str) -> Iterator[int]:
    """Connect to a cluster; the value is its number of processors.

    Args:
        address: HOST:PORT of the head node, or `auto` for the cluster of this machine.

    Raises:
        UsageError: Ray is not installed, or the address is none.
        RunError: the cluster does not answer, or is of another version.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError as error:
        raise UsageError("--ray needs Ray: pip install 'mlbench-harness[ray]'") from error
    _reach(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except Exception as error:  # another version, a stopped cluster, a machine that is no node: many types
        raise RunError(f"--ray {address}: {' '.join(str(error).split())[:300]}") from error
    try:
        yield int(ray.cluster_resources().get("CPU", 0))
    finally:
        ray.shutdown()


def _reach(address: str) -> None:
    """Refuse an address at which nothing answers; Ray itself would wait for a minute."""
    if address == "auto":
        return
    host, colon, port = address.rpartition(":")
    if not colon or not host or not port.isdecimal() or "/" in host:
        raise UsageError(f"--ray {address}: write HOST:PORT of the head node, or auto")
    try:
        socket.create_connection((host, int(port)), _SECONDS).close()
    except (OSError, OverflowError) as error:
        raise RunError(f"--ray {address}: no cluster answers ({error}); `ray start --head` starts one") from error


def actors(kind: type, *arguments: Any) -> Callable[[], Any]:
    """Return a function that makes a worker, of one processor, on a node that Ray chooses.

    Args:
        kind: the class of the worker.
        arguments: its arguments.
    """
    import ray

    remote: Any = ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(kind)
    return partial(remote.remote, *arguments)


@dataclass
class _WorkerSlot:
    """A place for one worker.

    Attributes:
        handle: the worker; None before the first one.
        ready: it has said that it can judge.
        batches: what it has, by the reference of the result.
        failures: workers that died here since the last result.
    """

    handle: Any = None
    ready: bool = False
    batches: dict[Any, Batch[Any]] = field(default_factory=dict)
    failures: int = 0
    state: WarmWorker = field(default_factory=WarmWorker)


class RayPool:
    """Workers that do the batches of a queue.

    Args:
        make: returns a new worker: an actor with the methods `refusal()` and `results(items)`.
        size: the number of workers.
        tell: function that is called with each message.
        give_up: function that is called with the items that ended every worker.
        ahead: batches that a worker has at most.
    """

    def __init__(
        self,
        make: Callable[[], Any],
        size: int,
        tell: Callable[[str], object],
        give_up: Callable[[Sequence[Any]], object] = lambda items: None,
        ahead: int = _AHEAD,
    ) -> None:
        self._make, self._tell, self._give_up, self._ahead = make, tell, give_up, ahead
        self._slots = [_WorkerSlot() for _ in range(size)]
        self._hello: dict[Any, _WorkerSlot] = {}
        self.deaths = 0

    @property
    def is_ready(self) -> bool:
        """Whether a worker has said that it can judge."""
        return any(slot.ready for slot in self._slots)

    def run(self, queue: WorkQueue[Any], keep: Callable[[Sequence[Any], Sequence[Any]], object]) -> None:
        """Do all work of a queue.

        Args:
            queue: the work.
            keep: function that is called with the items of each batch and their results, once for each item.

        Raises:
            RunError: no worker can judge.
        """
        import ray

        for slot in self._slots:
            self._start(slot)
        while not queue.is_closed and (queue.is_open or queue.left or any(slot.batches for slot in self._slots)):
            if not self._slots:
                raise RunError("no worker of the cluster can do the work; see the messages above")
            self._hand_out(queue)
            running = [*self._hello, *(ref for slot in self._slots for ref in slot.batches)]
            if not running:  # an open queue without work
                time.sleep(_OPEN_SECONDS)
                continue
            done, _ = ray.wait(running, num_returns=1, timeout=_OPEN_SECONDS if queue.is_open else 1.0)
            for ref in done:
                self._take_in(ref, queue, keep)
        for slot in self._slots:
            ray.kill(slot.handle)

    def _hand_out(self, queue: WorkQueue[Any]) -> None:
        for many in range(1, self._ahead + 1):  # a second batch for a worker only after the first for each
            for slot in self._slots:
                while slot.ready and len(slot.batches) < many and (batch := queue.take(slot.state)):
                    slot.batches[slot.handle.results.remote(batch.items)] = batch

    def _take_in(self, ref: Any, queue: WorkQueue[Any], keep: Callable[[Sequence[Any], Sequence[Any]], object]) -> None:
        import ray

        slot = self._hello.pop(ref, None) or next((each for each in self._slots if ref in each.batches), None)
        if slot is None:  # of a worker that died in the meantime: its work is in the queue again
            return
        try:
            result = ray.get(ref)
        except ray.exceptions.RayTaskError as error:
            if slot.ready:  # its sandbox failed
                self._replace(slot, queue, error)
            else:
                self._tell(f"a worker cannot be prepared: {_cause(error)}")
                self._end(slot)
            return
        except ray.exceptions.RayError as error:  # it died, or its node is gone
            self._replace(slot, queue, error)
            return
        if ref in slot.batches:
            slot.failures = 0
            keep(slot.batches.pop(ref).items, result)
        elif result:  # the refusal of a node
            self._tell(f"{result}; its work is done elsewhere")
            self._end(slot)
        else:
            slot.ready = True

    def _start(self, slot: _WorkerSlot) -> None:
        slot.handle, slot.ready = self._make(), False
        self._hello[slot.handle.refusal.remote()] = slot

    def _replace(self, slot: _WorkerSlot, queue: WorkQueue[Any], error: Exception) -> None:
        """Give the work of a dead worker back, and start another; the scheduler chooses its node."""
        import ray

        self.deaths += 1
        slot.failures += 1
        for batch in slot.batches.values():
            self._give_up(queue.lost(batch, slot.state))
        slot.batches.clear()
        ray.kill(slot.handle)
        if slot.failures > _FAILURES:
            self._tell(f"a worker died {slot.failures} times in a row: {_cause(error)}")
            self._end(slot)
        else:
            self._start(slot)

    def _end(self, slot: _WorkerSlot) -> None:
        import ray

        self._slots.remove(slot)
        ray.kill(slot.handle)


async def in_thread(
    pool: RayPool, queue: WorkQueue[_Item], keep: Callable[[Sequence[_Item], Sequence[_Made]], None]
) -> None:
    """Let a pool work while the event loop goes on; after Ctrl-C, the lost connection ends the thread."""
    await anyio.to_thread.run_sync(pool.run, queue, keep, abandon_on_cancel=True)
    if pool.deaths:
        tell(f"{pool.deaths} times a worker died; its work was done by others")


def tell(message: str) -> None:
    """Print a message of the cluster on standard error."""
    print(f"mlbench: {message}", file=sys.stderr)


def _cause(error: Exception) -> str:
    """The error in one line; Ray puts the remote traceback before it."""
    return (str(error).strip().splitlines() or [type(error).__name__])[-1].strip()[:200]
