"""The agents of experiments: some work by the published actions, those of the agent bench by their own tools.

Each is made anew for the problem that its sample names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import CachePolicy, ChatMessageUser
from inspect_ai.util import store_as

from mlbench.agents.agent_envs import PLACE, agent_environment, foreign, of_jail, unfit, why_not
from mlbench.agents.codeact import codeact
from mlbench.agents.registry import ROSTER
from mlbench.agents.sandbox_bridge import ForeignRun, run_bridged
from mlbench.evals.mlagentbench.actions import actions, recorded
from mlbench.evals.mlagentbench.agent_names import OWN
from mlbench.evals.mlagentbench.problem import ResearchProblem, load_problem
from mlbench.evals.mlagentbench.research_agent import options_of, reacting, research_agent, trivial
from mlbench.evals.mlagentbench.step_recorder import StepRecorder
from mlbench.prompts.settings import template
from mlbench.records import UsageError

PROBLEM = "mlbench_problem"
"""Key of the user message's metadata: the problem's origin. No model is sent metadata."""

_OTHERS = ("codeact", "autogen", "mini_swe_agent", "aider", "openhands", "nothing")
_NO_MODEL = ("trivial", "nothing")
_DONE = "the work in /workspace is as good as you can make it; say which score it reached, as you measured it"


def known(name: str, options: Mapping[str, Any]) -> str:
    """The full name of an agent that can work on experiments here, with these flags.

    Raises:
        UsageError: there is none of this name, it cannot work here, or a flag is not one of its own.
    """
    full = name.replace("-", "_")
    if full not in (*OWN, *_OTHERS):
        why = f"the agent {full} is none for experiments" if full in ROSTER else f"no agent {name!r}"
        raise UsageError(f"{why}; there are: {', '.join((*OWN, *_OTHERS))}")
    if full == "research_agent":
        options_of(options)
    elif options:
        raise UsageError(f"the agent {full} has no flags ({', '.join(options)}): they are research_agent's")
    if _is_foreign(full):
        if reason := unfit(foreign(full), of_jail()):
            # the agent bench can take a docker image for it: here files are watched in a jail
            raise UsageError(f"{reason.partition(':')[0]}: experiments need mlbench on such a Python")
        if reason := why_not(full):
            raise UsageError(reason)
    return full


def check_helper(name: str, helper: str | None) -> None:
    """Refuse a helper model for an agent that would not ask it.

    Raises:
        UsageError: it is one of these.
    """
    if helper is not None and name.replace("-", "_") not in ("research_agent", "react"):
        raise UsageError(f"the agent {name} asks no helper model: --helper-model is for research_agent and react")


def asks_model(name: str) -> bool:
    """Whether an agent needs a model at all."""
    return name.replace("-", "_") not in _NO_MODEL


def brought(name: str) -> tuple[tuple[str, str], ...]:
    """The folder of a foreign agent's own environment, and its place in the sandbox."""
    return ((str(agent_environment(name)), f"{PLACE}/{name}"),) if _is_foreign(name) else ()


def _is_foreign(name: str) -> bool:
    return name in ROSTER and ROSTER[name].foreign


@agent
def experimenter(name: str, helper: str | None, options: Mapping[str, Any], run: str | None) -> Agent:
    """The agent of this name (see `known`), made anew for each problem.

    Args:
        helper: the model of the composed actions; None for the evaluated one.
        options: flags of the research agent.
        run: under which its replies are kept, so that a resumed run pays for none twice.
    """

    async def execute(state: AgentState) -> AgentState:
        origin = next(about[PROBLEM] for message in state.messages if PROBLEM in (about := message.metadata or {}))
        problem = load_problem(**origin)
        if name not in OWN:
            state.messages = [ChatMessageUser(content=in_words(problem))]
        made = _made(name, problem, helper, options, run)
        return await made(state)

    return execute


def in_words(problem: ResearchProblem) -> str:
    """The problem for an agent that knows nothing of the published actions."""
    return template("experiment").render(problem=problem)


def _made(
    name: str, problem: ResearchProblem, helper: str | None, options: Mapping[str, Any], run: str | None
) -> Agent:
    if name == "codeact":
        return codeact(_DONE, lambda tool: recorded(tool, problem))
    if _is_foreign(name):
        return _watched(name, problem)
    if name not in OWN:
        return ROSTER[name].make("pocket")
    tools = actions(problem, helper, cache=CachePolicy(expiry=None, scopes={"run": run}) if run else False)
    if name == "trivial":
        return trivial(problem, tools)
    if name == "react":
        return reacting(tools)
    return research_agent(problem, tools, options, helper, run)


@agent
def _watched(name: str, problem: ResearchProblem) -> Agent:
    """A foreign agent, whose turns are kept as steps."""

    async def execute(state: AgentState) -> AgentState:
        turns = await StepRecorder.begin(problem)
        try:
            state = await run_bridged(name, state, turns.asked)
        finally:
            if turns.failed:  # whatever the agent made of it
                raise turns.failed
        await turns.end(store_as(ForeignRun).output)
        return state

    return execute
