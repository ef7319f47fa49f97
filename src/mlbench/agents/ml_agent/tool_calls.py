"""Ask the model for one decision: offer tools, validate its call, send faults back.

A model that cannot call tools is asked for the same decisions in text (`text_calls`). This shows in a run's first
requests: the endpoint refuses tools, or the model writes a decision instead of a call.
"""

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
    ModelOutput,
)
from inspect_ai.tool import ToolCall, ToolChoice, ToolFunction
from pydantic import ValidationError

from mlbench.agents.ml_agent.options import MLAgentOptions
from mlbench.agents.ml_agent.prompts import render_prompt
from mlbench.agents.ml_agent.result import SolveCosts, SolveOutcome
from mlbench.agents.ml_agent.text_calls import call_in, described
from mlbench.agents.ml_agent.tool_schemas import Offer, ToolDecision

_MOST_FAULTS = 3
_REFUSED = range(400, 500)
"""HTTP statuses of a request that the endpoint does not take as it is."""
_NOT_ABOUT_TOOLS = (401, 402, 403, 408, 409, 413, 429)


class StoppedError(Exception):
    """The run ended without an answer: the outcome, and the reason."""

    def __init__(self, outcome: SolveOutcome, detail: str) -> None:
        super().__init__(detail)
        self.outcome = outcome
        self.detail = detail


@dataclass(frozen=True)
class ChosenTool:
    """A valid decision and its tool call, which needs a reply before the next question."""

    decision: ToolDecision
    call: ToolCall


@dataclass
class LLMClient:
    """Asks the model in one run, and records the messages and costs.

    Attributes:
        model: the evaluated model.
        options: have the limits of the run.
        cache: caches replies, so that a resumed run pays for no reply twice; None for no cache.
        trajectory: every message of every conversation, in order.
        costs: calls and tokens so far.
        in_text: whether decisions are taken in text; None as long as nothing is known.
    """

    model: Model
    options: MLAgentOptions
    cache: CachePolicy | None = None
    trajectory: list[ChatMessage] = field(default_factory=list)
    costs: SolveCosts = field(default_factory=SolveCosts)
    in_text: bool | None = None

    @property
    def left(self) -> int:
        """The remaining calls of the model."""
        return self.options.steps - self.costs.steps

    def conversation(self, prompt: str) -> Conversation:
        """Start a conversation; earlier ones are not sent again."""
        return Conversation(self, [ChatMessageSystem(content=render_prompt("system")), ChatMessageUser(content=prompt)])


class Conversation:
    """A chain of messages in which the model takes decisions."""

    def __init__(self, client: LLMClient, messages: list[ChatMessage]) -> None:
        self._client = client
        self._messages = messages
        client.trajectory += messages

    async def ask(self, offers: Sequence[Offer]) -> ChosenTool:
        """Return one decision of the offered kinds.

        Raises:
            StoppedError: the decision stays invalid, or the steps are used up.
        """
        fault = ""
        for _ in range(self._client.options.retries + 1):
            calls = await self._generate(offers)
            if not calls:
                names = ", ".join(offer.kind.tool for offer in offers)
                fault = f"write one for: {names}" if self._client.in_text else f"call one of the tools: {names}"
                self._add(ChatMessageUser(content=f"No decision was taken: {fault}."))
                if self._client.in_text is None:  # tools are still offered: the model may just have forgotten them
                    self._describe(offers)
            else:
                decision = _validated(calls[0], offers)
                for call in calls[1:]:
                    self._answer_call(call, "Passed over: one decision at a time.")
                if isinstance(decision, ToolDecision):
                    return ChosenTool(decision, calls[0])
                fault = decision
                self._answer_call(calls[0], f"Not valid: {fault}. Call it again, mended.")
            self._client.costs = replace(self._client.costs, invalid=self._client.costs.invalid + 1)
        raise StoppedError(SolveOutcome.INVALID, f"{'/'.join(offer.kind.tool for offer in offers)}: {fault}"[:1000])

    def reply(self, decided: ChosenTool, text: str) -> None:
        """Tell the model what its decision led to, before the next question."""
        self._answer_call(decided.call, text)

    async def _generate(self, offers: Sequence[Offer]) -> list[ToolCall]:
        client = self._client
        if client.left <= 0:
            raise StoppedError(SolveOutcome.STEP_LIMIT, f"{client.options.steps} calls of the model are used up")
        client.costs = replace(client.costs, steps=client.costs.steps + 1)
        output = await self._output(offers)
        if output.usage:
            client.costs = replace(
                client.costs,
                tokens_in=client.costs.tokens_in + output.usage.input_tokens,
                tokens_out=client.costs.tokens_out + output.usage.output_tokens,
            )
        message = output.message if output.choices else ChatMessageAssistant(content="")
        self._add(message)
        if message.tool_calls:
            client.in_text = False
            return message.tool_calls
        if client.in_text is False or (found := call_in(message.text, offers)) is None:
            return []
        client.in_text = True
        return [found]

    async def _output(self, offers: Sequence[Offer]) -> ModelOutput:
        """Ask with tools, or in text if the model or its endpoint has none."""
        client = self._client
        cache = client.cache if client.cache else False
        if not client.in_text:
            choice: ToolChoice = ToolFunction(name=offers[0].kind.tool) if len(offers) == 1 else "any"
            tools = [offer.tool() for offer in offers]
            try:
                return await client.model.generate(self._messages, tools=tools, tool_choice=choice, cache=cache)
            except Exception as error:
                if client.in_text is False or not _refuses_tools(error):
                    raise
                client.in_text = True
        self._describe(offers)
        return await client.model.generate(self._messages, cache=cache)

    def _describe(self, offers: Sequence[Offer]) -> None:
        """Add to the last message how a decision is taken in text: some models take no two messages of a user."""
        last = self._messages.pop()
        self._client.trajectory.pop()
        self._add(ChatMessageUser(content=f"{last.text}\n\n{described(offers)}"))

    def _answer_call(self, call: ToolCall, text: str) -> None:
        if self._client.in_text:
            self._add(ChatMessageUser(content=text))
        else:
            self._add(ChatMessageTool(content=text, tool_call_id=call.id, function=call.function))

    def _add(self, message: ChatMessage) -> None:
        self._messages.append(message)
        self._client.trajectory.append(message)


def _refuses_tools(error: BaseException) -> bool:
    """Whether an error may mean that the endpoint takes no tools: it refuses the request as such."""
    status = getattr(error, "status_code", None)
    return isinstance(status, int) and status in _REFUSED and status not in _NOT_ABOUT_TOOLS


def _validated(call: ToolCall, offers: Sequence[Offer]) -> ToolDecision | str:
    """Return the decision in a call, or what is wrong with it."""
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
