"""OpenHands (`openhands-sdk`), once OpenDevin: terminal, file editor, task list."""

from __future__ import annotations

from inspect_ai.agent import Agent, AgentState, agent

from mlbench.agents.sandbox_bridge import run_bridged


@agent
def openhands() -> Agent:
    """OpenHands in the sandbox; see `drivers/openhands.py` for its settings. It needs Python 3.12."""

    async def execute(state: AgentState) -> AgentState:
        return await run_bridged("openhands", state)

    return execute
