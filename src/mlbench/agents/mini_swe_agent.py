"""SWE-agent, in the form that its authors go on with (`mini-swe-agent`): one tool, bash."""

from __future__ import annotations

from inspect_ai.agent import Agent, AgentState, agent

from mlbench.agents.sandbox_bridge import run_bridged


@agent
def mini_swe_agent() -> Agent:
    """mini-swe-agent in the sandbox; see `drivers/mini_swe_agent.py` for its settings."""

    async def execute(state: AgentState) -> AgentState:
        return await run_bridged("mini_swe_agent", state)

    return execute
