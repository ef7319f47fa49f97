"""An agent at work on one sample: its limits, how it ended, and what the judge has to know of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from inspect_ai.agent import Agent, AgentState, run
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessageAssistant
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import Limit, StoreModel, cost_limit, sandbox, store_as, token_limit, turn_limit

from mlbench.agents.sandbox_bridge import AgentEnded, ForeignRun
from mlbench.cached_replies import replayed
from mlbench.records import RunError
from mlbench.run_config import AgentBudget
from mlbench.sandbox.network import Network, opened
from mlbench.sandbox.submission import clock

OUTCOMES = {"turn": "step-limit", "token": "token-limit", "cost": "cost-limit"}
"""The name of an ending by Inspect's name of the limit that made it."""

ENDED, CRASHED, OUT_OF_TIME = "ended", "crashed", "time-limit"


def inspect_limits(budget: AgentBudget) -> list[Limit]:
    """The budget as Inspect's limits, but for the time: only the sample as a whole can be held to it."""
    limits: list[Limit] = [turn_limit(budget.steps)]
    limits += [token_limit(budget.tokens)] if budget.tokens else []
    return [*limits, cost_limit(budget.cost)] if budget.cost else limits


class AgentRun(StoreModel):
    """What is known of an agent's work when it has ended.

    Attributes:
        since: the sandbox's time at its start.
        outcome: `ended` by itself, `crashed`, or the limit that ended it.
        detail: the scaffold's last lines where it crashed.
        steps: calls of the model. seconds: wall time; where replies were kept from before, with the waiting for them.
        replayed: tokens of these replies, which are not in the sample's own count.
        started: this process's clock at its start.
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


@solver
def working(agent: Agent, network: str, budget: Mapping[str, Any]) -> Solver:
    """Have an agent work in the sample's sandbox until it ends or is ended."""
    allowed = AgentBudget.model_validate(budget)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        box, work = sandbox(), store_as(AgentRun)
        if problem := await opened(box, Network(network)):
            raise RunError(problem)
        work.since = await clock(box)
        work.outcome = OUT_OF_TIME  # what ends it from outside says nothing in here
        work.started = time.monotonic()
        try:
            ended, limit = await run(agent, AgentState(messages=state.messages), limits=inspect_limits(allowed))
            work.outcome = OUTCOMES.get(limit.type, f"{limit.type}-limit") if limit else ENDED
            foreign = store_as(ForeignRun)
            if foreign.ended == AgentEnded.CRASHED and not limit:
                work.outcome, work.detail = CRASHED, foreign.reason
            state.messages, state.output = ended.messages, ended.output
        finally:
            work.seconds = time.monotonic() - work.started
            _look_back(work, state)
        return state

    return solve


def _look_back(work: AgentRun, state: TaskState) -> None:
    """What its calls of the model were."""
    events = [event for event in transcript().events if event.event == "model" and not (event.pending or event.error)]
    work.steps = len(events)
    kept = replayed(events)
    work.seconds += sum(output.time or 0.0 for output in kept)
    work.replayed = sum(output.usage.total_tokens for output in kept if output.usage)
    said = [message.text for message in state.messages if isinstance(message, ChatMessageAssistant)]
    said = said or [event.output.completion for event in events if event.output]
    work.last_words = next((text for text in reversed(said) if text.strip()), "")[-2000:]
