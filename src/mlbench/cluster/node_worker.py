"""What every worker of a cluster has in common: an event loop, and a check of its node before the first work."""

from __future__ import annotations

import platform
from collections.abc import Awaitable, Callable
from typing import TypeVar, TypeVarTuple

from mlbench.records import RunError, UsageError
from mlbench.source_digest import source_digest

_Result = TypeVar("_Result")
_Arguments = TypeVarTuple("_Arguments")


class NodeWorker:
    """Works on one node; Ray runs it in a process of its own.

    A subclass has a method `results(items)`. No method is `async`: one would make Ray call all of them at once.

    Args:
        code: the digest of the code of mlbench that every node must have.
    """

    def __init__(self, code: str) -> None:
        from anyio.from_thread import start_blocking_portal

        self._code = code
        self._event_loop = start_blocking_portal()  # kept, because the portal closes with it; ends with the process
        self._portal = self._event_loop.__enter__()

    def refusal(self) -> str:
        """Prepare this node; return why it cannot work, in one line, or an empty text."""
        from mlbench.sandbox.preflight import why_not

        node = platform.node()
        if source_digest() != self._code:
            return f"node {node}: it has other code of mlbench; install the same version everywhere"
        if reason := self.call(why_not):
            return f"node {node}: {reason}"
        try:
            self.prepare()
        except (RunError, UsageError) as error:
            return f"node {node}: {' '.join(str(error).split())}"
        return ""

    def prepare(self) -> None:
        """Make what the work needs, once.

        Raises:
            UsageError, RunError: this node lacks something.
        """

    def call(self, do: Callable[[*_Arguments], Awaitable[_Result]], *arguments: *_Arguments) -> _Result:
        """Return the result of an asynchronous function."""
        return self._portal.call(do, *arguments)
