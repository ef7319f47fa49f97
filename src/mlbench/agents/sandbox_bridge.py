"""Foreign agents run inside the sandbox, with a model proxy beside them: what they have in common.

The proxy is Inspect's (`sandbox_agent_bridge`): it listens inside on a loopback port, speaks OpenAI's protocol, and
hands each request to the evaluated model outside. So the key stays outside, any provider works, every limit holds.
"""

from __future__ import annotations

import math
import socket
import time
from enum import StrEnum

from inspect_ai.agent import AgentState, sandbox_agent_bridge
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import GenerateFilter
from inspect_ai.util import OutputLimitExceededError, StoreModel, sample_limits, sandbox, store_as
from pydantic import Field

from mlbench.agents.agent_envs import PLACE
from mlbench.records import RunError
from mlbench.sandbox.jail import WORKSPACE

KEPT = 8_000
"""Characters of the agent's own output that are kept at its head, and as many at its tail."""

_SAID = "ended: "
_PROXY_SECONDS = 120
_WAIT = """import socket, sys, time
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    try:
        sys.exit(socket.create_connection(("127.0.0.1", int(sys.argv[1]))).close())
    except OSError:
        time.sleep(0.05)
sys.exit(1)
"""


class AgentEnded(StrEnum):
    """How a foreign agent ended. What a limit ends is told by the limit."""

    BY_ITSELF = "by-itself"
    CRASHED = "crashed"
    OUT_OF_TIME = "out-of-time"


class ForeignRun(StoreModel):
    """What is kept in the sample's store of a foreign agent's run.

    Attributes:
        ended: empty where it was ended by a limit of Inspect's.
        reason: the agent's own word for its end, or the last lines of its crash.
        steps: calls of the model that were answered.
        seconds: wall time, from the start of the agent, the proxy's not included.
        output: head and tail of what it printed.
    """

    agent: str = Field(default="")
    ended: str = Field(default="")
    reason: str = Field(default="")
    exit_code: int = Field(default=0)
    steps: int = Field(default=0)
    seconds: float = Field(default=0.0)
    output: str = Field(default="")


async def run_bridged(name: str, state: AgentState, asked: GenerateFilter | None = None) -> AgentState:
    """Run the agent of this name in the sample's sandbox until it ends, with the state's messages as its task.

    Its environment has to be shown there (`installed.agent_environment`). How it ended is in `ForeignRun`.

    Args:
        asked: is called before each of its requests to the model.

    Raises:
        RunError: it failed before its first call of the model, or because the model's provider did: a machine's
            failure, not the agent's.
    """
    run = store_as(ForeignRun)
    run.agent = name
    port = _free_port()
    before = len(_calls())
    async with sandbox_agent_bridge(state, port=port, filter=asked) as bridge:
        await _listening(name, port)
        began = time.monotonic()
        try:
            done = await sandbox().exec(
                command(name),
                input=task_of(state),
                cwd=WORKSPACE,
                env=variables(port),
                timeout=_seconds_left(),
                timeout_retry=False,
                concurrency=False,  # it waits for the model: no share of the processor is taken from others
            )
            run.exit_code, printed = done.returncode, f"{done.stdout}\n{done.stderr}"
            run.ended = AgentEnded.BY_ITSELF if done.success else AgentEnded.CRASHED
        except OutputLimitExceededError as error:
            run.ended, printed = AgentEnded.CRASHED, f"{error.truncated_output or ''}\nit printed too much"
        except TimeoutError:
            run.ended, printed = AgentEnded.OUT_OF_TIME, ""
        finally:
            run.seconds = time.monotonic() - began
            run.steps = sum(call.error is None and not call.pending for call in _calls()[before:])
        run.output = head_and_tail(printed)
        run.reason = reason_in(printed) or f"without a word, exit code {run.exit_code}"
    _blame(run, _calls()[before:])
    return bridge.state


def command(name: str) -> list[str]:
    """The command that starts the agent in the sandbox; it reads the task on standard input."""
    return [_python(name), "-I", "-u", f"{PLACE}/{name}/driver.py"]


def task_of(state: AgentState) -> str:
    """The task in words: what system and user say."""
    return "\n\n".join(message.text for message in state.messages if message.role in ("system", "user"))


def variables(port: int) -> dict[str, str]:
    """What the agent's process gets in its environment: the proxy, and that nothing is reported or fetched."""
    here = f"http://127.0.0.1:{port}/v1"
    return {
        "OPENAI_BASE_URL": here,
        "OPENAI_API_BASE": here,
        "OPENAI_API_KEY": "none",
        "NO_PROXY": "127.0.0.1,localhost",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "DO_NOT_TRACK": "1",
        "OTEL_SDK_DISABLED": "true",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


def head_and_tail(printed: str) -> str:
    """At most 2 * KEPT characters of it."""
    left_out = len(printed) - 2 * KEPT
    return printed if left_out <= 0 else f"{printed[:KEPT]}\n[{left_out} characters left out]\n{printed[-KEPT:]}"


def reason_in(printed: str) -> str:
    """The agent's own word for its end, where its driver got to say it; else its last three lines."""
    lines = [line for line in printed.splitlines() if line.strip(" ^~")]
    said = next((line for line in reversed(lines) if line.startswith(_SAID)), "")
    return said.removeprefix(_SAID)[:500] or " | ".join(line.strip()[:300] for line in lines[-3:])


async def _listening(name: str, port: int) -> None:
    """The bridge does not wait until its proxy listens, and not every agent asks twice."""
    wait = [_python(name), "-I", "-S", "-c", _WAIT, str(port), str(_PROXY_SECONDS)]
    done = await sandbox().exec(wait, timeout=2 * _PROXY_SECONDS, concurrency=False)
    if not done.success:
        why = done.stderr.strip() or f"it does not listen after {_PROXY_SECONDS} s"
        raise RunError(f"the agent {name} cannot be started: no way to the model from inside: {why}")


def _python(name: str) -> str:
    return f"{PLACE}/{name}/bin/python"


def _blame(run: ForeignRun, calls: list[ModelEvent]) -> None:
    if not calls and run.ended == AgentEnded.CRASHED:
        raise RunError(f"the agent {run.agent} ended with {run.exit_code} before it asked the model: {run.reason}")
    if calls and calls[-1].error:
        raise RunError(f"the agent {run.agent} ended because the model's provider failed: {calls[-1].error}")


def _calls() -> list[ModelEvent]:
    return [event for event in transcript().events if isinstance(event, ModelEvent)]


def _seconds_left() -> int | None:
    """Until the sample's time limit; what runs in a container must be ended from inside."""
    left = sample_limits().time.remaining
    return None if left is None else max(1, math.ceil(left))


def _free_port() -> int:
    """Where sandboxes share the host's network, each needs a port of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
