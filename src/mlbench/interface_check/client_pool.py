"""The host's side of the interface check: jails with a warm server in each, and questions to them.

One jail per repository and environment, nothing in it writable. A server answers one question at a time; several jails
of the same kind answer at the same time.
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
from mlbench.interface_check.check_server import Answer, AnswerCache, CheckEnv, CheckServer, Request, ServerDiedError

WORTH = 0.1  # seconds that others have waited for a server, at which a further one of the same place is started


class _Kind:
    """The servers of one place: how many there are, and for how long others have waited for one."""

    def __init__(self) -> None:
        self.alive = 0
        self.waited = 0.0

    @property
    def wants_more(self) -> bool:
        """A further one is worth its start when as long has been waited already; more than processors never are."""
        worth = 1 + int(self.waited / WORTH)
        return self.alive < min(worth, len(os.sched_getaffinity(0)))


class Servers:
    """Servers by what they stand on, started when first asked, at most `bound` at once; an async context manager.

    Args:
        bound: jails alive at once; the one unused for longest is closed first.
        remember: whether a question that was answered is not asked again.
    """

    def __init__(self, bound: int = 8, *, remember: bool = False) -> None:
        self._bound = bound
        self._alive = 0
        self._idle: OrderedDict[int, CheckServer] = OrderedDict()
        self._kinds: dict[CheckEnv, _Kind] = {}
        self._changed = anyio.Event()
        self._known = AnswerCache() if remember else None
        self._together = 0  # checks under way
        self._one_alone = anyio.Lock()

    async def __aenter__(self) -> Servers:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every server that is not in use."""
        with anyio.CancelScope(shield=True):
            while self._idle:
                await self._end(self._idle.popitem()[1])

    @contextlib.asynccontextmanager
    async def together(self) -> AsyncIterator[None]:
        """For a check among others; waits while one is made alone."""
        async with self._one_alone:
            self._together += 1
        try:
            yield
        finally:
            self._together -= 1
            self._tell()

    @contextlib.asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """For a check while no other is under way here; those that are under way end before."""
        async with self._one_alone:
            while self._together:
                await self._changed.wait()
            yield

    async def ask(self, place: CheckEnv, request: Request) -> Answer:
        """The answer to a question. What wants to write is asked again where it can; a server that dies is replaced.

        Raises:
            SandboxUnavailableError: no jail or no server can be started; not the question's fault.
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
        """A server in a jail that can be written to; it is thrown away afterwards."""
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
        """A server for one's own use; it goes back among the idle ones afterwards.

        Who holds one must not ask for another: all could be lent.
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
        """An idle server of this place; or a new one, where there is none or those that are there are waited for."""
        kind = self._kinds.setdefault(place, _Kind())
        while True:
            key = next((key for key in reversed(self._idle) if self._idle[key].place == place), None)
            if key is not None:
                return self._idle.pop(key)
            if kind.wants_more and await self._has_room():
                if kind.wants_more:  # still: others may have been quicker
                    return await self._start(place)
                continue
            began = time.perf_counter()
            with anyio.move_on_after(WORTH):  # one question may take half a minute
                await self._changed.wait()
            if kind.alive:
                kind.waited += time.perf_counter() - began

    async def _has_room(self) -> bool:
        """Whether one more may be started; the one unused for longest goes for it."""
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
        """Who waits looks again."""
        changed, self._changed = self._changed, anyio.Event()
        changed.set()
