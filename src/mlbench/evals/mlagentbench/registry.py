"""Make an agent for each research problem: of MLAgentBench, or of the agent benchmark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.model import CachePolicy, ChatMessageUser
from inspect_ai.util import store_as

from mlbench.agents.agent_envs import agent_environment, foreign, of_jail, unfit, why_not
from mlbench.agents.codeact import codeact
from mlbench.agents.foreign_run import ForeignRun
from mlbench.agents.npm_agents import PLACE
from mlbench.agents.registry import ROSTER
from mlbench.agents.sandbox_bridge import run_bridged
from mlbench.evals.mlagentbench.actions import actions, keep_malformed_calls, recorded, submit, validate_submission
from mlbench.evals.mlagentbench.agent_names import OWN
from mlbench.evals.mlagentbench.human import human, needs_terminal
from mlbench.evals.mlagentbench.problem import ResearchProblem, load_problem
from mlbench.evals.mlagentbench.research_agent import options_of, reacting, research_agent, trivial
from mlbench.evals.mlagentbench.step_recorder import StepRecorder
from mlbench.evals.mlagentbench.tree_search import tree_search, tree_search_options
from mlbench.prompts.settings import template
from mlbench.records import UsageError

PROBLEM = "mlbench_problem"
"""Key of the user message's metadata that holds the problem's origin. Models are sent no metadata."""

_OTHERS = ("codeact", "autogen", "mini_swe_agent", "aider", "openhands", "nothing")
_NO_MODEL = ("trivial", "nothing", "human")
_OPTIONS: Mapping[str, Callable[[Mapping[str, Any]], object]] = {
    "research_agent": options_of,
    "tree_search": tree_search_options,
}
"""Reads the options of each agent that has some."""

_DONE = (
    "the work in /workspace is as good as you can make it; hand in the score that it reached, as you measured it, as "
    "claimed_score"
)


def known(name: str, options: Mapping[str, Any]) -> str:
    """Return the full name of an agent that can work on research problems.

    Raises:
        UsageError: there is no such agent, it cannot work here, or an option is not its own.
    """
    full = name.replace("-", "_")
    if full not in (*OWN, *_OTHERS):
        why = f"the agent {full} cannot work on experiments" if full in ROSTER else f"no agent {name!r}"
        raise UsageError(f"{why}; there are: {', '.join((*OWN, *_OTHERS))}")
    if full in _OPTIONS:
        _OPTIONS[full](options)
    elif options:
        raise UsageError(f"the agent {full} has no options ({', '.join(options)}); {' and '.join(_OPTIONS)} have")
    if full == "human":
        needs_terminal()
    if _is_foreign(full):
        if reason := unfit(foreign(full), of_jail()):
            # the agent benchmark can use a docker image instead; here a jail's files are watched
            raise UsageError(f"{reason.partition(':')[0]}: run mlbench itself with such a Python")
        if reason := why_not(full):
            raise UsageError(reason)
    return full


def check_helper(name: str, helper: str | None) -> None:
    """Refuse a helper model for an agent that would not ask it.

    Raises:
        UsageError: the agent asks no helper.
    """
    if helper is not None and name.replace("-", "_") not in ("research_agent", "react"):
        raise UsageError(f"the agent {name} asks no helper model: --helper-model is for research_agent and react")


def asks_model(name: str) -> bool:
    """Return whether an agent needs a model."""
    return name.replace("-", "_") not in _NO_MODEL


def brought(name: str) -> tuple[tuple[str, str], ...]:
    """Return the folder of a foreign agent's environment, and its path in the sandbox."""
    return ((str(agent_environment(name)), f"{PLACE}/{name}"),) if _is_foreign(name) else ()


def _is_foreign(name: str) -> bool:
    return name in ROSTER and ROSTER[name].foreign


@agent
def experimenter(name: str, helper: str | None, options: Mapping[str, Any], run: str | None) -> Agent:
    """Return the agent of a name (see `known`), which is created anew for each problem.

    Args:
        name: of the agent.
        helper: the model that some actions ask; None for the evaluated one.
        options: of the research agent or the tree search.
        run: name under which replies are cached, so that a resumed run pays for none twice.
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
    """Describe the problem to an agent that does not know the published actions."""
    return template("experiment").render(problem=problem)


def _made(
    name: str, problem: ResearchProblem, helper: str | None, options: Mapping[str, Any], run: str | None
) -> Agent:
    if name == "codeact":
        return codeact(
            _DONE,
            lambda tool: recorded(tool, problem),
            [validate_submission(problem)],
            keep_malformed_calls(problem),
            submit(),
        )
    if _is_foreign(name):
        return _watched(name, problem)
    if name not in OWN:
        return ROSTER[name].make("pocket")
    tools = actions(problem, helper, cache=CachePolicy(expiry=None, scopes={"run": run}) if run else False)
    if name == "trivial":
        return trivial(problem, tools)
    if name == "human":
        return human(problem, tools)
    if name == "react":
        return reacting(problem, tools)
    if name == "tree_search":
        return tree_search(problem, tools, options, run)
    return research_agent(problem, tools, options, helper, run)


@agent
def _watched(name: str, problem: ResearchProblem) -> Agent:
    """A foreign agent whose turns are recorded as steps."""

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
