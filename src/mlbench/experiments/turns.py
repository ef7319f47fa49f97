"""The steps of agents that have tools of their own: what they did between two replies of their model, kept as others'.

Such an agent runs in the sandbox, and nothing of it is seen outside but its requests to the model.
"""

from __future__ import annotations

from datetime import UTC, datetime

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage, GenerateConfig, Model
from inspect_ai.tool import ToolChoice, ToolInfo

from mlbench.experiments.actions.desk import Desk, desk
from mlbench.experiments.problem import Problem
from mlbench.experiments.replies import reply_in_words, since_it_spoke

TURN = "turn"
"""What stands as the action of such a step."""


class Turns:
    """Of the running sample. Its `asked` is a filter of Inspect's bridge; it lets every request pass as it is."""

    def __init__(self, kept: Desk) -> None:
        self._desk = kept
        self._begun = False

    @classmethod
    async def begin(cls, problem: Problem) -> Turns:
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
        if self._begun:
            said = _last_reply()
            seen = since_it_spoke(messages, said.output if said else None)
            await self._note("\n\n".join(message.text for message in seen))
        self._begun = True

    async def end(self, printed: str) -> None:
        """It has ended, and printed this: what it did since the last reply is a step."""
        if self._begun:
            await self._note(printed)

    async def _note(self, seen: str) -> None:
        said = _last_reply()
        began = said.completed if said else None
        seconds = max(0.0, (datetime.now(UTC) - began).total_seconds()) if began else 0.0
        await self._desk.note(TURN, reply_in_words(said.output) if said else "", seen, seconds)


def _last_reply() -> ModelEvent | None:
    answered = (event for event in reversed(transcript().events) if isinstance(event, ModelEvent) and event.completed)
    return next(answered, None)
