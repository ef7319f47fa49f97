"""Run external agents inside the sandbox, with a proxy for the evaluated model beside them.

The proxy is Inspect's `sandbox_agent_bridge`. It listens on a loopback port inside the sandbox, speaks OpenAI's
protocol, and passes each request to the model outside. So API keys stay outside, every provider works, and every
limit holds.
"""

from __future__ import annotations

import math

from inspect_ai.agent import Agent, AgentState, agent, agent_with, sandbox_agent_bridge
from inspect_ai.model import GenerateFilter
from inspect_ai.util import OutputLimitExceededError, sample_limits, sandbox

from mlbench.agents.foreign_run import foreign_run, free_port, measured, model_calls, report_end, task_of
from mlbench.agents.npm_agents import NPM, PLACE
from mlbench.reasons import AgentOutcome
from mlbench.records import RunError
from mlbench.replies import numbered
from mlbench.sandbox.jail import ENVIRONMENT, WORKSPACE
from mlbench.truncate import head_and_tail

KEPT = 8_000
"""Characters of the agent's output that are kept at its head, and the same number at its tail."""

_ENDED, _GAVE_UP = "ended: ", "gave up: "
_PROXY_SECONDS = 120
_WITH_CERTIFICATES = """export SSL_CERT_FILE="${SSL_CERT_FILE:-$("$0" -m pip._vendor.certifi)}"; exec "$@\""""
"""A jail has no /etc/ssl, and goose does not start without certificates, although its model answers on loopback."""

_WAIT = """import socket, sys, time
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    try:
        sys.exit(socket.create_connection(("127.0.0.1", int(sys.argv[1]))).close())
    except OSError:
        time.sleep(0.05)
sys.exit(1)
"""


@agent
def external_agent(name: str) -> Agent:
    """Return an external agent: `drivers/NAME.py` starts one of PyPI, `npm_agents.NPM` says how one of npm starts."""

    async def execute(state: AgentState) -> AgentState:
        return await run_bridged(name, state)

    return agent_with(execute, name=name)


async def run_bridged(name: str, state: AgentState, asked: GenerateFilter | None = None) -> AgentState:
    """Run an external agent in the sample's sandbox until it ends.

    The sandbox has to show the agent's environment (`agent_envs.agent_environment`). `ForeignRun` in the sample's
    store says how the agent ended.

    Args:
        name: the name of the agent.
        state: its messages are the agent's task.
        asked: is called before each request of the agent to the model, and changes none.

    Raises:
        RunError: the agent failed before its first call of the model, or the model's provider failed. Both are
            failures of the machine, not of the agent.
    """
    record = foreign_run(name)
    port = free_port()
    before = len(model_calls())
    async with sandbox_agent_bridge(state, port=port, filter=numbered(asked)) as bridge:
        await _wait_for_proxy(name, port)
        printed = ""
        with measured(record):
            try:
                done = await sandbox().exec(
                    command(name),
                    input=task_of(state),
                    cwd=WORKSPACE,
                    env=variables(name, port),
                    timeout=_seconds_left(),
                    timeout_retry=False,
                    concurrency=False,  # the agent waits for the model: it takes no processor time from others
                )
                record.exit_code, printed = done.returncode, f"{done.stdout}\n{done.stderr}"
                record.ended = outcome_in(name, printed, success=done.success)
            except OutputLimitExceededError as error:
                record.ended, printed = AgentOutcome.CRASHED, f"{error.truncated_output or ''}\nit printed too much"
            except TimeoutError:
                record.ended = AgentOutcome.TIME_LIMIT
        record.output = head_and_tail(printed, 2 * KEPT)
        record.reason = reason_in(printed) or f"without a word, exit code {record.exit_code}"
    report_end(record, model_calls()[before:])
    return bridge.state


def command(name: str) -> list[str]:
    """Return the command that starts the agent; it reads the task on standard input."""
    if name in NPM:
        program, *arguments = NPM[name].start
        return ["sh", "-c", _WITH_CERTIFICATES, _python(name), f"{PLACE}/{name}/bin/{program}", *arguments]
    return [_python(name), "-I", "-u", f"{PLACE}/{name}/driver.py"]


def variables(name: str, port: int) -> dict[str, str]:
    """Return the agent's environment variables: the proxy's address, and no telemetry."""
    here = f"http://127.0.0.1:{port}/v1"
    own = NPM[name].variables if name in NPM else {}
    return {
        "OPENAI_BASE_URL": here,
        "OPENAI_API_BASE": here,
        "OPENAI_API_KEY": "none",
        "NO_PROXY": "127.0.0.1,localhost",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "DO_NOT_TRACK": "1",
        "OTEL_SDK_DISABLED": "true",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        **own,
    }


def reason_in(printed: str) -> str:
    """Return the reason that the driver printed for the agent's end, or the last three lines."""
    lines = [line for line in printed.splitlines() if line.strip(" ^~")]
    last_word = _last_word(printed).removeprefix(_ENDED).removeprefix(_GAVE_UP)
    return last_word[:500] or " | ".join(line.strip()[:300] for line in lines[-3:])


def outcome_in(name: str, printed: str, *, success: bool) -> AgentOutcome:
    """Return how an agent ended whose process came to its end: by itself, without calling the task done, or by a crash.

    Args:
        name: the name of the agent.
        printed: its output.
        success: whether its exit code is 0.
    """
    if name in NPM:  # its last line is the model's: there is no driver of ours
        gave_up = NPM[name].gave_up
        if gave_up and gave_up in printed:
            return AgentOutcome.GAVE_UP
    elif success and _last_word(printed).startswith(_GAVE_UP):
        return AgentOutcome.GAVE_UP
    return AgentOutcome.ENDED if success else AgentOutcome.CRASHED


def _last_word(printed: str) -> str:
    """Return the last line in which the driver says why the agent ended; empty if there is none."""
    return next((line for line in reversed(printed.splitlines()) if line.startswith((_ENDED, _GAVE_UP))), "")


async def _wait_for_proxy(name: str, port: int) -> None:
    """Wait until the proxy listens: the bridge does not, and not every agent retries."""
    wait = [_python(name), "-I", "-S", "-c", _WAIT, str(port), str(_PROXY_SECONDS)]
    done = await sandbox().exec(wait, timeout=2 * _PROXY_SECONDS, concurrency=False)
    if not done.success:
        why = done.stderr.strip() or f"it does not listen after {_PROXY_SECONDS} s"
        raise RunError(f"the agent {name} cannot be started: no way to the model from inside: {why}")


def _python(name: str) -> str:
    return f"{ENVIRONMENT}/bin/python" if name in NPM else f"{PLACE}/{name}/bin/python"


def _seconds_left() -> int | None:
    """Return the seconds until the time limit: a container's process must be ended from inside."""
    left = sample_limits().time.remaining
    return None if left is None else max(1, math.ceil(left))
