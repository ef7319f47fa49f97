"""Several things at the same time; the first fault ends them all and is raised as it is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

import anyio

T = TypeVar("T")


async def each(items: Iterable[T], do: Callable[[T], Awaitable[None]], workers: int) -> None:
    """Do something with every item, so many at the same time.

    Raises:
        Exception: the first that `do` raised, itself and in no group: whoever asks waits for it by its type.
    """
    waiting = iter(items)

    async def work() -> None:
        for item in waiting:
            await do(item)

    try:
        async with anyio.create_task_group() as group:
            for _ in range(workers):
                group.start_soon(work)
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
