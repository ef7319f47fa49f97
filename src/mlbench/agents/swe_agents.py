"""Run agents of `inspect_swe` in the sandbox: programs of the npm registry that it knows how to drive.

The library writes each agent's settings, starts it and puts Inspect's bridge between it and the evaluated model. The
programs come from `npm_agents`, never from the library's own downloads.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from inspect_ai.agent import Agent, AgentState, agent, agent_with
from inspect_ai.model import get_model, get_model_info
from inspect_ai.util import sandbox, store

from mlbench.agents import npm_agents
from mlbench.agents.foreign_run import foreign_run, free_port, measured, model_calls, report_end
from mlbench.agents.npm_agents import PLACE
from mlbench.reasons import AgentOutcome
from mlbench.records import RunError
from mlbench.replies import numbered
from mlbench.truncate import head_and_tail

_KEPT = 8_000
_CONTEXT = 128_000  # of a model whose context window Inspect does not know
_HERE = "sandbox"  # what inspect_swe calls a program that is in the sandbox already
_EXIT_CODE = re.compile(r"Error executing [\w ]+? agent (-?\d+)")


def _claude_code(**common: Any) -> Agent:
    from inspect_swe import claude_code

    # after a crash the library would start the agent again
    made: Agent = claude_code(version=_HERE, retry_uncaught_errors=None, disallowed_tools=["WebSearch"], **common)
    return made


def _codex_cli(**common: Any) -> Agent:
    from inspect_swe import codex_cli
    from inspect_swe._codex_cli import codex_cli as module

    async def no_catalog(version: str | None) -> None:
        return None

    # the library would fetch the release's list of models at run time; it has a copy of its own, which is pinned
    module.codex_version_models_catalog = no_catalog
    made: Agent = codex_cli(version=_HERE, home_dir="$HOME/.codex", web_search="disabled", **common)
    return made


def _gemini_cli(**common: Any) -> Agent:
    from inspect_swe import gemini_cli

    made: Agent = gemini_cli(version=npm_agents.version("gemini_cli"), **common)
    return made


def _opencode(env: dict[str, str], **common: Any) -> Agent:
    from inspect_swe import opencode

    # without a network each of these would wait for a time-out
    off = dict.fromkeys(("MODELS_FETCH", "AUTOUPDATE", "LSP_DOWNLOAD", "DEFAULT_PLUGINS"), "1")
    quiet = {f"OPENCODE_DISABLE_{what}": value for what, value in off.items()}
    made: Agent = opencode(version=_HERE, env={**env, **quiet}, **common)
    return made


def _kimi_code(**common: Any) -> Agent:
    from inspect_swe import kimi_code

    about = get_model_info(get_model())
    made: Agent = kimi_code(version=_HERE, max_context_size=(about and about.context_length) or _CONTEXT, **common)
    return made


SWE: dict[str, Callable[..., Agent]] = {
    "claude_code": _claude_code,
    "codex_cli": _codex_cli,
    "gemini_cli": _gemini_cli,
    "opencode": _opencode,
    "kimi_code": _kimi_code,
}


@agent
def swe_agent(name: str) -> Agent:
    """Return an agent of `npm_agents.NPM` that `inspect_swe` drives."""

    async def execute(state: AgentState) -> AgentState:
        return await _run(name, state)

    return agent_with(execute, name=name)


async def _run(name: str, state: AgentState) -> AgentState:
    """Run an agent until it ends; `ForeignRun` in the sample's store says how.

    Raises:
        RunError: the agent failed before its first call of the model, or the model's provider failed.
    """
    record, before = foreign_run(name), len(model_calls())
    path = await _link_commands(name)
    store().set(f"{name}_model_port", free_port() - 1)  # the library takes the next one
    with measured(record):
        try:
            state = await SWE[name](filter=numbered(), retry_refusals=None, env={"PATH": path})(state)
            record.ended, record.reason = AgentOutcome.ENDED, "it had nothing more to do"
        except RuntimeError as error:
            if (found := _EXIT_CODE.match(str(error))) is None:
                raise
            record.ended, record.exit_code = AgentOutcome.CRASHED, int(found[1])
            record.output = head_and_tail(str(error), 2 * _KEPT)
            record.reason = " | ".join(line.strip()[:300] for line in str(error).splitlines()[-3:] if line.strip())
    report_end(record, model_calls()[before:])
    return state


async def _link_commands(name: str) -> str:
    """Put an agent's commands where the library looks for them; return the sandbox's PATH.

    Raises:
        RunError: the sandbox does not show the agent.
    """
    from inspect_swe._util.sandbox import SANDBOX_INSTALL_DIR

    place, packages = f"{PLACE}/{name}", f"{SANDBOX_INSTALL_DIR}/{name.replace('_', '-')}"
    links = f'ln -sf {place}/bin/* "$(dirname "$(command -v pip)")" && mkdir -p {SANDBOX_INSTALL_DIR}'
    links += f' && ln -sfn {place} {packages} && printf %s "$PATH"'
    done = await sandbox().exec(["sh", "-c", links], timeout=60, concurrency=False)
    if not done.success:
        raise RunError(f"the agent {name} cannot be started: {done.stderr.strip()[-300:]}")
    return done.stdout
