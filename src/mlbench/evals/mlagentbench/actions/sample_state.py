"""The state of one running sample: jail, scripts, undo history, recorded steps."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import anyio
from anyio import to_thread
from inspect_ai.util import sandbox, store_as

from mlbench.evals.mlagentbench.actions.observations import ActionError, Observation
from mlbench.evals.mlagentbench.actions.replay import ReplayLog, asked
from mlbench.evals.mlagentbench.actions.script_runner import Scripts
from mlbench.evals.mlagentbench.actions.undo import Undo
from mlbench.evals.mlagentbench.snapshots import Progress, SnapshotStep, Steps
from mlbench.evals.mlagentbench.workspace_diff import WorkspaceWatcher
from mlbench.replies import last_reply
from mlbench.sandbox.bubblewrap import BubblewrapSandbox
from mlbench.sandbox.jail import Jail
from mlbench.truncate import head_and_tail

MOST_OF_INPUT = 2_000
"""Characters of one input that are recorded."""

_OBSERVED = 20_000
_REPLIED = 6_000


@dataclass
class SampleState:
    """State of one sample.

    Attributes:
        log: its steps in words, for the actions that look back.
        earlier: attempts that were interrupted.
        spoken: the last reply that is recorded, or that a helper gave within a step.
    """

    jail: Jail
    scripts: Scripts
    undo: Undo
    watch: WorkspaceWatcher
    turn: anyio.Lock = field(default_factory=anyio.Lock)
    log: list[str] = field(default_factory=list)
    earlier: ReplayLog = field(default_factory=ReplayLog)
    spoken: str | None = None

    async def begin(self) -> None:
        """Take the workspace as it is now as the agent's starting point.

        Raises:
            SandboxUnavailableError: the sandbox failed.
        """
        progress = store_as(Progress)
        if progress.folder and not progress.steps:
            steps = Steps(Path(progress.folder))
            await to_thread.run_sync(steps.begin)
            self.earlier = ReplayLog(await to_thread.run_sync(steps.earlier))
            await self.watch.begin()

    async def step(
        self, action: str, inputs: Mapping[str, Any], work: Callable[[], Awaitable[Observation]]
    ) -> Observation:
        """Do one action and record it: inputs, observation, changed files.

        Args:
            action: name of the action.
            inputs: its inputs.
            work: does it.

        Raises:
            SandboxUnavailableError: the sandbox failed. Errors of a helper model are passed on.
        """
        async with self.turn:
            await self.begin()
            reply = self._reply()
            began = time.perf_counter()
            try:
                seen = await work()
            except ActionError as refused:
                seen = refused.observed()
            await self.scripts.tidy()
            self._reply()  # what a helper said meanwhile is not what the next step followed from
            shortened = {name: head_and_tail(str(value), MOST_OF_INPUT) for name, value in inputs.items()}
            step = self._done(action, seen.text, time.perf_counter() - began, reply)
            step = replace(
                step, inputs=shortened, error=seen.fault or "", asked=asked(action, inputs, store_as(Progress).data)
            )
            again = self.earlier.again(step, _OBSERVED)
            await self._keep(again)
            return seen if again.observation == step.observation else replace(seen, text=again.observation)

    async def note(self, action: str, reply: str, seen: str, seconds: float) -> None:
        """Record a step that was done without an action.

        Args:
            action: what stands for the action's name.
            reply: the model's reply before it.
            seen: what was observed.
            seconds: wall time.

        Raises:
            SandboxUnavailableError: the sandbox failed.
        """
        async with self.turn:
            await self._keep(self._done(action, seen, seconds, reply))

    def _done(self, action: str, seen: str, seconds: float, reply: str) -> SnapshotStep:
        number, observation = store_as(Progress).steps + 1, head_and_tail(seen, _OBSERVED)
        reply_text = head_and_tail(reply, _REPLIED)
        return SnapshotStep(number, action, observation=observation, seconds=round(seconds, 3), reply=reply_text)

    async def _keep(self, step: SnapshotStep) -> None:
        progress = store_as(Progress)
        if progress.folder:
            with anyio.CancelScope(shield=True):  # what is taken and not added would be lost; both have their limits
                increment = await self.watch.take()
                step = await to_thread.run_sync(Steps(Path(progress.folder)).add, step, increment)
        progress.steps += 1
        progress.seconds += step.seconds
        given = ", ".join(f"{name}: {head_and_tail(value, 300)}" for name, value in step.inputs.items())
        self.log.append(f"{step.number}. {step.action} ({given})\n{head_and_tail(step.observation, 1_000)}")

    def _reply(self) -> str:
        """The model's reply before this step; empty if an earlier step records it."""
        reply = last_reply()
        if reply is None or reply.uuid == self.spoken:
            return ""
        self.spoken = reply.uuid
        return reply.output.completion


_desks: WeakKeyDictionary[BubblewrapSandbox, SampleState] = WeakKeyDictionary()


async def desk(script_seconds: float) -> SampleState:
    """Return the running sample's state; it is created at the first action.

    Raises:
        SandboxUnavailableError: the sandbox does not start.
        TypeError: the sandbox is not of bubblewrap.
    """
    box = sandbox().as_type(BubblewrapSandbox)
    if box not in _desks:
        jail = await box.jail()
        _desks.setdefault(box, SampleState(jail, Scripts(jail, script_seconds), Undo(jail), WorkspaceWatcher(jail)))
    return _desks[box]
