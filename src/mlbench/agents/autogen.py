"""AutoGen (`autogen-agentchat`): an assistant that writes code blocks, and an executor that runs them."""

from __future__ import annotations

from inspect_ai.agent import Agent, AgentState, agent

from mlbench.agents.sandbox_bridge import run_bridged


@agent
def autogen() -> Agent:
    """AutoGen in the sandbox; see `drivers/autogen.py` for its settings."""

    async def execute(state: AgentState) -> AgentState:
        return await run_bridged("autogen", state)

    return execute
