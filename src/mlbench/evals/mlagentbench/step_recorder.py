"""The steps of agents that have tools of their own: what they did between two replies of their model, kept as others'.

Such an agent runs in the sandbox, and nothing of it is seen outside but its requests to the model.
"""

from __future__ import annotations

from datetime import UTC, datetime

from inspect_ai.model import ChatMessage, GenerateConfig, Model
from inspect_ai.tool import ToolChoice, ToolInfo

from mlbench.evals.mlagentbench.actions.sample_state import SampleState, desk
from mlbench.evals.mlagentbench.problem import ResearchProblem
from mlbench.evals.mlagentbench.transcript import last_reply, reply_in_words, since_it_spoke

TURN = "turn"
"""What stands as the action of such a step."""


class StepRecorder:
    """Of the running sample. Its `asked` is a filter of Inspect's bridge; it lets every request pass as it is.

    There is at most one step for each reply: a request may fail and be made again, as often as the agent likes.

    Attributes:
        failed: why a step could not be kept. The bridge tells that to the agent, as if the model had failed.
    """

    def __init__(self, kept: SampleState) -> None:
        self._desk = kept
        self._noted: str | None = None
        self.failed: Exception | None = None

    @classmethod
    async def begin(cls, problem: ResearchProblem) -> StepRecorder:
        """What is in the workspace now is what the agent got.

        Raises:
            SandboxUnavailableError: the sandbox failed.
        """
        kept = await desk(problem.bounds.script_seconds)
        await kept.begin()
        return cls(kept)

    async def asked(
        self,
        model: Model,
        messages: list[ChatMessage],
        tools: list[ToolInfo],
        choice: ToolChoice | None,
        config: GenerateConfig,
    ) -> None:
        """Its model is asked: what it did since the last reply is a step."""
        said = last_reply()
        seen = since_it_spoke(messages, said.output if said else None)
        await self._note("\n\n".join(message.text for message in seen))

    async def end(self, printed: str) -> None:
        """It has ended, and printed this: what it did since the last reply is a step."""
        await self._note(printed)

    async def _note(self, seen: str) -> None:
        said = last_reply()
        if said is None or said.completed is None or said.uuid == self._noted:
            return
        self._noted = said.uuid
        seconds = max(0.0, (datetime.now(UTC) - said.completed).total_seconds())
        try:
            await self._desk.note(TURN, reply_in_words(said.output), seen, seconds)
        except Exception as error:
            self.failed = error
            raise
