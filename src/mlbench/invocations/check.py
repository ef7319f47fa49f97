"""The interface check of a candidate: what it starts, and what each of these programs makes of its words."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from inspect_ai.util import SandboxUnavailableError

from mlbench.invocations.answers import beyond, question
from mlbench.invocations.server import Place, Server, ServerDiedError, Servers, invocation_of
from mlbench.invocations.shell import Fault
from mlbench.invocations.starts import Start, Starts, starts
from mlbench.probe.patience import BY_CLOCK
from mlbench.sandbox.jail import WORKSPACE
from mlbench.types import Candidate, Check, Invocation, Status, UsageError
from mlbench.verdict.languages import LONGEST

CPU_SECONDS, WALL_SECONDS = 10.0, 30.0
"""Bounds of one program's check. The first decides; the second is for programs that sleep."""
TOGETHER = 60.0
"""Wall seconds for all programs that one text starts."""
BEFORE = "the programs before it took"

_UNDECIDED = frozenset({"cannot-follow", "time-limit", "memory-limit", "reads-input"})
_MOST_PROGRAMS = 50
_PASSING = (BY_CLOCK, BEFORE, "the shell does not end within", "the check", "it ended the check")
"""How messages start that say what another time may be different."""
_HALF = re.compile("[\ud800-\udfff]")
_LONGEST_NAME, _LONGEST_PATH = 255, 4000
_GRAVITY = (Status.REJECTED, Status.BROKEN, Status.UNDECIDED)


@dataclass(frozen=True)
class Subject:
    """A repository to check against: where it stands, with which environment, and the variables of every program."""

    place: Place
    env: Mapping[str, str] = field(default_factory=dict)


class Checker:
    """Checks candidates against one repository. Use as an async context manager, or `close` it.

    Args:
        servers: shared with the checkers of other repositories; one of its own where there are none.
        workers: checks at the same time, where the servers are its own; as a rule the processors.
        wall: seconds of one program, by the clock.
    """

    def __init__(
        self,
        subject: Subject,
        servers: Servers | None = None,
        workers: int | None = None,
        *,
        wall: float = WALL_SECONDS,
    ) -> None:
        self.subject = subject
        self._wall = wall
        self._own = servers is None
        self._asked: dict[str, Any] = {}
        self._servers = servers or Servers(2 * (workers or len(os.sched_getaffinity(0))))

    async def __aenter__(self) -> Checker:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        if self._own:
            await self._servers.close()

    async def check(self, candidate: Candidate, cwd: str = ".", prefix: str = "") -> Check:
        """Check one candidate.

        Args:
            cwd: the folder it starts in, from the repository's root.
            prefix: shell that runs before it, in the same folder.

        Raises:
            UsageError: `cwd` leads out of the repository, or can be no folder's name.
            SandboxUnavailableError: this machine cannot, or the sandbox failed; not the candidate's fault.
        """
        began = time.perf_counter()
        folder = _folder(cwd)
        check = _form(candidate)
        if check is None:
            check = await self._looked(candidate, folder, prefix)
        return replace(check, seconds=time.perf_counter() - began)

    async def _looked(self, candidate: Candidate, folder: str, prefix: str) -> Check:
        """The check; what the clock ended, or got lost, is asked once more, alone, and counts only then."""
        look = self._code if candidate.kind == "python" else self._shell
        with contextlib.suppress(SandboxUnavailableError):  # on a busy machine a jail may start too slowly
            async with self._servers.together():
                check = await look(candidate.code, folder, prefix)
            if not _by_clock(check):
                return check
        async with self._servers.alone():
            return await look(candidate.code, folder, prefix)

    async def describe(self, candidate: Candidate, cwd: str = ".", prefix: str = "") -> Check:
        """As `check`, and each invocation's `schema` says what the options of its program take. For shell.

        Raises:
            UsageError, SandboxUnavailableError: as `check`.
        """
        asking = Checker(self.subject, self._servers, wall=self._wall)
        asking._asked = {"describe": True}
        return await asking.check(candidate, cwd, prefix)

    async def _code(self, code: str, folder: str, prefix: str) -> Check:
        request = question(code, folder, self.subject.env, self._bounds())
        answer = await self._servers.ask(self.subject.place, request)
        found = invocation_of(answer, how="code", cwd=_inside(folder))
        if found.status is Status.ACCEPTED and (line := int(answer.get("stopped") or 0)):
            reason, message = beyond(self.subject.place.repository, self._searched(folder), code, line)
            if reason:
                found = replace(found, status=Status.REJECTED, reason=reason, message=message)
        if found.status is Status.ACCEPTED and not found.calls:
            found = replace(found, status=Status.REJECTED, reason="not-a-call-of-the-repository")
        return Check(found.status, found.reason, found.message, (found,))

    def _bounds(self, left: float = WALL_SECONDS) -> dict[str, float]:
        return {"cpu": CPU_SECONDS, "wall": min(self._wall, left)}

    def _searched(self, folder: str) -> list[Path]:
        """Where Python looks for modules from a folder of the jail, as folders of this machine."""
        repository = self.subject.place.repository
        path = [folder, *self.subject.env.get("PYTHONPATH", "").split(":")]
        return [repository / _inside(each) for each in path if each and (each + "/").startswith(f"{WORKSPACE}/")]

    async def _shell(self, code: str, folder: str, prefix: str) -> Check:
        died = ""
        for _ in range(2):
            async with self._servers.lend(self.subject.place) as server:
                try:
                    check = await self._followed(server, code, folder, prefix, own=False)
                except ServerDiedError as error:
                    died = f"the check's server died twice: {error}"
                    continue
            return check or await self._alone(code, folder, prefix)
        return Check(Status.UNDECIDED, "cannot-follow", died)

    async def _alone(self, code: str, folder: str, prefix: str) -> Check:
        """In a jail of its own, in which it may write; the jail is then thrown away."""
        async with self._servers.writable(self.subject.place) as server:
            try:
                check = await self._followed(server, code, folder, prefix, own=True)
            except (ServerDiedError, SandboxUnavailableError) as error:  # nobody else was in there to end it
                check = Check(Status.UNDECIDED, "cannot-follow", f"it ended the check: {error}")
        assert check is not None
        return check

    async def _followed(self, server: Server, code: str, folder: str, prefix: str, *, own: bool) -> Check | None:
        """The check of a shell text; None where it has to be looked at alone."""
        repository = self.subject.place.repository
        found = await starts(server.jail, repository, code, folder, dict(self.subject.env), prefix, own)
        if found.alone:
            return None
        invocations = []
        until = time.monotonic() + TOGETHER
        for start in found.starts[:_MOST_PROGRAMS]:
            invocation = await self._invocation(server, start, until - time.monotonic())
            if invocation is None and not own:
                return None
            invocations.append(invocation or Invocation(Status.UNDECIDED, "raised", "it cannot write"))
        return _check(found, invocations)

    async def _invocation(self, server: Server, start: Start, left: float) -> Invocation | None:
        """What a program says, within the seconds left; None where it wants to write before it says anything."""
        about: dict[str, Any] = {
            "program": start.program,
            "how": start.run if start.run != "none" else "file",
            "cwd": _inside(start.cwd),
            "argv": start.argv,
            "env": start.env,
        }
        if start.fault is not None:
            return Invocation(_status(start.fault), start.fault.reason, start.fault.message, **about)
        if left <= 0:
            message = f"{BEFORE} {TOGETHER:.0f} s"
            return Invocation(Status.UNDECIDED, "time-limit", message, **about)
        env = {**self.subject.env, **start.env}
        if start.run == "code":
            request: dict[str, Any] = {"do": "code", "code": start.target}
        else:
            request = {"do": "program", "run": start.run, "target": start.target, "argv": list(start.argv)}
            request.update(name=start.command.argv[0], file=start.program)
        request.update(cwd=start.cwd, env=env, **self._bounds(left), **self._asked)
        if start.injected:
            launched = [*start.injected, *start.argv]
            answer = await server.ask({**request, "argv": launched})
            if not _foreign(start.injected, answer):
                return None if answer.get("wrote") else invocation_of(answer, **{**about, "argv": launched})
        answer = await server.ask(request)
        return None if answer.get("wrote") else invocation_of(answer, **about)


def _foreign(injected: Sequence[str], answer: Mapping[str, Any]) -> bool:
    """Whether a program refuses or ignores what a launcher puts before its words.

    Not every version of a launcher does so; it is not held against the words.
    """
    if answer.get("reason") == "unknown-argument":
        return any(word.partition("=")[0] in str(answer.get("message")) for word in injected)
    return any(word in answer.get("ignored", ()) for word in injected)


def _by_clock(check: Check) -> bool:
    """Whether nothing but the time that passed stands behind a check, or the server that made it has gone."""
    return check.status is Status.UNDECIDED and check.message.startswith(_PASSING)


def _folder(cwd: str) -> str:
    """The folder in the jail."""
    folder = os.path.normpath(os.path.join(WORKSPACE, cwd))
    if folder != WORKSPACE and not folder.startswith(f"{WORKSPACE}/"):
        raise UsageError(f"the folder {cwd} is outside of the repository")
    try:
        names = os.fsencode(folder).split(b"/")
    except UnicodeEncodeError:
        names = [b"\0"]
    if any(len(name) > _LONGEST_NAME or b"\0" in name for name in names) or len(folder) > _LONGEST_PATH:
        raise UsageError(f"{cwd[:40]!r} cannot be the name of a folder")
    return folder


def _form(candidate: Candidate) -> Check | None:
    """What rules a candidate out before anything looks at it."""
    if "\0" in candidate.code:
        return Check(Status.REJECTED, "nul-byte", "holds a NUL byte")
    if half := _HALF.search(candidate.code):
        return Check(Status.REJECTED, "pasted-characters", f"holds U+{ord(half[0]):04X}, which is no character")
    if len(candidate.code) > LONGEST:
        return Check(Status.REJECTED, "too-long", f"longer than {LONGEST} characters")
    if not candidate.code.strip():
        return Check(Status.REJECTED, "nothing", "there is no code")
    if candidate.kind is None:
        return Check(Status.REJECTED, "shell-syntax", candidate.fault)
    return None


def _check(found: Starts, invocations: Sequence[Invocation]) -> Check:
    """The whole from its parts: what cannot be followed is undecided, one refusal is a refusal."""
    all_of_them = tuple(invocations)
    for fault in found.faults:
        if fault.reason in _UNDECIDED:
            return Check(Status.UNDECIDED, fault.reason, fault.message, all_of_them)
    for status in _GRAVITY:
        for each in all_of_them:
            if each.status is status:
                reason, message = _sharper(each, found.faults)
                return Check(status, reason, message, all_of_them)
    for fault in found.faults:
        if fault.reason in ("shell-syntax", "unresolved-variable") or (
            fault.reason == "pasted-characters" and not all_of_them
        ):
            return Check(Status.REJECTED, fault.reason, fault.message, all_of_them)
    if not all_of_them:
        faults = [*found.faults, Fault("not-a-call-of-the-repository", "it starts no program of the repository")]
        return Check(Status.REJECTED, faults[0].reason, faults[0].message)
    if len(found.starts) > _MOST_PROGRAMS:
        message = f"it starts {len(found.starts)} programs; {_MOST_PROGRAMS} were looked at"
        return Check(Status.UNDECIDED, "cannot-follow", message, all_of_them)
    return Check(Status.ACCEPTED, invocations=all_of_them)


def _sharper(refused: Invocation, faults: Sequence[Fault]) -> tuple[str, str]:
    """What the text itself shows to be the cause: characters pasted from a document, a place to be filled in."""
    for fault in faults:
        if fault.reason in ("pasted-characters", "placeholder"):
            return fault.reason, f"{fault.message}; {refused.message}"
    return refused.reason, refused.message


def _status(fault: Fault) -> Status:
    return Status.UNDECIDED if fault.reason in _UNDECIDED else Status.REJECTED


def _inside(path: str) -> str:
    return os.path.relpath(path, WORKSPACE) if path.startswith(WORKSPACE) else path
