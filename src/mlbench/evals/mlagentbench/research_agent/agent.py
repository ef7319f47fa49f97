"""The research agent as an Inspect agent: one prompt and one action per step (Huang et al.)."""

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
from mlbench.evals.mlagentbench.actions import PUBLISHED, hidden_actions
from mlbench.evals.mlagentbench.problem import ResearchProblem
from mlbench.evals.mlagentbench.research_agent.budget import ResearchBudget
from mlbench.evals.mlagentbench.research_agent.earlier import EarlierSteps
from mlbench.evals.mlagentbench.research_agent.llm import ResearchLLM
from mlbench.evals.mlagentbench.research_agent.loop import ResearchLoop
from mlbench.evals.mlagentbench.research_agent.options import ResearchOptions, options_of
from mlbench.evals.mlagentbench.research_agent.prompt import PromptContext, offered
from mlbench.evals.mlagentbench.research_agent.result import KEY, ResearchResult
from mlbench.evals.mlagentbench.snapshots import Progress

_OF_LOG = ("retrieval_from_research_log", "append_summary_to_research_log")


@agent(name="research_agent")
def research_agent(
    problem: ResearchProblem,
    tools: Sequence[Tool],
    options: ResearchOptions | Mapping[str, Any] | None = None,
    helper: str | Model | None = None,
    run: str | None = None,
) -> Agent:
    """Return the published agent with improvements (see `ResearchOptions`).

    The user's messages state the problem. The output's text is the Final Answer, and its metadata has a
    `ResearchResult` under `research_agent`.

    Args:
        problem: its limits hold if the options have none.
        tools: as `mlbench.evals.mlagentbench.actions.actions` makes them.
        options: as `ResearchOptions`, or its fields by name.
        helper: the model that summarises long observations and, without `free_log`, keeps the log; None for the
            evaluated model.
        run: cache replies under this name, so that a resumed run pays for no reply twice.

    Raises:
        UsageError: an option is unknown or not allowed.
    """
    known = options_of(options)
    offering = [tool for tool in tools if known.log or ToolDef(tool).name not in _OF_LOG]
    hidden = hidden_actions(known.log) if known.as_published else ()
    named = [tool for tool in offering if ToolDef(tool).name not in hidden]

    async def execute(state: AgentState) -> AgentState:
        model = get_model()
        cache = CachePolicy(expiry=None, scopes={"run": run}) if run else None
        llm = ResearchLLM(model, get_model(helper) if helper else model, cache)
        problem_text = "\n\n".join(message.text for message in state.messages if isinstance(message, ChatMessageUser))
        prompt = "research_published" if known.as_published else "research"
        context = PromptContext(offered(named, PUBLISHED), problem_text, known.longest, prompt)
        progress = store_as(Progress)
        used = lambda: llm.costs.seconds + progress.seconds  # noqa: E731
        budget = ResearchBudget(known.steps or problem.bounds.steps, known.seconds or problem.bounds.seconds, used)
        loop = ResearchLoop(context, offering, llm, budget, known, state.messages)
        if known.after:
            earlier = EarlierSteps.read(known.after)
            await earlier.restore(problem.bounds.script_seconds)
            await loop.go_on(earlier.as_shown(known.longest))
        result = await loop.run()
        report_outcome(result.outcome.agent_outcome)
        return _final_state(state, result, model)

    return execute


def _final_state(state: AgentState, result: ResearchResult, model: Model) -> AgentState:
    """Add the Final Answer and the result's metadata to the state."""
    output = ModelOutput.from_content(str(model), result.answer)
    output.metadata = {KEY: result.record()}
    if result.answer:
        state.messages.append(ChatMessageAssistant(content=result.answer, source="generate"))
    state.output = output
    return state
