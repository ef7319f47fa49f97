"""The agents by name: what each is, and what it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mlbench.agents.agent_envs import FOREIGN
from mlbench.records import UsageError

if TYPE_CHECKING:
    from inspect_ai.agent import Agent


@dataclass(frozen=True)
class AgentEntry:
    """An agent: its name, a line about it, how it is made for a suite. `model` says whether it asks one."""

    name: str
    about: str
    make: Callable[[str], Agent]
    model: bool = True

    @property
    def foreign(self) -> bool:
        """Whether it has an environment of its own, which has to be installed."""
        return self.name in FOREIGN


def _from(module: str, name: str = "", **options: Any) -> Callable[[str], Agent]:
    """The agent that a module of this package defines, under its own name as a rule; imported when it is wanted."""

    def make(suite: str) -> Agent:
        found = getattr(import_module(f"mlbench.agents.{module}"), name or module)
        made: Agent = found(suite=suite, **options) if options else found()
        return made

    return make


def _human(suite: str) -> Agent:
    """Inspect's human agent."""
    from inspect_ai.agent import human_cli

    return human_cli(answer=False)


_LEAVING = {"repository": "given", "leave": "run.sh"}

ROSTER = {
    entry.name: entry
    for entry in (
        AgentEntry("codeact", "a shell and Python on Inspect's tools, as OpenDevin's CodeAct", _from("codeact")),
        AgentEntry("ml_agent", "retrieve, rank, plan, generate (ML-Bench v1)", _from("ml_agent", **_LEAVING)),
        AgentEntry("autogen", "AutoGen (autogen-agentchat)", _from("autogen")),
        AgentEntry("mini_swe_agent", "SWE-agent (mini-swe-agent, by the same team)", _from("mini_swe_agent")),
        AgentEntry("aider", "Aider (aider-chat)", _from("aider")),
        AgentEntry("openhands", "OpenHands, formerly OpenDevin (openhands-sdk)", _from("openhands")),
        AgentEntry(
            "human",
            "a person at a terminal (Inspect's human agent)",
            _human,
            model=False,
        ),
        AgentEntry("gold", "leaves the reference", _from("baselines", "gold"), model=False),
        AgentEntry("nothing", "leaves nothing", _from("baselines", "nothing"), model=False),
    )
}


def entry(name: str) -> AgentEntry:
    """The agent of this name; `-` and `_` are the same.

    Raises:
        UsageError: there is none.
    """
    try:
        return ROSTER[name.replace("-", "_")]
    except KeyError:
        raise UsageError(f"no agent {name!r}; there are: {', '.join(ROSTER)}") from None
