"""What belongs to one running sample: its jail, its scripts, what can be undone, the record of its steps."""

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

from mlbench.experiments.actions.observations import Observation, Refused, head_and_tail
from mlbench.experiments.actions.repeated import Earlier, asked
from mlbench.experiments.actions.running import Scripts
from mlbench.experiments.actions.undo import Undo
from mlbench.experiments.increments import Watch
from mlbench.experiments.snapshots import Progress, Step, Steps
from mlbench.sandbox.bubblewrap import BubblewrapSandbox
from mlbench.sandbox.jail import Jail

_INPUT = 2_000  # characters of one input that are recorded
_OBSERVED = 20_000


@dataclass
class Desk:
    """One sample's own. `log` holds its steps in words, for those who look back; `earlier` what a kill cut short."""

    jail: Jail
    scripts: Scripts
    undo: Undo
    watch: Watch
    turn: anyio.Lock = field(default_factory=anyio.Lock)
    log: list[str] = field(default_factory=list)
    earlier: Earlier = field(default_factory=Earlier)

    async def step(
        self, action: str, inputs: Mapping[str, Any], work: Callable[[], Awaitable[Observation]]
    ) -> Observation:
        """Do one action, and keep it as a step: what it was, what it showed, what it changed.

        Raises:
            SandboxUnavailableError: the sandbox failed; whatever the model of a composed action raises.
        """
        async with self.turn:
            await self._begin()
            began = time.perf_counter()
            try:
                seen = await work()
            except Refused as refused:
                seen = refused.observed()
            await self.scripts.tidy()
            return await self._keep(action, inputs, seen, time.perf_counter() - began)

    async def _begin(self) -> None:
        progress = store_as(Progress)
        if progress.folder and not progress.steps:
            steps = Steps(Path(progress.folder))
            await to_thread.run_sync(steps.begin)
            self.earlier = Earlier(await to_thread.run_sync(steps.earlier))
            await self.watch.begin()

    async def _keep(self, action: str, inputs: Mapping[str, Any], seen: Observation, seconds: float) -> Observation:
        """Keep a step. Returns what is shown of it, which is what was shown before where it was done before."""
        progress = store_as(Progress)
        said = {name: head_and_tail(str(value), _INPUT) for name, value in inputs.items()}
        observation = head_and_tail(seen.text, _OBSERVED)
        done = Step(progress.steps + 1, action, said, observation, seen.fault or "", round(seconds, 3))
        step = self.earlier.again(replace(done, asked=asked(action, inputs, progress.data)), _OBSERVED)
        if progress.folder:
            increment = await self.watch.take()
            step = await to_thread.run_sync(Steps(Path(progress.folder)).add, step, increment)
        progress.steps += 1
        progress.seconds += step.seconds
        given = ", ".join(f"{name}: {head_and_tail(value, 300)}" for name, value in said.items())
        self.log.append(f"{step.number}. {action} ({given})\n{head_and_tail(step.observation, 1_000)}")
        return seen if step.observation == observation else replace(seen, text=step.observation)


_desks: WeakKeyDictionary[BubblewrapSandbox, Desk] = WeakKeyDictionary()


async def desk(script_seconds: float) -> Desk:
    """The running sample's; made at its first action.

    Raises:
        SandboxUnavailableError: its sandbox does not start.
        TypeError: its sandbox is not one of bubblewrap.
    """
    box = sandbox().as_type(BubblewrapSandbox)
    if box not in _desks:
        jail = await box.jail()
        _desks.setdefault(box, Desk(jail, Scripts(jail, script_seconds), Undo(jail), Watch(jail)))
    return _desks[box]
