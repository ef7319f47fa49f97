"""The answers that wait for a worker: batches of one repository, large first, small at the end."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

_Item = TypeVar("_Item")

LARGEST = 32
"""Answers in a batch at most: what a dead worker costs."""
_DIVISOR = 4
"""A batch is at most this part of a worker's share of what is left, so that all workers end together."""
_TRIES = 3


@dataclass(frozen=True)
class Batch(Generic[_Item]):
    """Items of one repository that go to one worker; `deaths` counts the workers that died with them."""

    repository: str
    items: tuple[_Item, ...]
    deaths: int = 0


@dataclass
class WarmWorker:
    """What is known of a worker: the repositories whose checkers are warm in it."""

    warm: set[str] = field(default_factory=set)


class WorkQueue(Generic[_Item]):
    """Hands out each item until it is done.

    Args:
        items: pairs of repository and item.
        workers: how many workers there will be.
        largest: items in a batch at most.
        is_open: whether items will be added, until `close`.
    """

    def __init__(
        self,
        items: Iterable[tuple[str, _Item]],
        workers: int,
        largest: int = LARGEST,
        is_open: bool = False,
    ) -> None:
        self._waiting: dict[str, deque[_Item]] = {}
        for repository, item in items:
            self._waiting.setdefault(repository, deque()).append(item)
        self._added: SimpleQueue[tuple[str, _Item]] = SimpleQueue()
        self._again: deque[Batch[_Item]] = deque()
        self._served: Counter[str] = Counter()
        self._workers, self._largest = max(1, workers), largest
        self.left = sum(map(len, self._waiting.values()))
        self.given_up: list[_Item] = []
        self.is_open, self.is_closed = is_open, False

    def add(self, repository: str, item: _Item) -> None:
        """Add an item to an open queue; any thread may do so."""
        self._added.put((repository, item))

    def close(self) -> None:
        """End the work: nothing is handed out any more, and no result is waited for. Any thread may do so."""
        self.is_open, self.is_closed = False, True

    def take(self, worker: WarmWorker) -> Batch[_Item] | None:
        """Return the next batch for a worker; None if nothing waits.

        A worker stays with its repositories while they have answers. Otherwise it gets the one with most of them.
        """
        self._sort_in()
        if self._again:
            batch = self._again.popleft()
            self._serves(worker, batch.repository)
            self.left -= len(batch.items)
            return batch
        open_ = [name for name, items in self._waiting.items() if items]
        if not open_:
            return None
        warm = [name for name in open_ if name in worker.warm]
        name = max(warm or open_, key=lambda each: len(self._waiting[each]) / (1 + self._served[each]))
        self._serves(worker, name)
        items = self._waiting[name]
        size = max(1, min(self._largest, self.left // (_DIVISOR * self._workers), len(items)))
        self.left -= size
        return Batch(name, tuple(items.popleft() for _ in range(size)))

    def _sort_in(self) -> None:
        """Put the items that were added to those that wait."""
        while True:
            try:
                repository, item = self._added.get_nowait()
            except Empty:
                return
            self._waiting.setdefault(repository, deque()).append(item)
            self.left += 1

    def _serves(self, worker: WarmWorker, name: str) -> None:
        self._served[name] += name not in worker.warm
        worker.warm.add(name)

    def lost(self, batch: Batch[_Item], worker: WarmWorker) -> Sequence[_Item]:
        """Take a batch back whose worker died. It is halved, so that an answer that ends workers is alone soon.

        Args:
            batch: what the worker had.
            worker: the worker that died.

        Returns:
            The items that are given up.
        """
        for name in worker.warm:
            self._served[name] -= 1
        worker.warm.clear()
        deaths = batch.deaths + (len(batch.items) == 1)
        if deaths >= _TRIES:
            self.given_up.extend(batch.items)
            return batch.items
        half = (len(batch.items) + 1) // 2
        parts: Sequence[tuple[_Item, ...]] = (batch.items[:half], batch.items[half:])
        self._again.extend(Batch(batch.repository, part, deaths) for part in parts if part)
        self.left += len(batch.items)
        return ()
