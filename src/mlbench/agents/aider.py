"""Aider (`aider-chat`): a pair programmer that edits files of a git repository; here its user says yes to all."""

from __future__ import annotations

from inspect_ai.agent import Agent, AgentState, agent

from mlbench.agents.sandbox_bridge import run_bridged


@agent
def aider() -> Agent:
    """Aider in the sandbox; see `drivers/aider.py` for its settings."""

    async def execute(state: AgentState) -> AgentState:
        return await run_bridged("aider", state)

    return execute
