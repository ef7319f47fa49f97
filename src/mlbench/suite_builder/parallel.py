"""Runs an action for many items in parallel; the first error ends all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

import anyio

T = TypeVar("T")


async def each(items: Iterable[T], do: Callable[[T], Awaitable[None]], workers: int) -> None:
    """Run `do` for every item, `workers` at a time.

    Args:
        items: the items.
        do: the action.
        workers: actions in parallel.

    Raises:
        Exception: the first error of `do`, not in a group, so that callers can catch its type.
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
