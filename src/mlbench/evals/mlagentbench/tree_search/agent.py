"""The tree search as an Inspect agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import CachePolicy, ChatMessageUser, ModelOutput, get_model
from inspect_ai.tool import Tool
from inspect_ai.util import store_as

from mlbench.agents.agent_run import report_outcome
from mlbench.evals.mlagentbench.problem import ResearchProblem
from mlbench.evals.mlagentbench.research_agent.budget import ResearchBudget
from mlbench.evals.mlagentbench.research_agent.llm import ResearchLLM
from mlbench.evals.mlagentbench.snapshots import Progress
from mlbench.evals.mlagentbench.tree_search.options import TreeSearchOptions, tree_search_options
from mlbench.evals.mlagentbench.tree_search.search import TreeSearch

KEY = "tree_search"
"""Key of the result in the output's metadata."""


@agent(name="tree_search")
def tree_search(
    problem: ResearchProblem,
    tools: Sequence[Tool],
    options: TreeSearchOptions | Mapping[str, Any] | None = None,
    run: str | None = None,
) -> Agent:
    """Return an agent that drafts, mends and improves whole scripts, and hands in the best by its validation score.

    Differences from AIDE: it begins with the problem's starter, whose work stands if nothing is better; the score is
    read from a line that the script has to print, not by the model; and the action Validate Submission decides whether
    a script's submission has the right form.

    Args:
        problem: its limits hold if the options have none.
        tools: as `mlbench.evals.mlagentbench.actions.actions` makes them.
        options: as `TreeSearchOptions`, or its fields by name.
        run: cache replies under this name, so that a resumed run pays for no reply twice.

    Raises:
        UsageError: an option is unknown or not allowed.
    """
    known = tree_search_options(options)

    async def execute(state: AgentState) -> AgentState:
        model = get_model()
        llm = ResearchLLM(model, model, CachePolicy(expiry=None, scopes={"run": run}) if run else None)
        words = "\n\n".join(message.text for message in state.messages if isinstance(message, ChatMessageUser))
        progress = store_as(Progress)
        used = lambda: llm.costs.seconds + progress.seconds  # noqa: E731
        budget = ResearchBudget(known.steps or problem.bounds.steps, known.seconds or problem.bounds.seconds, used)
        search = TreeSearch(problem, words, tools, llm, budget, known, state.messages)
        result = await search.run()
        report_outcome(result.outcome)
        state.output = ModelOutput.from_content(str(model), state.messages[-1].text)
        state.output.metadata = {KEY: result.record()}
        return state

    return execute
