"""Record tool calls that no tool could take: an unknown name, or arguments that cannot be parsed.

Inspect answers them itself, so that no action of ours sees them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import takewhile

from inspect_ai.agent import AgentState
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool

from mlbench.evals.mlagentbench.actions.observations import ActionFault, Observation, named
from mlbench.evals.mlagentbench.actions.sample_state import desk
from mlbench.evals.mlagentbench.problem import ResearchProblem

_ERROR = "parsing"
"""Type of Inspect's error for such calls."""


def keep_malformed_calls(problem: ResearchProblem) -> Callable[[AgentState], Awaitable[bool]]:
    """Return an `on_continue` of Inspect's ReAct agent that records the last turn's malformed calls as steps."""

    async def keep(state: AgentState) -> bool:
        answers = takewhile(lambda message: not isinstance(message, ChatMessageAssistant), reversed(state.messages))
        for message in reversed([*answers]):
            if isinstance(message, ChatMessageTool) and message.error and message.error.type == _ERROR:
                await _keep(problem, message.function or "", message.error.message)
        return True

    return keep


async def _keep(problem: ResearchProblem, function: str, why: str) -> None:
    observation = Observation(" ".join(why.split())[:1_000], ActionFault.INVALID_INPUT)

    async def answer() -> Observation:
        return observation

    await (await desk(problem.bounds.script_seconds)).step(named(function), {}, answer)
