"""A pool of jails, each with a warm server of the interface check.

A jail belongs to one repository and environment, and nothing in it is writable. A server answers one question at a
time. Several jails of one repository answer in parallel.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import OrderedDict
from collections.abc import AsyncIterator
from types import TracebackType

import anyio

from mlbench.interface_check.answers import undecided_answer
from mlbench.interface_check.check_cache import CheckCache
from mlbench.interface_check.check_server import Answer, AnswerCache, CheckEnv, CheckServer, Request, ServerDiedError

WORTH = 0.1  # seconds of waiting for a server after which the pool starts another one


class _Kind:
    """The servers of one environment: their number, and the time that tasks have waited for one."""

    def __init__(self) -> None:
        self.alive = 0
        self.waited = 0.0

    @property
    def wants_more(self) -> bool:
        """Whether the waiting time justifies another server. There are never more than processors."""
        worth = 1 + int(self.waited / WORTH)
        return self.alive < min(worth, len(os.sched_getaffinity(0)))


class Servers:
    """A pool of servers by environment, started on first use. An async context manager.

    Args:
        bound: maximum number of jails. The one that was idle longest is closed first.
        remember: reuse the answer to a question that was asked before, and the check of an equal candidate.
    """

    def __init__(self, bound: int = 8, *, remember: bool = False) -> None:
        self._bound = bound
        self._alive = 0
        self._idle: OrderedDict[int, CheckServer] = OrderedDict()
        self._kinds: dict[CheckEnv, _Kind] = {}
        self._changed = anyio.Event()
        self._known = AnswerCache() if remember else None
        self.checks = CheckCache() if remember else None
        self._together = 0  # running checks
        self._one_alone = anyio.Lock()

    async def __aenter__(self) -> Servers:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every idle server."""
        with anyio.CancelScope(shield=True):
            while self._idle:
                await self._end(self._idle.popitem()[1])

    @contextlib.asynccontextmanager
    async def together(self) -> AsyncIterator[None]:
        """A context for a check that runs in parallel with others. Waits for a check that runs alone."""
        async with self._one_alone:
            self._together += 1
        try:
            yield
        finally:
            self._together -= 1
            self._tell()

    @contextlib.asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """A context for a check that runs alone. Waits for the running checks."""
        async with self._one_alone:
            while self._together:
                await self._changed.wait()
            yield

    async def ask(self, place: CheckEnv, request: Request) -> Answer:
        """Ask a question. A dead server is replaced; a program that needs to write gets a writable jail.

        Args:
            place: the repository and its environment.
            request: the question.

        Raises:
            SandboxUnavailableError: no jail or server can be started. This is not the question's fault.
        """
        answer: Answer = {}
        for _ in range(2):
            async with self.lend(place) as server:
                try:
                    answer = await server.ask(request)
                    break
                except ServerDiedError as error:
                    answer = undecided_answer(f"the check's server died twice: {error}")
        return await self._ask_writable(place, request) if answer.get("wrote") else answer

    async def _ask_writable(self, place: CheckEnv, request: Request) -> Answer:
        async with self.writable(place) as server:
            try:
                return await server.ask(request)
            except ServerDiedError as error:
                return undecided_answer(f"the check's server died: {error}")

    @contextlib.asynccontextmanager
    async def writable(self, place: CheckEnv) -> AsyncIterator[CheckServer]:
        """A context with a server in a writable jail, which is discarded afterwards."""
        while not await self._has_room():
            await self._changed.wait()
        server = await self._start(place, writable=True)
        try:
            yield server
        finally:
            with anyio.CancelScope(shield=True):
                await self._end(server, writable=True)

    @contextlib.asynccontextmanager
    async def lend(self, place: CheckEnv) -> AsyncIterator[CheckServer]:
        """A context with a server for exclusive use.

        A task that holds one must not ask for another, because all could be in use.
        """
        server = await self._take(place)
        try:
            yield server
        finally:
            if server.dead:
                with anyio.CancelScope(shield=True):
                    await self._end(server)
            else:
                self._idle[id(server)] = server
                self._tell()

    async def _take(self, place: CheckEnv) -> CheckServer:
        """Take an idle server of this environment, or start one if the waiting time justifies it."""
        kind = self._kinds.setdefault(place, _Kind())
        while True:
            key = next((key for key in reversed(self._idle) if self._idle[key].place == place), None)
            if key is not None:
                return self._idle.pop(key)
            if kind.wants_more and await self._has_room():
                if kind.wants_more:  # again, because another task may have started one
                    return await self._start(place)
                continue
            began = time.perf_counter()
            with anyio.move_on_after(WORTH):  # one question may take half a minute
                await self._changed.wait()
            if kind.alive:
                kind.waited += time.perf_counter() - began

    async def _has_room(self) -> bool:
        """Whether one more may be started. Closes the longest idle server if the pool is full."""
        if self._alive >= self._bound and self._idle:
            await self._end(self._idle.popitem(last=False)[1])
        return self._alive < self._bound

    async def _start(self, place: CheckEnv, *, writable: bool = False) -> CheckServer:
        kind = self._kinds.setdefault(place, _Kind())
        self._alive += 1
        kind.alive += not writable
        try:
            return await CheckServer.start(place, writable=writable, known=self._known)
        except BaseException:
            self._gone(place, writable)
            raise

    async def _end(self, server: CheckServer, *, writable: bool = False) -> None:
        try:
            await server.close()
        finally:
            self._gone(server.place, writable)

    def _gone(self, place: CheckEnv, writable: bool) -> None:
        self._alive -= 1
        if not writable:
            self._kinds[place].alive -= 1
            self._kinds[place].waited = 0.0
        self._tell()

    def _tell(self) -> None:
        """Wake the waiting tasks."""
        changed, self._changed = self._changed, anyio.Event()
        changed.set()
