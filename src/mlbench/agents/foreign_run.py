"""What is recorded of a foreign agent's run, whichever way the agent is started."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

from inspect_ai.agent import AgentState
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.util import StoreModel, store_as
from pydantic import Field

from mlbench.agents.agent_run import report_outcome
from mlbench.reasons import AgentOutcome
from mlbench.records import RunError


class ForeignRun(StoreModel):
    """What the sample's store keeps about the run of an external agent.

    Attributes:
        agent: the name of the agent.
        ended: an `AgentOutcome`; empty if a limit of Inspect stopped the agent.
        reason: the agent's own word for its end, or the last lines of its crash.
        exit_code: of the agent's process.
        steps: answered calls of the model.
        seconds: wall time of the agent, without the start of the proxy.
        output: head and tail of the agent's output.
    """

    agent: str = Field(default="")
    ended: str = Field(default="")
    reason: str = Field(default="")
    exit_code: int = Field(default=0)
    steps: int = Field(default=0)
    seconds: float = Field(default=0.0)
    output: str = Field(default="")


@contextmanager
def measured(record: ForeignRun) -> Iterator[None]:
    """Count the seconds and the answered calls of the model within the block."""
    before, began = len(model_calls()), time.monotonic()
    try:
        yield
    finally:
        record.seconds = time.monotonic() - began
        record.steps = sum(call.error is None and not call.pending for call in model_calls()[before:])


def report_end(record: ForeignRun, calls: list[ModelEvent]) -> None:
    """Report how an agent ended, unless the machine or the provider failed.

    Args:
        record: its `ended` and `reason` are filled in.
        calls: the agent's calls of the model.

    Raises:
        RunError: the agent failed before its first call of the model, or the model's provider failed.
    """
    if not calls and record.ended == AgentOutcome.CRASHED:
        raise RunError(
            f"the agent {record.agent} ended with {record.exit_code} before it asked the model: {record.reason}"
        )
    if calls and calls[-1].error:
        raise RunError(f"the agent {record.agent} ended because the model's provider failed: {calls[-1].error}")
    by_itself = record.ended in (AgentOutcome.ENDED, AgentOutcome.TIME_LIMIT)
    report_outcome(AgentOutcome(record.ended), "" if by_itself else record.reason)


def task_of(state: AgentState) -> str:
    """Return the task as text: all system and user messages."""
    return "\n\n".join(message.text for message in state.messages if message.role in ("system", "user"))


def model_calls() -> list[ModelEvent]:
    """Return the calls of a model in the running sample so far."""
    return [event for event in transcript().events if isinstance(event, ModelEvent)]


def foreign_run(name: str) -> ForeignRun:
    """Return the record of the running sample, for the agent of this name."""
    record = store_as(ForeignRun)
    record.agent = name
    return record


def free_port() -> int:
    """Return an unused port: sandboxes that share the host's network each need their own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
