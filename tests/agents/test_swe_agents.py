"""How an agent of inspect_swe ends is told as for every foreign agent; the library and its programs are not needed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample
from inspect_ai.model import get_model

from mlbench.agents import swe_agents
from mlbench.agents.agent_run import working
from mlbench.agents.npm_agents import NPM
from mlbench.agents.swe_agents import SWE, swe_agent


@agent
def program(asks: int, error: str, given: dict[str, Any]) -> Agent:
    """Asks the model so often, and ends with this error, as the library reports it."""

    async def execute(state: AgentState) -> AgentState:
        for _ in range(asks):
            state.output = await get_model().generate("go on")
        if error:
            raise RuntimeError(error)
        return state

    return execute


Run = Callable[..., tuple[EvalSample, dict[str, Any]]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the agent, and returns the sample and what the library was given."""

    async def linked(name: str) -> str:
        return "/opt/env/bin:/usr/bin"

    def make(asks: int, error: str = "", budget: dict[str, float] | None = None) -> tuple[EvalSample, dict[str, Any]]:
        given: dict[str, Any] = {}

        def factory(**options: Any) -> Agent:
            given.update(options)
            return program(asks, error, given)

        monkeypatch.setattr(swe_agents, "_link_commands", linked)
        monkeypatch.setitem(SWE, "claude_code", factory)
        task = Task(
            dataset=[Sample("Go.")], solver=working(swe_agent("claude_code"), "none", budget or {}), sandbox="local"
        )
        (log,) = inspect_eval(
            task, model=get_model("mockllm/model", memoize=False), log_dir=str(tmp_path), display="none"
        )
        assert log.samples
        return log.samples[0], given

    return make


def test_each_program_of_npm_has_somebody_who_drives_it() -> None:
    assert SWE.keys() == {name for name, each in NPM.items() if not each.start}
    for name, each in NPM.items():
        assert not each.start or each.start[0] in each.programs, name


def test_a_program_that_never_asked_is_an_error_of_the_machine(run: Run) -> None:
    sample, _ = run(0, "Error executing claude code agent 1: no such file")
    assert sample.error and "the agent claude_code ended with 1 before it asked the model" in sample.error.message
