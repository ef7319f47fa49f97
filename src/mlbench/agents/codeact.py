"""CodeAct: a model with a shell and Python, on Inspect's own tools; what OpenDevin's agent did, and our reference."""

from __future__ import annotations

from collections.abc import Callable

from inspect_ai.agent import Agent, AgentPrompt, AgentSubmit, agent, react
from inspect_ai.tool import Tool, bash, python

_COMMAND_SECONDS = 300
_INSTRUCTIONS = """
You are an engineer at a Linux machine. You look and act by calling tools: `bash` runs commands, `python` runs code in a
fresh interpreter. Each call starts in /workspace, nobody else is there, and nobody answers questions.
Look before you act, read what commands say, and go on until the task is done.
"""


@agent
def codeact(
    done: str = "/workspace/run.sh is there and works", recorded: Callable[[Tool], Tool] | None = None
) -> Agent:
    """Look, act, read, until `submit`.

    Args:
        done: when it is to be called.
        recorded: makes of a tool one that keeps what it does.
    """
    tools = [bash(timeout=_COMMAND_SECONDS), python(timeout=_COMMAND_SECONDS)]
    return react(
        name="codeact",
        description="An engineer with a shell and Python",
        prompt=AgentPrompt(
            instructions=_INSTRUCTIONS,
            handoff_prompt=None,
            assistant_prompt=None,
            submit_prompt=f"Call `submit` when {done}.",
        ),
        tools=[recorded(tool) for tool in tools] if recorded else tools,
        submit=AgentSubmit(description=f"The task is done: {done}.", answer_only=True),
    )
