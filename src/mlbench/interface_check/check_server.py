"""One jail with a warm server of the interface check, and the questions to that server."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from inspect_ai.util import SandboxUnavailableError

from mlbench.interface_check.parser_env import parser_kit, spare_kit
from mlbench.interface_check.recent_cache import RecentCache
from mlbench.interface_check.runtime.patience import LONGEST
from mlbench.records import CheckStatus
from mlbench.sandbox.jail import ENVIRONMENT, WORKSPACE, Jail, Mounts, Opened
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.mounts import PROBE, probe_folder

PARSERS = "/opt/parsers"

ANSWER = 16 * 1024 * 1024  # bytes

START_SECONDS = 30.0

PATIENCE = 10.0  # seconds beyond a question's own wall time, for a busy machine

KNOWN = 4096  # answers in the cache

REPRODUCIBLE = (CheckStatus.ACCEPTED, CheckStatus.REJECTED, CheckStatus.BROKEN)
"""Only these results do not depend on how busy the machine is."""

Request = Mapping[str, Any]

Answer = dict[str, Any]


class ServerDiedError(Exception):
    """The server ended or sent a malformed answer. It cannot be used any more."""


@dataclass(frozen=True)
class CheckEnv:
    """A repository and the environment of its programs.

    Without an environment, stubs replace missing modules. With one, only libraries that parse command lines may be
    missing: the parser kit replaces them.

    Attributes:
        repository: the checkout.
        environment: a virtual environment.
        preload: modules that the repository's programs probably import. Each server loads them once.
    """

    repository: Path
    environment: Path | None = None
    preload: tuple[str, ...] = ("numpy",)


class AnswerCache:
    """A cache of answers by environment and question.

    Different candidates often ask equal questions, for example with other text around one command. Only reproducible
    answers are kept: no answer that a limit ended, and none of a program that needs to write.
    """

    def __init__(self, most: int = KNOWN) -> None:
        self._answers: RecentCache[tuple[CheckEnv, str], Answer] = RecentCache(most)

    def get(self, place: CheckEnv, request: Request) -> Answer | None:
        return self._answers.get((place, _question(request)))

    def keep(self, place: CheckEnv, request: Request, answer: Answer) -> None:
        if not answer.get("wrote") and answer.get("status") in REPRODUCIBLE:
            self._answers.keep((place, _question(request)), answer)


def _question(request: Request) -> str:
    """A request as a cache key, without its limits."""
    return json.dumps({name: value for name, value in request.items() if name not in ("cpu", "wall")}, sort_keys=True)


class CheckServer:
    """One jail and the server in it. Use `await CheckServer.start(place)`, then `ask`, then `close`.

    Args:
        place: the repository and its environment.
        jail: the jail.
        opened: the server process in it.
        known: a cache of answers, shared with other servers.
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
            place: the repository and its environment.
            writable: the jail's copy of the repository is writable. Close the server after one question.
            known: a cache of answers.

        Raises:
            SandboxUnavailableError: the jail or the server did not start. The message says why.
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
        """Ask one question; return the fields of an `Invocation` as the server sent them.

        Raises:
            ServerDiedError: there was no answer. Close this server and start another.
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
            except BaseException:  # includes cancellation: the answer may still arrive later
                self._dead = True
                raise

    async def close(self) -> None:
        """End the server and its jail. Can be called twice."""
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
            raise ServerDiedError("the answer is not JSON") from error
        if not isinstance(answer, dict):
            raise ServerDiedError("the answer is not a JSON object")
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


def _python(place: CheckEnv) -> str:
    """The path of the interpreter inside the jail."""
    link = place.environment / "bin" / "python" if place.environment else Path(sys.executable)
    return str(link.resolve())
