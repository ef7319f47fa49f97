"""The research agent on Inspect's agent protocol: one prompt a step, one action a reply (seed paper: Huang et al.)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import (
    CachePolicy,
    ChatMessageAssistant,
    ChatMessageUser,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.tool import Tool, ToolDef
from inspect_ai.util import store_as

from mlbench.agents.agent_run import report_outcome
from mlbench.evals.mlagentbench.actions import PUBLISHED
from mlbench.evals.mlagentbench.problem import ResearchProblem
from mlbench.evals.mlagentbench.research_agent.budget import ResearchBudget
from mlbench.evals.mlagentbench.research_agent.llm import ResearchLLM
from mlbench.evals.mlagentbench.research_agent.loop import ResearchLoop
from mlbench.evals.mlagentbench.research_agent.options import ResearchOptions, options_of
from mlbench.evals.mlagentbench.research_agent.prompt import PromptContext, offered
from mlbench.evals.mlagentbench.research_agent.result import KEY, ResearchResult
from mlbench.evals.mlagentbench.snapshots import Progress

_RETRIEVAL = "retrieval_from_research_log"


@agent(name="research_agent")
def research_agent(
    problem: ResearchProblem,
    tools: Sequence[Tool],
    options: ResearchOptions | Mapping[str, Any] | None = None,
    helper: str | Model | None = None,
    run: str | None = None,
) -> Agent:
    """The published agent, with improvements (see `ResearchOptions`).

    The problem is told by the user's messages. What it did stands in the output's metadata, under `research_agent`
    (see `ResearchResult`); the output's text is the Final Answer.

    Args:
        problem: whose bounds hold where the options name none.
        tools: as `mlbench.evals.mlagentbench.actions.actions` makes them.
        options: as `ResearchOptions`, or its fields by name.
        helper: summarises long observations, and without `free_log` the log; as a rule the evaluated model.
        run: replies are kept in Inspect's cache under this name, so that a resumed run pays for none twice.

    Raises:
        UsageError: options that cannot be.
    """
    wanted = options_of(options)
    offering = [tool for tool in tools if wanted.log or ToolDef(tool).name != _RETRIEVAL]

    async def execute(state: AgentState) -> AgentState:
        model = get_model()
        cache = CachePolicy(expiry=None, scopes={"run": run}) if run else None
        desk = ResearchLLM(model, get_model(helper) if helper else model, cache)
        text = "\n\n".join(message.text for message in state.messages if isinstance(message, ChatMessageUser))
        ground = PromptContext(offered(offering, PUBLISHED), text, wanted.longest)
        done = store_as(Progress)
        used = lambda: desk.costs.seconds + done.seconds  # noqa: E731
        budget = ResearchBudget(wanted.steps or problem.bounds.steps, wanted.seconds or problem.bounds.seconds, used)
        work = ResearchLoop(ground, offering, desk, budget, wanted, state.messages)
        result = await work.done()
        report_outcome(result.outcome.agent_outcome)
        return _left(state, result, model)

    return execute


def _left(state: AgentState, result: ResearchResult, model: Model) -> AgentState:
    output = ModelOutput.from_content(str(model), result.answer)
    output.metadata = {KEY: result.record()}
    if result.answer:
        state.messages.append(ChatMessageAssistant(content=result.answer, source="generate"))
    state.output = output
    return state
