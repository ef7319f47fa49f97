"""The agents by name: what each one is, and how it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mlbench.agents.agent_envs import FOREIGN
from mlbench.agents.npm_agents import NPM
from mlbench.records import UsageError

if TYPE_CHECKING:
    from inspect_ai.agent import Agent


@dataclass(frozen=True)
class AgentEntry:
    """A row of the registry.

    Attributes:
        name: as it is written after `--agent`.
        about: one line about the agent.
        make: returns the agent for a suite.
        model: whether the agent calls a model.
    """

    name: str
    about: str
    make: Callable[[str], Agent]
    model: bool = True

    @property
    def foreign(self) -> bool:
        """Whether it has its own environment, which must be installed."""
        return self.name in FOREIGN or self.name in NPM


def _agent_of(suite: str, module: str, name: str, **options: Any) -> Agent:
    """Import an agent's factory when it is needed, and call it with the suite if it has options."""
    factory = getattr(import_module(f"mlbench.agents.{module}"), name)
    made: Agent = factory(suite=suite, **options) if options else factory()
    return made


def _own(module: str, name: str = "", **options: Any) -> Callable[[str], Agent]:
    """Return the maker of an agent of this package; by default it has its module's name."""
    return partial(_agent_of, module=module, name=name or module, **options)


def _external(name: str, about: str) -> AgentEntry:
    """Return the row of an external agent: it runs in its own environment, with our bridge to the model."""

    def make(suite: str) -> Agent:
        from mlbench.agents.sandbox_bridge import external_agent

        return external_agent(name)

    return AgentEntry(name, about, make)


def _swe(name: str, about: str) -> AgentEntry:
    """Return the row of an agent that `inspect_swe` drives."""

    def make(suite: str) -> Agent:
        from mlbench.agents.swe_agents import swe_agent

        return swe_agent(name)

    return AgentEntry(name, about, make)


def _human(suite: str) -> Agent:
    """Inspect's human agent."""
    from inspect_ai.agent import human_cli

    return human_cli(answer=False)


_LEAVING = {"repository": "given", "leave": "run.sh"}

ROSTER = {
    entry.name: entry
    for entry in (
        AgentEntry("codeact", "a shell and Python on Inspect's tools, as OpenDevin's CodeAct", _own("codeact")),
        AgentEntry(
            "ml_agent",
            "retrieve, rank, plan, generate (ML-Bench v1)",
            _own("ml_agent", repository="given", leave="run.sh"),
        ),
        _external("autogen", "AutoGen (autogen-agentchat)"),
        _external("mini_swe_agent", "SWE-agent (mini-swe-agent, by the same team)"),
        _external("aider", "Aider (aider-chat)"),
        _external("openhands", "OpenHands, formerly OpenDevin (openhands-sdk)"),
        _swe("claude_code", "Claude Code (Anthropic)"),
        _swe("codex_cli", "Codex CLI (OpenAI)"),
        _swe("gemini_cli", "Gemini CLI (Google)"),
        _swe("opencode", "OpenCode (Anomaly)"),
        _swe("kimi_code", "Kimi Code (Moonshot AI)"),
        _external("qwen_code", "Qwen Code (Alibaba)"),
        _external("goose", "goose (Agentic AI Foundation)"),
        AgentEntry(
            "human",
            "a person at a terminal (Inspect's human agent)",
            _human,
            model=False,
        ),
        AgentEntry("gold", "leaves the reference", _own("baselines", "gold"), model=False),
        AgentEntry("nothing", "leaves nothing", _own("baselines", "nothing"), model=False),
    )
}


def entry(name: str) -> AgentEntry:
    """Return the agent with this name; `-` and `_` are equal.

    Raises:
        UsageError: no agent has this name.
    """
    try:
        return ROSTER[name.replace("-", "_")]
    except KeyError:
        raise UsageError(f"no agent {name!r}; there are: {', '.join(ROSTER)}") from None
