"""Run an agent on one sample within its budget, and record how its work ended."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from inspect_ai.agent import Agent, AgentState, run
from inspect_ai.event import Event, ModelEvent, SampleLimitEvent
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessageAssistant
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import Limit, StoreModel, cost_limit, sandbox, store_as, token_limit, turn_limit

from mlbench.reasons import AgentOutcome
from mlbench.records import RunError
from mlbench.replies import replayed
from mlbench.run_config import AgentBudget
from mlbench.sandbox.network import Network, opened
from mlbench.sandbox.submission import clock

_LAST_WORDS = 2000


_OUTCOMES = {
    "turn": AgentOutcome.STEP_LIMIT,
    "message": AgentOutcome.STEP_LIMIT,
    "token": AgentOutcome.TOKEN_LIMIT,
    "cost": AgentOutcome.COST_LIMIT,
}
"""The outcome by the type of Inspect's limit. Every other type measures time, or a person who ended the wait."""


class AgentRun(StoreModel):
    """What is known about an agent's work on a sample when it has ended.

    Attributes:
        since: the sandbox's clock when the agent started.
        started: this process's monotonic clock when the agent started, in seconds.
        outcome: an `AgentOutcome`; empty while the agent works.
        detail: the last lines of the agent's output if it crashed.
        steps: answered calls of the model.
        seconds: wall time, including the time that cached replies took when they were first generated.
        replayed: tokens of cached replies, which Inspect leaves out of its own count.
        last_words: the end of the last text that the model wrote.
    """

    since: str = ""
    started: float = 0.0
    outcome: str = ""
    detail: str = ""
    steps: int = 0
    seconds: float = 0.0
    replayed: int = 0
    last_words: str = ""


def inspect_limits(budget: AgentBudget) -> list[Limit]:
    """Return the budget's steps, tokens and cost as Inspect limits.

    The time is missing because only the whole sample can have a limit on working time.
    """
    limits: list[Limit] = [turn_limit(budget.steps)]
    limits += [token_limit(budget.tokens)] if budget.tokens else []
    return [*limits, cost_limit(budget.cost)] if budget.cost else limits


def report_outcome(outcome: AgentOutcome, detail: str = "") -> None:
    """Record how the running agent ended, for an agent that knows this better than its caller.

    An agent that returns without a report has ended by itself. A limit of Inspect overrides the report.
    """
    work = store_as(AgentRun)
    work.outcome, work.detail = outcome, detail


def outcome_of_events(events: Iterable[Event]) -> AgentOutcome:
    """Return which limit stopped an agent that did not return, from the sample's events.

    An answered call of the model after a limit event shows that the agent survived that limit. Inspect writes
    no event when the working time is over, so this is what remains without one.
    """
    for event in reversed(list(events)):
        if isinstance(event, SampleLimitEvent):
            return _OUTCOMES.get(event.type, AgentOutcome.TIME_LIMIT)
        if isinstance(event, ModelEvent) and not (event.pending or event.error):
            break
    return AgentOutcome.TIME_LIMIT


@solver
def working(agent: Agent, network: str, budget: Mapping[str, Any]) -> Solver:
    """Run an agent in the sample's sandbox until it ends or a limit stops it.

    Args:
        agent: the agent to run.
        network: what its sandbox can reach: `none`, `index` or `open`.
        budget: what the sample may use, as fields of `AgentBudget`.

    Raises:
        RunError: the sandbox cannot reach its network.
    """
    allowed = AgentBudget.model_validate(budget)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        box, work = sandbox(), store_as(AgentRun)
        work.outcome, work.started = "", time.monotonic()
        try:
            if problem := await opened(box, Network(network)):
                raise RunError(problem)
            work.since, work.started = await clock(box), time.monotonic()
            ended, limit = await run(agent, AgentState(messages=state.messages), limits=inspect_limits(allowed))
        except BaseException:  # a limit that Inspect enforces by cancelling the sample, also before the agent's start
            work.outcome = outcome_of_events(transcript().events)
            raise
        else:
            if limit:
                work.outcome = _OUTCOMES.get(limit.type, AgentOutcome.TIME_LIMIT)
            work.outcome = work.outcome or AgentOutcome.ENDED
            state.messages, state.output = ended.messages, ended.output
        finally:
            work.seconds = time.monotonic() - work.started
            _count_calls(work, state)
        return state

    return solve


def _count_calls(work: AgentRun, state: TaskState) -> None:
    """Fill in what the sample's calls of the model say: steps, cached replies, last words."""
    events = [event for event in transcript().events if isinstance(event, ModelEvent)]
    answered = [event for event in events if not (event.pending or event.error)]
    work.steps = len(answered)
    cached = replayed(answered)
    work.seconds += sum(output.time or 0.0 for output in cached)
    work.replayed = sum(output.usage.total_tokens for output in cached if output.usage)
    texts = [message.text for message in state.messages if isinstance(message, ChatMessageAssistant)]
    texts = texts or [event.output.completion for event in answered if event.output]
    work.last_words = next((text for text in reversed(texts) if text.strip()), "")[-_LAST_WORDS:]
