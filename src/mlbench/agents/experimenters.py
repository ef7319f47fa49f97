"""The agents of experiments: they work by the published actions on one problem, which their task names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import CachePolicy

from mlbench.agents.research_agent import reacting, research_agent, trivial
from mlbench.experiments.actions import actions
from mlbench.experiments.problem import Problem, load_problem

PROBLEM = "mlbench_problem"
"""Key of the user message's metadata: the problem's folder. No model is sent metadata."""

OWN = ("research_agent", "react", "trivial")
"""Those that are made for experiments. Any other agent works with its own tools in the same workspace."""


@agent
def experimenter(name: str, helper: str | None, options: Mapping[str, Any], run: str | None) -> Agent:
    """The agent of this name, made anew for each problem.

    Args:
        helper: the model of the composed actions; None for the evaluated one.
        options: flags of the research agent.
        run: under which its replies are kept, so that a resumed run pays for none twice.
    """

    async def execute(state: AgentState) -> AgentState:
        folder = next(about[PROBLEM] for message in state.messages if PROBLEM in (about := message.metadata or {}))
        problem = load_problem(folder)
        made = _made(name, problem, helper, options, run)
        return await made(state)

    return execute


def _made(name: str, problem: Problem, helper: str | None, options: Mapping[str, Any], run: str | None) -> Agent:
    tools = actions(problem, helper, cache=CachePolicy(expiry=None, scopes={"run": run}) if run else False)
    if name == "trivial":
        return trivial(problem, tools)
    if name == "react":
        return reacting(tools)
    return research_agent(problem, tools, options, helper, run)
