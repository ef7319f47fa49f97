"""Record the steps of agents with their own tools: what they did between two model replies.

Such an agent runs in the sandbox, and only its requests to the model are visible outside.
"""

from __future__ import annotations

from datetime import UTC, datetime

from inspect_ai.model import ChatMessage, GenerateConfig, Model
from inspect_ai.tool import ToolChoice, ToolInfo

from mlbench.evals.mlagentbench.actions.sample_state import SampleState, desk
from mlbench.evals.mlagentbench.problem import ResearchProblem
from mlbench.replies import last_reply, reply_in_words, since_it_spoke

TURN = "turn"
"""Name of the action in such a step."""


class StepRecorder:
    """Records the steps of the running sample.

    `asked` is a filter of Inspect's bridge that changes no request. There is at most one step per reply, because a
    failed request can be repeated.

    Attributes:
        failed: why a step could not be recorded. The bridge reports it to the agent as an error of the model.
    """

    def __init__(self, kept: SampleState) -> None:
        self._desk = kept
        self._noted: str | None = None
        self.failed: Exception | None = None

    @classmethod
    async def begin(cls, problem: ResearchProblem) -> StepRecorder:
        """Take the workspace as it is now as the agent's starting point.

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
        """Record what the agent did since the last reply, because it asks its model again."""
        reply = last_reply()
        seen = since_it_spoke(messages, reply.output if reply else None)
        await self._note("\n\n".join(message.text for message in seen))

    async def end(self, printed: str) -> None:
        """Record what the agent did since the last reply, because it has ended.

        Args:
            printed: its output.
        """
        await self._note(printed)

    async def _note(self, seen: str) -> None:
        reply = last_reply()
        if reply is None or reply.completed is None or reply.uuid == self._noted:
            return
        self._noted = reply.uuid
        seconds = max(0.0, (datetime.now(UTC) - reply.completed).total_seconds())
        try:
            await self._desk.note(TURN, reply_in_words(reply.output), seen, seconds)
        except Exception as error:
            self.failed = error
            raise
