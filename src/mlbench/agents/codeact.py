"""CodeAct: a model with a shell and Python on Inspect's tools, like OpenDevin's agent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from inspect_ai.agent import Agent, AgentPrompt, AgentState, AgentSubmit, agent, react
from inspect_ai.tool import Tool, bash, python

_COMMAND_SECONDS = 300
_INSTRUCTIONS = """
You are an engineer at a Linux machine. You look and act by calling tools: `bash` runs commands, `python` runs code in a
fresh interpreter. Each call starts in /workspace, nobody else is there, and nobody answers questions.
Look before you act, read what commands say, and go on until the task is done.
"""


@agent
def codeact(
    done: str = "/workspace/run.sh is there and works",
    recorded: Callable[[Tool], Tool] | None = None,
    further: Sequence[Tool] = (),
    on_continue: Callable[[AgentState], Awaitable[bool]] | None = None,
    submit: Tool | None = None,
) -> Agent:
    """Return an agent that calls `bash` and `python` until it calls `submit`.

    Args:
        done: the condition under which the agent should call `submit`; it completes "the task is done: ...".
        recorded: wraps the shell and Python to record their calls; None for the plain tools.
        further: tools of the benchmark, beside the shell and Python.
        on_continue: called after every turn.
        submit: the tool that ends the work; None for one that takes an answer only.
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
        tools=[*(recorded(tool) if recorded else tool for tool in tools), *further],
        on_continue=on_continue,
        submit=AgentSubmit(tool=submit, description=f"The task is done: {done}.", answer_only=True),
    )
