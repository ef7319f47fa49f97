"""Go on after a chosen step of a kept attempt: its workspace, and its steps as the prompt shows them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from anyio import to_thread

from mlbench.evals.mlagentbench.actions import FURTHER, PUBLISHED
from mlbench.evals.mlagentbench.actions.replay import asked
from mlbench.evals.mlagentbench.actions.sample_state import MOST_OF_INPUT, desk
from mlbench.evals.mlagentbench.actions.tools import UNREADABLE
from mlbench.evals.mlagentbench.research_agent.parsing import UnreadableError, parse
from mlbench.evals.mlagentbench.research_agent.steps import ParsedReply, ResearchStep
from mlbench.evals.mlagentbench.snapshots import SnapshotStep, Steps
from mlbench.records import RunError, UsageError
from mlbench.sandbox.submission import unpack
from mlbench.truncate import head_and_tail

_NAMES = {tool: name for name, tool in {**PUBLISHED, **FURTHER}.items()}


@dataclass(frozen=True)
class EarlierSteps:
    """The first steps of a kept attempt.

    Attributes:
        folder: of the attempt's steps.
        steps: those to go on after.
    """

    folder: Path
    steps: tuple[SnapshotStep, ...]

    @classmethod
    def read(cls, words: str) -> EarlierSteps:
        """Read what `FOLDER:NUMBER` names.

        Raises:
            UsageError: there is no such step, or the steps are another agent's.
        """
        folder, _, number = words.rpartition(":")
        if not folder or not number.isdigit():
            raise UsageError(
                f"research_agent: after={words!r}: expected FOLDER:STEP, a folder of LOGS/steps and a number"
            )
        try:
            steps = Steps(Path(folder)).read()
        except RunError as error:
            raise UsageError(str(error)) from None
        if not 1 <= int(number) <= len(steps):
            raise UsageError(f"{folder}: there is no step {number}; there are {len(steps)}")
        if foreign := next((step.action for step in steps if step.action not in {*_NAMES, UNREADABLE}), None):
            raise UsageError(f"{folder}: {foreign!r} is no action of research_agent: another agent took these steps")
        return cls(Path(folder), tuple(steps[: int(number)]))

    def check_data(self, data: str) -> None:
        """Refuse steps that were taken on other data.

        Args:
            data: identifies the starter and its data (`Progress.data`).

        Raises:
            UsageError: they were.
        """
        for step in self.steps:
            whole = all(len(value) < MOST_OF_INPUT for value in step.inputs.values())
            if step.asked and whole and step.error == "" and step.asked != asked(step.action, step.inputs, data):
                raise UsageError(
                    f"{self.folder}: these steps are of another problem or of other data; give the run's --data-seed"
                )

    def as_shown(self, longest: int) -> list[ResearchStep]:
        """Return the steps as the prompt shows them.

        Args:
            longest: characters of an observation.
        """
        return [
            ResearchStep(
                step.number, step.reply, _parsed(step), step.observation, head_and_tail(step.observation, longest)
            )
            for step in self.steps
        ]

    async def restore(self, script_seconds: float) -> None:
        """Bring the workspace to the state after the last step, as a step of its own.

        Args:
            script_seconds: limit of a script.

        Raises:
            RunError: the state was not kept, or cannot be restored.
            SandboxUnavailableError: the sandbox failed.
        """
        number = self.steps[-1].number
        archive = await to_thread.run_sync(Steps(self.folder).restore, number)
        state = await desk(script_seconds)
        await state.begin()
        if fault := await unpack(state.jail, archive):
            raise RunError(f"{self.folder}: step {number}: {fault}")
        await state.note("restored", "", f"the workspace after step {number} of {self.folder}", 0.0)


def _parsed(step: SnapshotStep) -> ParsedReply | None:
    """The step's action as it was recorded, with the sections of its reply if they can be read."""
    if step.action == UNREADABLE:
        return None
    try:
        thoughts = parse(step.reply).thoughts
    except UnreadableError:  # the kept reply is shortened
        thoughts = {}
    return ParsedReply(_NAMES[step.action], step.inputs, thoughts)
