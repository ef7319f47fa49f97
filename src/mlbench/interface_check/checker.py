"""Check a candidate: find the programs that it starts, and ask each whether it accepts its arguments."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from inspect_ai.util import SandboxUnavailableError

from mlbench.interface_check.added_files import added_files_fault
from mlbench.interface_check.answers import invocation_of
from mlbench.interface_check.candidate_form import jail_folder, malformed
from mlbench.interface_check.check_cache import CheckQuestion
from mlbench.interface_check.check_server import CheckEnv, CheckServer, ServerDiedError
from mlbench.interface_check.client_pool import Servers
from mlbench.interface_check.combine import MOST_PROGRAMS, UNDECIDED, CombinedTrace, decided, status_of, steady, whole
from mlbench.interface_check.entry_points import entry_points
from mlbench.interface_check.injected_words import is_foreign, spellings, without_injected
from mlbench.interface_check.jail_files import written_since
from mlbench.interface_check.launched_programs import starts
from mlbench.interface_check.launches import Launch, Starts
from mlbench.interface_check.notes import Note, folder_inside, noted, unless_without_words, without_results
from mlbench.interface_check.python_answers import beyond, question
from mlbench.interface_check.runtime.documented_env import LAUNCHED
from mlbench.interface_check.runtime.patience import BY_CLOCK
from mlbench.interface_check.written_inputs import WrittenInputs
from mlbench.reasons import Reason
from mlbench.records import Candidate, Check, CheckStatus, Invocation
from mlbench.sandbox.jail import WORKSPACE
from mlbench.shell.downloads import remote_code
from mlbench.shell.launcher_table import SETTING_RANKS
from mlbench.shell.shell_static import CHANCES, hangs_on_chance

CPU_SECONDS, WALL_SECONDS = 10.0, 30.0
"""Limits for the check of one program: processor time, and wall time for programs that sleep."""
TOGETHER = 60.0
"""Seconds that those programs of one text may take together that run to a limit. Others do not count."""
BEFORE = "the programs before it took"

_PASSING = (BY_CLOCK, BEFORE, "the shell does not end within", "the check", "it ended the check")
"""Beginnings of messages about results that may differ the next time."""
_INPUTS_ASSUMED = "a script tests for files that are not in the repository: the check assumes inputs that are there"
_DEEPEST = 3
"""Maximum depth of programs that Python code starts, which start others."""


@dataclass(frozen=True)
class CheckTarget:
    """A repository to check against: its folder, its environment, and the variables of every program."""

    place: CheckEnv
    env: Mapping[str, str] = field(default_factory=dict)


class Checker:
    """Checks candidates against one repository. Use as an async context manager, or `close` it.

    Args:
        servers: a pool shared with the checkers of other repositories. None: a pool of its own.
        workers: parallel checks with a pool of its own (default: number of CPUs).
        wall: wall seconds for one program.
    """

    def __init__(
        self,
        subject: CheckTarget,
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

    async def check(self, candidate: Candidate, cwd: str = ".", prefix: str = "", files: bytes = b"") -> Check:
        """Check one candidate.

        Args:
            candidate: the candidate; a shell text if there are `files`.
            cwd: the folder in which it starts, relative to the repository's root.
            prefix: shell text that runs before it, in the same folder.
            files: archive (`.tgz`) of files that are added to the repository before it starts.

        Raises:
            UsageError: `cwd` leads out of the repository, or is no valid folder name.
            SandboxUnavailableError: the sandbox is missing or failed. This is not the candidate's fault.
        """
        began = time.perf_counter()
        folder = jail_folder(cwd)
        check = malformed(candidate)
        if check is None:
            is_code = candidate.kind == "python" and not files
            look = partial(self._code, candidate.code) if is_code else partial(self._shell, candidate.code, files=files)
            look = partial(look, folder=folder, prefix=prefix)
            question = None if files else self._question(candidate, folder, prefix)
            check = await (self._remembered(question, look) if question else self._looked(look))
        return replace(check, seconds=time.perf_counter() - began)

    def _question(self, candidate: Candidate, folder: str, prefix: str) -> CheckQuestion:
        env, details = sorted(self.subject.env.items()), sorted(self._asked.items())
        return CheckQuestion(
            self.subject.place, tuple(env), candidate, folder, prefix, tuple((name, repr(it)) for name, it in details)
        )

    async def _remembered(self, question: CheckQuestion, look: Callable[[], Awaitable[Check]]) -> Check:
        """The check of an equal candidate, or a new one."""
        checks = self._servers.checks
        if checks is None:
            return await self._looked(look)
        check = checks.get(question)
        if check is None:
            check = await self._looked(look)
            checks.keep(question, check)
        return check

    async def _looked(self, look: Callable[[], Awaitable[Check]]) -> Check:
        """The check. A check that timed out or lost its server is repeated once, alone; only that result counts."""
        with contextlib.suppress(SandboxUnavailableError):  # on a busy machine a jail may start too slowly
            async with self._servers.together():
                check = await look()
            if not _by_clock(check):
                return check
        async with self._servers.alone():
            return await look()

    async def describe(self, candidate: Candidate, cwd: str = ".", prefix: str = "") -> Check:
        """Check a shell candidate, and add the options of each program as the invocation's `schema`.

        Raises:
            UsageError, SandboxUnavailableError: as `check`.
        """
        asking = Checker(self.subject, self._servers, wall=self._wall)
        asking._asked = {"describe": True}
        return await asking.check(candidate, cwd, prefix)

    async def _code(self, code: str, folder: str, prefix: str) -> Check:
        request = {**question(code, folder, self.subject.env, self._bounds()), "main": self._main_functions()}
        answer = await self._servers.ask(self.subject.place, request)
        found = invocation_of(answer, how="code", cwd=folder_inside(folder))
        notes = noted(answer)
        if notes:
            found = without_results(found)
        if found.status is CheckStatus.ACCEPTED and (line := int(answer.get("stopped") or 0)):
            reason, message = beyond(self.subject.place.repository, self._searched(folder), code, line)
            if reason:
                found = replace(found, status=CheckStatus.REJECTED, reason=reason, message=message)
        if found.status is CheckStatus.ACCEPTED and not found.calls:
            found = replace(found, status=CheckStatus.REJECTED, reason=Reason.NOT_A_CALL_OF_THE_REPOSITORY)
        started = await self._started(notes)
        return decided([found, *started]) if started else Check(found.status, found.reason, found.message, (found,))

    async def _started(self, notes: Sequence[Note | Invocation]) -> Sequence[Invocation]:
        """The programs that a Python answer starts, each with its folder and variables."""
        found: list[Invocation] = []
        for note in notes:
            if isinstance(note, Invocation):
                found.append(note)
                continue
            check = await self._shell(note.text, note.cwd, "", note.env)
            started = check.invocations or (Invocation(check.status, check.reason, check.message, how="code"),)
            found += unless_without_words(note, started)
        return found

    def _main_functions(self) -> list[tuple[str, str, str]]:
        """The declared console scripts: file of the function, name of the function, name of the script."""
        repository = self.subject.place.repository
        declared = entry_points(repository)
        targets = [(*target.split(":", 1), script) for script, target in declared.functions.items() if ":" in target]
        found = [(declared.file_of(repository, module), name, script) for module, name, script in targets]
        return [(file, name, script) for file, name, script in found if file is not None]

    def _bounds(self) -> dict[str, float]:
        return {"cpu": CPU_SECONDS, "wall": self._wall}

    def _searched(self, folder: str) -> list[Path]:
        """The module search path for a folder of the jail, as folders of this machine."""
        repository = self.subject.place.repository
        path = [folder, *self.subject.env.get("PYTHONPATH", "").split(":")]
        return [repository / folder_inside(each) for each in path if each and (each + "/").startswith(f"{WORKSPACE}/")]

    async def _shell(
        self, code: str, folder: str, prefix: str, env: Mapping[str, str] | None = None, files: bytes = b""
    ) -> Check:
        text = _Text(code, folder, prefix, dict(env or {}), own=bool(files), files=files)
        if fault := remote_code(code):
            return Check(CheckStatus.REJECTED, fault.reason, fault.message)
        if not hangs_on_chance(code):
            return (await self._looked_at(text)).check
        return steady([await self._looked_at(replace(text, chance=chance)) for chance in CHANCES])

    async def _looked_at(self, text: _Text) -> CombinedTrace:
        if text.own:
            return await self._alone(text)
        died = ""
        for _ in range(2):
            async with self._servers.lend(self.subject.place) as server:
                try:
                    found = await self._followed(server, text)
                except ServerDiedError as error:
                    died = f"the check's server died twice: {error}"
                    continue
            return found or await self._alone(replace(text, own=True))
        return CombinedTrace(Check(CheckStatus.UNDECIDED, Reason.CANNOT_FOLLOW, died))

    async def _alone(self, text: _Text) -> CombinedTrace:
        """Check the text in a writable jail of its own, which is discarded afterwards."""
        async with self._servers.writable(self.subject.place) as server:
            if text.files:
                text = replace(text, began=time.time())
                if fault := await added_files_fault(server.jail, self.subject.place.repository, text.files):
                    return CombinedTrace(fault)
            try:
                found = await self._followed(server, text)
            except (ServerDiedError, SandboxUnavailableError) as error:  # no other check shares this jail
                found = CombinedTrace(
                    Check(CheckStatus.UNDECIDED, Reason.CANNOT_FOLLOW, f"it ended the check: {error}")
                )
        assert found is not None
        return found

    async def _followed(self, server: CheckServer, text: _Text) -> CombinedTrace | None:
        """The check of a shell text and its trace; None if it needs a jail of its own."""
        found = await self._starts(server, text)
        if found.alone:
            return None
        run = _Run(text.own, [], WrittenInputs.of(self.subject.place.repository, found, text.code), since=text.began)
        invocations = await self._invocations(server, found.starts, run)
        if invocations is None:
            return None
        places = tuple(
            (start.program, start.command.line, start.command.source) for start in found.starts if not start.is_code
        )
        return CombinedTrace(whole(found, invocations), places)

    async def _starts(self, server: CheckServer, text: _Text) -> Starts:
        env = {**self.subject.env, **text.env}
        place = server.jail, self.subject.place.repository
        found = await starts(*place, text.code, text.folder, env, text.prefix, text.own, text.chance, text.began)
        return replace(found, starts=tuple(replace(each, env={**text.env, **each.env}) for each in found.starts))

    async def _invocations(self, server: CheckServer, found: Sequence[Launch], run: _Run) -> list[Invocation] | None:
        """The invocations of all programs and code; None if one needs to write and cannot."""
        invocations: list[Invocation] = []
        for start in found[:MOST_PROGRAMS]:
            said = await self._invocation(server, start, sum(run.limits) < TOGETHER, run.own)
            if said is None and not run.own:
                return None
            invocation, notes = said or (Invocation(CheckStatus.UNDECIDED, Reason.RAISED, "it cannot write"), ())
            if invocation.reason == Reason.TIME_LIMIT:
                run.limits.append(self._wall if invocation.message.startswith(BY_CLOCK) else CPU_SECONDS)
            invocation = replace(run.text.as_read(invocation, start), cut_short=start.cut_short)
            if start.is_input_assumed:
                invocation = replace(invocation, unchecked=(*invocation.unchecked, _INPUTS_ASSUMED))
            if run.code and not start.is_code:
                invocation = await self._untouched(server, invocation, run)
            if run.others and invocation.reason == Reason.NO_SUCH_FILE and start.fault is None:
                invocation = _forgiven(invocation)
            if notes or run.others:
                invocation = without_results(invocation)
            invocations.append(invocation)
            run.others, run.code = True, run.code or start.is_code
            run.text.went(invocation, start)
            for note in notes if run.depth < _DEEPEST else ():
                if isinstance(note, Invocation):
                    invocations.append(await self._untouched(server, note, run))
                    continue
                text = _Text(note.text, note.cwd, "", {**start.env, **note.env}, run.own, began=run.since)
                inner = await self._starts(server, text)
                if inner.alone:
                    return None
                if fault := remote_code(note.text):
                    invocations.append(Invocation(CheckStatus.REJECTED, fault.reason, fault.message))
                below = await self._invocations(server, inner.starts, replace(run, depth=run.depth + 1))
                if below is None:
                    return None
                grave = [one for one in inner.faults if one.reason in UNDECIDED]
                invocations += [Invocation(status_of(one), one.reason, one.message) for one in grave]
                invocations += unless_without_words(note, below)
        return invocations

    async def _untouched(self, server: CheckServer, invocation: Invocation, run: _Run) -> Invocation:
        """An invocation after the answer's own code has run, because that code may have changed the repository."""
        if not run.own:
            return invocation
        files = await written_since(server.jail, self.subject.place.repository, run.began)
        if not (changed := files.changed_code):
            return invocation
        message = f"the text changes {changed}"
        return replace(invocation, status=CheckStatus.REJECTED, reason=Reason.TOUCHES_CODE, message=message)

    async def _invocation(
        self, server: CheckServer, start: Launch, has_time: bool, own: bool
    ) -> tuple[Invocation, Sequence[Note | Invocation]] | None:
        """Ask one program, if the text has time left; None if it needs to write.

        Args:
            own: the jail belongs to the text, so the inputs may be files that it wrote.
        """
        about: dict[str, Any] = {
            "program": start.program,
            "how": "code" if start.is_code else start.run if start.run != "none" else "file",
            "cwd": folder_inside(start.cwd),
            "argv": start.argv,
            "env": start.env,
        }
        if start.fault is not None:
            return Invocation(status_of(start.fault), start.fault.reason, start.fault.message, **about), ()
        if not has_time:
            message = f"{BEFORE} {TOGETHER:.0f} s"
            return Invocation(CheckStatus.UNDECIDED, Reason.TIME_LIMIT, message, **about), ()
        env = {**self.subject.env, **start.env}
        if not SETTING_RANKS.isdisjoint(start.launchers):
            env = {LAUNCHED: "none", **env}
        if start.is_code:
            request: dict[str, Any] = {"do": "code", "argv": list(start.argv)}
            request["code" if start.run == "code" else "file"] = start.target
            request["main"] = self._main_functions()
        else:
            request = {"do": "program", "run": start.run, "target": start.target, "argv": list(start.argv)}
            request.update(name=start.command.argv[0], file=start.program)
        request.update(cwd=start.cwd, env=env, inputs=own, **self._bounds(), **self._asked)
        for injected in spellings(start.injected):
            answer = await server.ask({**request, "argv": [*injected, *start.argv]})
            if not is_foreign(injected, answer):
                given = without_injected(answer, injected, start.argv)
                return None if answer.get("wrote") else (invocation_of(given, **about), noted(answer))
        answer = await server.ask(request)
        return None if answer.get("wrote") else (invocation_of(answer, **about), noted(answer))


@dataclass(frozen=True)
class _Text:
    """A shell text to check.

    Attributes:
        own: it is checked in a jail of its own.
        files: archive of the files that are added there.
        began: when that jail got its first file, in seconds since the epoch; None for the start of the text.
    """

    code: str
    folder: str
    prefix: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    own: bool = False
    chance: int | None = None
    files: bytes = b""
    began: float | None = None


@dataclass
class _Run:
    """The progress of one text: the limits that programs ran to, and whether other programs or own code ran before."""

    own: bool
    limits: list[float]
    text: WrittenInputs
    depth: int = 0
    since: float | None = None
    began: float = field(default_factory=time.time)
    others: bool = False
    code: bool = False


def _forgiven(invocation: Invocation) -> Invocation:
    """Excuse a missing file that an earlier program may write: code is neutral, a program is undecided."""
    message = f"{invocation.message}; a program before it may write that file"
    if invocation.how == "code":
        unchecked = (*invocation.unchecked, message)
        return replace(invocation, status=CheckStatus.ACCEPTED, reason="", message="", unchecked=unchecked)
    return replace(invocation, status=CheckStatus.UNDECIDED, message=message)


def _by_clock(check: Check) -> bool:
    """Whether a check rests only on elapsed time, or its server has died."""
    return check.status is CheckStatus.UNDECIDED and check.message.startswith(_PASSING)
