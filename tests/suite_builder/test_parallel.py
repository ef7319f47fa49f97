"""Several things at the same time."""

import anyio
import pytest
from inspect_ai.util import SandboxUnavailableError

from mlbench.suite_builder.parallel import each


def test_each_item_is_done_once_by_no_more_workers_than_wanted() -> None:
    done: list[int] = []
    at_once: list[int] = []
    under_way: set[int] = set()

    async def do(number: int) -> None:
        under_way.add(number)
        at_once.append(len(under_way))
        await anyio.sleep(0)
        under_way.discard(number)
        done.append(number)

    anyio.run(each, range(9), do, 3)
    assert sorted(done) == list(range(9))
    assert max(at_once) == 3


def test_a_failure_is_raised_as_it_is() -> None:
    """A sandbox that failed while arguments were sought was an unforeseen ExceptionGroup."""

    async def do(number: int) -> None:
        raise SandboxUnavailableError(f"no room for {number}")

    with pytest.raises(SandboxUnavailableError, match="no room"):
        anyio.run(each, range(3), do, 2)
