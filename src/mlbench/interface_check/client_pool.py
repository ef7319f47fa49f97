"""The host's side of the interface check: jails with a warm server in each, and questions to them.

One jail per repository and environment, nothing in it writable. A server answers one question at a time; several jails
of the same kind answer at the same time.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import anyio
from inspect_ai.util import SandboxUnavailableError

from mlbench.interface_check.parser_env import parser_kit, spare_kit
from mlbench.interface_check.runtime.patience import LONGEST
from mlbench.reasons import Reason
from mlbench.records import CheckStatus, Invocation, OptionSchema, RepositoryCall
from mlbench.sandbox.jail import ENVIRONMENT, WORKSPACE, Jail, Mounts, Opened
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.mounts import PROBE, probe_folder

PARSERS = "/opt/parsers"
ANSWER = 16 * 1024 * 1024  # bytes
START_SECONDS = 30.0
PATIENCE = 10.0  # seconds beyond a question's own wall time, as a busy machine may stretch it
KNOWN = 4096  # answers that are remembered
WORTH = 0.1  # seconds that others have waited for a server, at which a further one of the same place is started

Request = Mapping[str, Any]
Answer = dict[str, Any]


class ServerDiedError(Exception):
    """The server ended, or said what is no answer: it cannot be used any more."""


@dataclass(frozen=True)
class CheckEnv:
    """What a server stands on: the repository, and the environment whose modules are there.

    Without an environment, modules that are missing are stubs. With one, only the libraries that read command lines
    may be missing: the parser kit stands in. `preload` names modules that programs of this repository are likely to
    import; they are loaded once.
    """

    repository: Path
    environment: Path | None = None
    preload: tuple[str, ...] = ("numpy",)


class AnswerCache:
    """Answers by place and question, for questions that are the same after parsing: several answers of one model, other
    words around one command, a reference that is asked for as the standard and as a candidate.

    Only what comes out the same each time is kept: not what a bound ended, nor what would write.
    """

    def __init__(self, most: int = KNOWN) -> None:
        self._most = most
        self._answers: OrderedDict[tuple[CheckEnv, str], Answer] = OrderedDict()

    def get(self, place: CheckEnv, request: Request) -> Answer | None:
        key = place, _question(request)
        if key in self._answers:
            self._answers.move_to_end(key)
        return self._answers.get(key)

    def keep(self, place: CheckEnv, request: Request, answer: Answer) -> None:
        if answer.get("wrote") or answer.get("status") not in (
            CheckStatus.ACCEPTED,
            CheckStatus.REJECTED,
            CheckStatus.BROKEN,
        ):
            return
        self._answers[place, _question(request)] = answer
        while len(self._answers) > self._most:
            self._answers.popitem(last=False)


def _question(request: Request) -> str:
    """A request without its bounds."""
    return json.dumps({name: value for name, value in request.items() if name not in ("cpu", "wall")}, sort_keys=True)


class CheckServer:
    """One jail, and the server in it. Use `await Server.start(place)`, then `ask`, then `close`.

    Args:
        known: answers that need not be asked for again; shared with other servers of the kind.
    """

    def __init__(self, place: CheckEnv, jail: Jail, opened: Opened, known: AnswerCache | None = None) -> None:
        self.place = place
        self._known = known
        self.python = ""
        self._jail, self._opened = jail, opened
        self._lock = anyio.Lock()
        self._dead = False

    @classmethod
    async def start(cls, place: CheckEnv, *, writable: bool = False, known: AnswerCache | None = None) -> CheckServer:
        """Start a jail and wait until the server in it is warm.

        Args:
            writable: the jail's copy of the repository can be written; for one question, then close it.
            known: answers that need not be asked for again.

        Raises:
            SandboxUnavailableError: the jail or the server did not start; says why.
        """
        shown = [(probe_folder(), PROBE)]
        kit = spare_kit(place.environment / "bin" / "python") if place.environment else parser_kit()
        if kit is not None:
            shown.append((kit, PARSERS))
        mounts = Mounts(place.repository, place.environment, shown=tuple(shown), frozen=not writable)
        jail = await Jail.start(mounts, Limits())
        try:
            options = {
                "root": WORKSPACE,
                "stubs": place.environment is None,
                "preload": list(place.preload),
                "paths": [f"{ENVIRONMENT}/lib/{{python}}/site-packages"] if place.environment else [PARSERS],
                "kit": PARSERS if place.environment and kit else "",
            }
            words = [_python(place), "-s", "-S", f"{PROBE}/server.py", json.dumps(options)]
            opened = await jail.open(words, cwd="/", env={"PYTHONHASHSEED": "0"})
            server = cls(place, jail, opened, None if writable else known)
            with anyio.fail_after(START_SECONDS):
                ready = await server._receive()
            server.python = ".".join(str(part) for part in ready.get("python", ()))
        except (ServerDiedError, TimeoutError) as error:
            said = opened.printed().strip()
            await jail.close()
            raise SandboxUnavailableError(f"the interface check's server did not start: {said or error}") from error
        except BaseException:
            await jail.close()
            raise
        return server

    async def ask(self, request: Request) -> Answer:
        """One question, one answer: the fields of an Invocation as the server gives them.

        Raises:
            ServerDiedError: there was no answer; close it, and start another.
        """
        if self._known and (known := self._known.get(self.place, request)):
            return dict(known)
        answer = await self._asked(request)
        if self._known:
            self._known.keep(self.place, request, answer)
        return answer

    async def _asked(self, request: Request) -> Answer:
        async with self._lock:
            if self._dead:
                raise ServerDiedError("it has died before")
            try:
                with anyio.fail_after(float(request.get("wall", 30.0)) * LONGEST + PATIENCE):
                    await self._send(json.dumps(dict(request)).encode("utf-8", "surrogatepass"))
                    return await self._receive()
            except (OSError, TimeoutError) as error:
                self._dead = True
                raise ServerDiedError(str(error) or "it does not answer") from error
            except BaseException:  # also where this task is cancelled: an answer may be on its way
                self._dead = True
                raise

    async def close(self) -> None:
        """End the server and everything in its jail. Safe to call twice."""
        self._dead = True
        await self._opened.close()
        await self._jail.close()

    @property
    def jail(self) -> Jail:
        return self._jail

    @property
    def dead(self) -> bool:
        return self._dead

    async def _send(self, data: bytes) -> None:
        left = memoryview(len(data).to_bytes(4, "little") + data)
        while left:
            try:
                left = left[self._opened.socket.send(left) :]
            except BlockingIOError:
                await anyio.wait_writable(self._opened.socket)

    async def _receive(self) -> Answer:
        size = int.from_bytes(await self._exactly(4), "little")
        if size > ANSWER:
            raise ServerDiedError(f"an answer of {size} bytes")
        try:
            answer = json.loads(await self._exactly(size))
        except (ValueError, RecursionError) as error:
            raise ServerDiedError("an answer that cannot be read") from error
        if not isinstance(answer, dict):
            raise ServerDiedError("an answer that is no object")
        return answer

    async def _exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            try:
                part = self._opened.socket.recv(min(1 << 20, size - len(data)))
            except BlockingIOError:
                await anyio.wait_readable(self._opened.socket)
                continue
            if not part:
                raise ServerDiedError("it ended")
            data += part
        return bytes(data)


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
                    answer = _nothing(f"the check's server died twice: {error}")
        return await self._ask_writable(place, request) if answer.get("wrote") else answer

    async def _ask_writable(self, place: CheckEnv, request: Request) -> Answer:
        async with self.writable(place) as server:
            try:
                return await server.ask(request)
            except ServerDiedError as error:
                return _nothing(f"the check's server died: {error}")

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


def invocation_of(
    answer: Mapping[str, Any],
    *,
    program: str = "",
    how: str = "file",
    cwd: str = ".",
    argv: Iterable[str] = (),
    env: Mapping[str, str] | None = None,
    seconds: float | None = None,
) -> Invocation:
    """What a server said, as an Invocation. What is not as it should be is left out, or makes it undecided."""
    try:
        status = CheckStatus(_text(answer.get("status")))
    except ValueError:
        status, answer = CheckStatus.UNDECIDED, _nothing("the answer has no status")
    if (reason := _text(answer.get("reason"))) and reason not in set(Reason):
        unknown = f"the check gave the unknown reason {reason[:80]!r}: add it to mlbench.reasons"
        status, answer = CheckStatus.UNDECIDED, _nothing(unknown)
    configuration = answer.get("configuration")
    options, inputs = answer.get("options"), answer.get("inputs")
    took = answer.get("seconds")
    return Invocation(
        status=status,
        reason=_text(answer.get("reason")),
        message=_text(answer.get("message")),
        program=program,
        how=how,
        cwd=cwd,
        argv=tuple(argv),
        env=dict(env or {}),
        parser=_text(answer.get("parser")),
        configuration=configuration if isinstance(configuration, dict) else {},
        given=_texts(answer.get("given")),
        options={name: _texts(each) for name, each in options.items()} if isinstance(options, dict) else {},
        inputs={str(name): str(each) for name, each in inputs.items()} if isinstance(inputs, dict) else {},
        ignored=_texts(answer.get("ignored")),
        unchecked=_texts(answer.get("unchecked")),
        calls=tuple(_calls(answer.get("calls"))),
        repairs=_texts(answer.get("repairs")),
        schema=tuple(_settings(answer.get("schema"))),
        seconds=seconds if seconds is not None else _seconds(took),
    )


def _calls(found: Any) -> Iterable[RepositoryCall]:
    for each in found if isinstance(found, list) else ():
        if isinstance(each, dict) and isinstance(each.get("arguments"), dict):
            yield RepositoryCall(_text(each.get("function")), each["arguments"], _texts(each.get("given")))


def _settings(found: Any) -> Iterable[OptionSchema]:
    for place, each in found.items() if isinstance(found, dict) else ():
        if isinstance(each, dict):
            yield OptionSchema(
                place=place,
                type=_text(each.get("type")),
                choices=_texts(each.get("choices")),
                default=each.get("default"),
                help=_text(each.get("help")),
                required=each.get("required") is True,
                switch=each.get("switch") is True,
                nargs=_text(each.get("nargs")),
            )


def _nothing(message: str) -> Answer:
    return {"status": "undecided", "reason": "cannot-follow", "message": message}


def _text(found: Any) -> str:
    return found if isinstance(found, str) else ""


def _texts(found: Any) -> tuple[str, ...]:
    return tuple(each for each in found if isinstance(each, str)) if isinstance(found, list) else ()


def _seconds(found: Any) -> float:
    return float(found) if isinstance(found, (int, float)) and math.isfinite(found) else 0.0


def _python(place: CheckEnv) -> str:
    """The interpreter, as a path inside the jail."""
    link = place.environment / "bin" / "python" if place.environment else Path(sys.executable)
    return str(link.resolve())
