"""Asking the model for one decision: tools offered, its call validated, faults sent back, a bounded number of times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    Model,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolFunction
from pydantic import ValidationError

from mlbench.agents.ml_agent.options import MLAgentOptions
from mlbench.agents.ml_agent.prompts import words
from mlbench.agents.ml_agent.result import SolveCosts, SolveOutcome
from mlbench.agents.ml_agent.tool_schemas import Offer, ToolDecision

_MOST_FAULTS = 3


class StoppedError(Exception):
    """The try has come to its end without an answer; says how, and why."""

    def __init__(self, outcome: SolveOutcome, detail: str) -> None:
        super().__init__(detail)
        self.outcome = outcome
        self.detail = detail


@dataclass(frozen=True)
class ChosenTool:
    """A valid decision, and the call that it came by, which has to be replied to before the next question."""

    decision: ToolDecision
    call: ToolCall


@dataclass
class LLMClient:
    """Puts the questions of one try to the model, and keeps what was said and what it cost.

    Attributes:
        cache: where replies are kept, so that a resumed run pays for none twice.
        trajectory: every message of every conversation, in order.
    """

    model: Model
    options: MLAgentOptions
    cache: CachePolicy | None = None
    trajectory: list[ChatMessage] = field(default_factory=list)
    costs: SolveCosts = field(default_factory=SolveCosts)

    @property
    def left(self) -> int:
        """Calls of the model that are left."""
        return self.options.steps - self.costs.steps

    def conversation(self, prompt: str) -> Conversation:
        """A new one; nothing of those before it is sent again."""
        return Conversation(self, [ChatMessageSystem(content=words("system")), ChatMessageUser(content=prompt)])


class Conversation:
    """What one chain of decisions is taken from."""

    def __init__(self, desk: LLMClient, messages: list[ChatMessage]) -> None:
        self._desk = desk
        self._messages = messages
        desk.trajectory += messages

    async def ask(self, offers: Sequence[Offer]) -> ChosenTool:
        """One decision, of those that are offered.

        Raises:
            StoppedError: it stays invalid, or the steps are used up.
        """
        fault = ""
        for _ in range(self._desk.options.retries + 1):
            calls = await self._generate(offers)
            if not calls:
                fault = f"call one of the tools: {', '.join(offer.kind.tool for offer in offers)}"
                self._say(ChatMessageUser(content=f"No decision was taken: {fault}."))
            else:
                read = _read(calls[0], offers)
                for call in calls[1:]:
                    self._reply_to(call, "Passed over: one decision at a time.")
                if isinstance(read, ToolDecision):
                    return ChosenTool(read, calls[0])
                fault = read
                self._reply_to(calls[0], f"Not valid: {fault}. Call it again, mended.")
            self._desk.costs = replace(self._desk.costs, invalid=self._desk.costs.invalid + 1)
        raise StoppedError(SolveOutcome.INVALID, f"{'/'.join(offer.kind.tool for offer in offers)}: {fault}"[:1000])

    def reply(self, decided: ChosenTool, text: str) -> None:
        """What became of a decision, before the next question."""
        self._reply_to(decided.call, text)

    async def _generate(self, offers: Sequence[Offer]) -> list[ToolCall]:
        desk = self._desk
        if desk.left <= 0:
            raise StoppedError(SolveOutcome.STEP_LIMIT, f"{desk.options.steps} calls of the model are used up")
        choice: ToolChoice = ToolFunction(name=offers[0].kind.tool) if len(offers) == 1 else "any"
        tools = [offer.tool() for offer in offers]
        desk.costs = replace(desk.costs, steps=desk.costs.steps + 1)
        output = await desk.model.generate(
            self._messages, tools=tools, tool_choice=choice, cache=desk.cache if desk.cache else False
        )
        if output.usage:
            desk.costs = replace(
                desk.costs,
                tokens_in=desk.costs.tokens_in + output.usage.input_tokens,
                tokens_out=desk.costs.tokens_out + output.usage.output_tokens,
            )
        message = output.message if output.choices else ChatMessageAssistant(content="")
        self._say(message)
        return message.tool_calls or []

    def _reply_to(self, call: ToolCall, text: str) -> None:
        self._say(ChatMessageTool(content=text, tool_call_id=call.id, function=call.function))

    def _say(self, message: ChatMessage) -> None:
        self._messages.append(message)
        self._desk.trajectory.append(message)


def _read(call: ToolCall, offers: Sequence[Offer]) -> ToolDecision | str:
    """The decision in a call; or what is wrong with it."""
    offer = next((offer for offer in offers if offer.kind.tool == call.function), None)
    if offer is None:
        return f"there is no tool {call.function[:100]!r} now, but: {', '.join(each.kind.tool for each in offers)}"
    if call.parse_error:
        return f"its arguments cannot be read: {' '.join(call.parse_error.split())[:300]}"
    try:
        decision = offer.kind.model_validate(call.arguments)
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in error.errors()]
        return "; ".join(faults[:_MOST_FAULTS])
    return offer.fault(decision) or decision
