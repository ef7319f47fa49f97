"""An agent that ran out of steps was `step-limit` for react and `ended` for research_agent; a foreign one `time-limit`.

Every kind of agent is ended by every limit here. The foreign ones are a scripted client of the bridge: they differ from
it in what they ask, not in the way that a limit ends them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.dataset import Sample
from inspect_ai.event import SampleLimitEvent
from inspect_ai.model import ModelCost, ModelInfo, ModelOutput, ModelUsage, get_model, set_model_info
from inspect_ai.util import SandboxEnvironmentSpec, apply_limits, token_limit

from mlbench.agents.agent_envs import PLACE
from mlbench.agents.agent_run import AgentRun, outcome_of_events, report_outcome, working
from mlbench.agents.codeact import codeact
from mlbench.agents.sandbox_bridge import external_agent
from mlbench.evals.mlagentbench.research_agent import ResearchOutcome, reacting, research_agent
from mlbench.reasons import AgentOutcome
from mlbench.sandbox.bubblewrap import BubblewrapConfig
from tests.agents.research_agent.test_research_agent import LOOK, PROBLEM, saying, tools

CLIENT = """import json, os, sys, time, urllib.request
words = {"model": "inspect", "messages": [{"role": "user", "content": "go on"}]}
while True:
    address = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    request = urllib.request.Request(address, json.dumps(words).encode(), {"Content-Type": "application/json"})
    try:
        json.load(urllib.request.urlopen(request))
    except Exception:
        time.sleep(0.1)  # it asks again, whatever it is told
"""
MODEL = "mockllm/outcomes"
"""Each reply takes 0.02 s, 100 tokens and 10 cents."""

LIMITS: dict[AgentOutcome, dict[str, Any]] = {
    AgentOutcome.STEP_LIMIT: {"steps": 3},
    AgentOutcome.TOKEN_LIMIT: {"tokens": 250},
    AgentOutcome.COST_LIMIT: {"cost": 0.25},
    AgentOutcome.TIME_LIMIT: {"seconds": 1, "steps": 10**6},
}


def _research(budget: dict[str, Any]) -> Agent:
    """As the task makes it: it counts its own steps and seconds."""
    own = {name: budget[name] for name in ("steps", "seconds") if name in budget}
    return research_agent(PROBLEM, tools(), own)


KINDS: dict[str, Callable[[dict[str, Any]], Agent]] = {
    "codeact": lambda budget: codeact(),
    "react": lambda budget: reacting(PROBLEM, tools()),
    "research_agent": _research,
    "external": lambda budget: external_agent("stranger"),
}


def _reply(kind: str, *_: Any) -> ModelOutput:
    time.sleep(0.02)
    if kind == "codeact":
        output = ModelOutput.for_tool_call(MODEL, "bash", {"command": "true"})
    elif kind == "react":
        output = ModelOutput.for_tool_call(MODEL, "list_files", {"dir_path": "."})
    else:
        output = ModelOutput.from_content(MODEL, saying(*LOOK))
    output.usage = ModelUsage(input_tokens=100, output_tokens=0, total_tokens=100)
    return output


def _sandbox(folder: Path) -> SandboxEnvironmentSpec:
    environment, workspace = folder / "agent", folder / "repository"
    for each in (environment / "bin", workspace):
        each.mkdir(parents=True)
    (environment / "bin" / "python").symlink_to(Path(getattr(sys, "_base_executable", sys.executable)).resolve())
    (environment / "driver.py").write_text(CLIENT)
    shown = ((str(environment), f"{PLACE}/stranger"),)
    return SandboxEnvironmentSpec(
        "bubblewrap", BubblewrapConfig(repository=str(workspace), shown=shown, installable=True)
    )


def run(folder: Path, kind: str, budget: dict[str, Any], made: Agent | None = None) -> AgentRun:
    set_model_info(MODEL, ModelInfo(cost=ModelCost(input=1000, output=0, input_cache_write=0, input_cache_read=0)))
    model = get_model(MODEL, custom_outputs=lambda *given: _reply(kind, *given), memoize=False)
    outer = budget
    if kind == "research_agent" and "steps" in budget:
        outer = {**budget, "steps": 4 * budget["steps"]}
    task = Task(
        dataset=[Sample("Work.")],
        solver=working(made or KINDS[kind](budget), "none", outer),
        sandbox=_sandbox(folder) if kind in ("external", "codeact") else "local",
        working_limit=budget.get("seconds"),
    )
    (log,) = inspect_eval(task, model=model, log_dir=str(folder), display="none")
    assert log.status == "success" and log.samples, log.error
    assert log.samples[0].error is None
    return log.samples[0].store_as(AgentRun)


QUICK = ("external", AgentOutcome.TOKEN_LIMIT)
"""The one case of the bridge in the default tests: its start takes seconds."""


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        pytest.param(kind, outcome, marks=[pytest.mark.slow] if kind == "external" and (kind, outcome) != QUICK else [])
        for kind in KINDS
        for outcome in LIMITS
    ],
)
def test_a_limit_has_one_name_whatever_agent_it_ends(tmp_path: Path, kind: str, outcome: AgentOutcome) -> None:
    found = run(tmp_path, kind, LIMITS[outcome])
    assert found.outcome == outcome
    assert outcome is not AgentOutcome.STEP_LIMIT or found.steps >= 3


@agent
def survivor() -> Agent:
    """Survives a limit of its own, goes on, and is then stopped from outside."""

    async def execute(state: AgentState) -> AgentState:
        with apply_limits([token_limit(50)], catch_errors=True):
            await get_model().generate("one")
        await get_model().generate("two")
        await anyio.sleep(60)
        return state

    return execute


def test_a_limit_that_an_agent_survives_is_not_its_end(tmp_path: Path) -> None:
    assert run(tmp_path, "survivor", {"seconds": 1}, survivor()).outcome == "time-limit"


@agent
def loser() -> Agent:
    """Reports its own end."""

    async def execute(state: AgentState) -> AgentState:
        report_outcome(AgentOutcome.CRASHED, "last line")
        return state

    return execute


def test_an_agent_can_report_its_own_end(tmp_path: Path) -> None:
    found = run(tmp_path, "loser", {}, loser())
    assert (found.outcome, found.detail) == ("crashed", "last line")


@pytest.mark.parametrize(
    ("types", "outcome"),
    [
        (["turn"], "step-limit"),
        (["message"], "step-limit"),
        (["token"], "token-limit"),
        (["cost"], "cost-limit"),
        (["working"], "time-limit"),
        (["operator"], "time-limit"),
        (["token", "cost"], "cost-limit"),
        ([], "time-limit"),
    ],
)
def test_the_last_limit_event_names_the_end(types: list[Any], outcome: str) -> None:
    events = [SampleLimitEvent(type=each, message="over") for each in types]
    assert outcome_of_events(events) == outcome


def test_every_outcome_of_the_research_agent_has_the_shared_name() -> None:
    assert {each.value: each.agent_outcome.value for each in ResearchOutcome} == {
        "answered": "ended",
        "unreadable-replies": "gave-up",
        "step-limit": "step-limit",
        "time-limit": "time-limit",
    }


def test_a_time_limit_before_the_agent_starts_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine the time was over while the sandbox was asked for its clock: the outcome was empty."""

    async def slow(box: Any) -> str:
        await anyio.sleep(30)
        return ""

    monkeypatch.setattr("mlbench.agents.agent_run.clock", slow)
    task = Task(dataset=[Sample("Go.")], solver=working(codeact(), "none", {}), sandbox="local", working_limit=1)
    (log,) = inspect_eval(task, model="mockllm/model", log_dir=str(tmp_path), display="none")
    assert log.samples
    assert log.samples[0].store_as(AgentRun).outcome == AgentOutcome.TIME_LIMIT
