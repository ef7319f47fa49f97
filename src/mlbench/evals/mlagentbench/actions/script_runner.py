"""Run an agent's scripts, to their end or limit, or in the background with a handle."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import anyio
from inspect_ai.util import background

from mlbench.evals.mlagentbench.actions.observations import ActionError, ActionFault, Observation
from mlbench.records import Execution, ExitKind
from mlbench.sandbox.jail import Jail
from mlbench.sandbox.streams import CapturedOutput

KEPT = 6_000
"""Bytes kept of each output stream, head and tail."""

AT_ONCE = 4
"""Scripts that may run in the background at the same time."""


@dataclass
class Background:
    """A script that runs or ran in the background."""

    began: float
    printed: CapturedOutput = field(default_factory=lambda: CapturedOutput(KEPT))
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    ended: anyio.Event = field(default_factory=anyio.Event)
    execution: Execution | None = None
    stopped: float = 0.0


@dataclass
class Scripts:
    """The scripts of one sample.

    Processes that a script leaves behind are ended when no script runs.
    """

    jail: Jail
    seconds: float
    _known: dict[str, Background] = field(default_factory=dict)
    _untidy: bool = False

    async def run(self, command: list[str]) -> Observation:
        """Run a script until it ends or reaches the time limit, which ends all its processes.

        Raises:
            SandboxUnavailableError: the sandbox failed.
        """
        self._untidy = True
        done, _ = await self.jail.run(command, seconds=self.seconds, keep=KEPT)
        return observation_of(done, self.seconds)

    async def begin(self, command: list[str]) -> str:
        """Start a script in the background and return its handle.

        Raises:
            ActionError: too many scripts are running.
        """
        if len(self.running()) >= AT_ONCE:
            raise ActionError(
                ActionFault.INVALID_INPUT, f"{AT_ONCE} scripts run already: stop one, or wait for its end"
            )
        script = Background(time.monotonic())
        handle = f"script-{len(self._known) + 1}"
        self._known[handle] = script
        self._untidy = True

        async def to_its_end() -> None:
            try:
                with script.scope:
                    script.execution, _ = await self.jail.run(command, seconds=self.seconds, printed=script.printed)
            finally:
                script.stopped = time.monotonic()
                script.ended.set()

        background(to_its_end)
        return handle

    def status(self, handle: str) -> Observation:
        """Describe the state of a script in the background.

        Raises:
            ActionError: there is no such handle.
        """
        script = self._script(handle)
        if script.execution:
            return observation_of(script.execution, self.seconds)
        how = "was stopped after" if script.ended.is_set() else "runs since"
        seconds = (script.stopped or time.monotonic()) - script.began
        return Observation(
            f"{handle} {how} {seconds:.1f} s\n{_streams(script.printed.out.text(), script.printed.err.text())}"
        )

    async def stop(self, handle: str) -> Observation:
        """End a script in the background with all its processes.

        Raises:
            ActionError: there is no such handle.
        """
        await self._end(self._script(handle))
        return self.status(handle)

    async def stop_all(self) -> None:
        """End everything that runs."""
        for handle in self.running():
            await self._end(self._known[handle])

    def running(self) -> list[str]:
        """The handles of the scripts that still run."""
        return [handle for handle, script in self._known.items() if not script.ended.is_set()]

    async def _end(self, script: Background) -> None:
        script.scope.cancel()
        await script.ended.wait()

    async def tidy(self) -> None:
        """End processes that scripts left behind, if no script runs.

        While one runs, its processes cannot be told from those that were left behind.
        """
        if self._untidy and not self.running():
            await self.jail.clear()
            self._untidy = False

    def _script(self, handle: str) -> Background:
        if handle not in self._known:
            there = ", ".join(self._known) or "none was started"
            raise ActionError(
                ActionFault.INVALID_INPUT, f"there is no script with the handle {handle[:100]!r} ({there})"
            )
        return self._known[handle]


def observation_of(done: Execution, limit: float) -> Observation:
    """Describe how a script ended and what it printed."""
    printed = _streams(done.stdout, done.stderr)
    match done.ending:
        case ExitKind.TIMEOUT:
            how = f"ended after {limit:g} s, the limit of a script, with everything that it started"
            return Observation(f"{how}\n{printed}", ActionFault.TIME_OUT)
        case ExitKind.MEMORY:
            how = f"ended after {done.seconds:.1f} s for the memory that it took"
            return Observation(f"{how}\n{printed}", ActionFault.MEMORY)
    how = f"exit code {done.exit_code} after {done.seconds:.1f} s"
    return Observation(f"{how}\n{printed}", ActionFault.FAILED_SCRIPT if done.exit_code else None)


def _streams(out: str, err: str) -> str:
    parts = [f"{name}:\n{text.rstrip()}" for name, text in (("stdout", out), ("stderr", err)) if text.strip()]
    return "\n".join(parts) or "nothing was printed"
