"""What was judged is remembered on disk: the same candidate in the same place is not judged twice.

A verdict is kept under the hash of everything that it can depend on: the candidate, the sample, the repository's
tree, the environment, the bounds, and this package's own code for checking and judging.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

from mlbench.atomic_write import write_file
from mlbench.repositories.cache import cache_folder
from mlbench.source_digest import source_digest

StoredResult: TypeAlias = dict[str, Any]
"""A result as JSON."""

_ROOMS = ("interface_check", "judging", "shell", "sandbox", "scoring")


class VerdictCache:
    """Remembered results of one place.

    Args:
        facts: whatever else the results depend on, as JSON can write it.
    """

    def __init__(self, *facts: object) -> None:
        self._facts = json.dumps([*facts, sources()], sort_keys=True, default=str)
        self._under_way: dict[str, asyncio.Lock] = {}

    async def once(
        self,
        what: object,
        make: Callable[[], Awaitable[StoredResult]],
        worth: Callable[[StoredResult], bool] = lambda result: True,
    ) -> tuple[StoredResult, bool]:
        """The result for `what`: remembered, or made now. Who asks for the same at the same time waits for it.

        Args:
            what: what is asked, as JSON can write it.
            worth: whether a result would come out the same again; only then it is kept.

        Returns:
            The result (JSON), and whether it was remembered.
        """
        key = self.key(what)
        async with self._under_way.setdefault(key, asyncio.Lock()):
            found = self.known(key)
            if found is not None:
                return found, True
            result = await make()
            if worth(result):
                _keep(_file(key), result)
            return result, False

    def key(self, what: object) -> str:
        """The key under which the result for `what` is kept."""
        return hashlib.sha256(f"{self._facts}\0{json.dumps(what, sort_keys=True, default=str)}".encode()).hexdigest()

    def known(self, key: str) -> StoredResult | None:
        """The result with this key; None if it has to be made."""
        if key in _given:
            return _given[key]
        with contextlib.suppress(OSError, ValueError):  # not there, or damaged: made anew
            found = json.loads(_file(key).read_text(encoding="utf-8"))
            if isinstance(found, dict):
                return found
        return None


_given: dict[str, StoredResult] = {}
"""By key: results that another process has made for this one, and that are not worth keeping."""


def give(key: str, result: StoredResult, worth: bool) -> None:
    """Take over a result that another process has made.

    Args:
        key: see `VerdictCache.key`.
        result: JSON.
        worth: whether it would come out the same again. If not, it counts for this process only.
    """
    if worth:
        _keep(_file(key), result)
    else:
        _given[key] = result


def _file(key: str) -> Path:
    return cache_folder("verdicts", key[:2]) / f"{key}.json"


def _keep(file: Path, result: StoredResult) -> None:
    """All of it or nothing; a cache that cannot be written costs time and no verdict."""
    with contextlib.suppress(OSError):
        write_file(file, json.dumps(result))


def sources() -> str:
    """A hash over this package's own code that checks and judges."""
    return source_digest(*_ROOMS)
