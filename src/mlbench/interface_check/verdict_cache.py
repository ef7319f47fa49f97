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
from typing import Any

from mlbench.atomic_write import write_file
from mlbench.repositories.cache import cache_folder
from mlbench.source_digest import source_digest

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
        make: Callable[[], Awaitable[dict[str, Any]]],
        worth: Callable[[dict[str, Any]], bool] = lambda result: True,
    ) -> tuple[dict[str, Any], bool]:
        """The result for `what`: remembered, or made now. Who asks for the same at the same time waits for it.

        Args:
            what: what is asked, as JSON can write it.
            worth: whether a result would come out the same again; only then it is kept.

        Returns:
            The result (JSON), and whether it was remembered.
        """
        key = hashlib.sha256(f"{self._facts}\0{json.dumps(what, sort_keys=True, default=str)}".encode()).hexdigest()
        file = cache_folder("verdicts", key[:2]) / f"{key}.json"
        async with self._under_way.setdefault(key, asyncio.Lock()):
            with contextlib.suppress(OSError, ValueError):  # not there, or damaged: made anew
                found = json.loads(file.read_text(encoding="utf-8"))
                if isinstance(found, dict):
                    return found, True
            result = await make()
            if worth(result):
                _keep(file, result)
            return result, False


def _keep(file: Path, result: dict[str, Any]) -> None:
    """All of it or nothing; a cache that cannot be written costs time and no verdict."""
    with contextlib.suppress(OSError):
        write_file(file, json.dumps(result))


def sources() -> str:
    """A hash over this package's own code that checks and judges."""
    return source_digest(*_ROOMS)
