"""Each agent from npm in a sandbox, with the scripted engineer as its model: it solves a row, and no key is inside."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model

pytest.importorskip("openai")
from mlbench.agents.agent_envs import agent_environment, why_not
from mlbench.agents.npm_agents import NPM
from mlbench.evals.ml_agent_bench.task import agent_bench
from mlbench.package_index.aggregate import unreachable
from mlbench.records import RunError
from mlbench.sandbox.agent_sandbox import image_of_agents
from tests.scripted_agent.behaviours import BEHAVIOURS
from tests.scripted_agent.sample_ids import DRAWN
from tests.scripted_agent.server import Engineer

pytestmark = pytest.mark.agents

ROW = DRAWN[0]
SECRET = "sk-secret"
KEYS = ("OPENAI", "ANTHROPIC", "GEMINI", "GOOGLE", "MOONSHOT", "ENGINEER")
LOOK_FOR_KEYS = "env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'; touch /opt/agents/*/new && echo WRIT''ABLE"


@pytest.fixture
def engineer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Engineer]:
    """The competent engineer, who first looks for keys."""
    if problem := unreachable():
        pytest.skip(problem)
    for name in KEYS:
        monkeypatch.setenv(f"{name}_API_KEY", SECRET)
    monkeypatch.setitem(BEHAVIOURS, "curious", replace(BEHAVIOURS["competent"], commands=(LOOK_FOR_KEYS,)))
    with Engineer("curious") as found:
        yield found


def install(name: str, image: str | None = None) -> None:
    """Install the agent; skip the test if this machine has no npm or does not reach its registry."""
    try:
        agent_environment(name, image)
    except RunError as error:
        if "npm is not installed" in str(error) or "npm pack" in str(error):
            pytest.skip(str(error))
        raise
    if reason := why_not(name, image):
        pytest.skip(reason)


@pytest.mark.parametrize("name", NPM)
def test_it_solves_a_row_and_finds_no_key(name: str, engineer: Engineer, tmp_path: Path) -> None:
    install(name)
    solves(name, engineer, tmp_path, "bubblewrap")


@pytest.mark.docker
@pytest.mark.parametrize("name", NPM)
def test_it_solves_a_row_in_docker(name: str, engineer: Engineer, tmp_path: Path) -> None:
    """Kimi Code did not start: some files of its packages could be read only by the user who unpacked them."""
    install(name, image_of_agents())
    solves(name, engineer, tmp_path, "docker")


def solves(name: str, engineer: Engineer, tmp_path: Path, sandbox: str) -> None:
    """The agent solves a row in this sandbox, and what it shows the model holds no key."""
    task = agent_bench(agent=name, split="full", sandbox=sandbox)
    task.dataset = task.dataset.filter(lambda sample: int(str(sample.id)) == ROW)
    model = get_model("openai-api/engineer/curious", base_url=engineer.url, memoize=False)
    (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success" and log.samples, log.error
    score = (log.samples[0].scores or {})["judge"]
    assert score.value == score.value | {"strict": 1.0}, score.metadata
    assert (score.metadata or {})["agent"]["outcome"] == "ended"
    assert engineer.faults == []
    said = json.dumps([each.body for each in engineer.asked])
    assert "PATH=/opt/env/bin" in said  # it did look
    assert SECRET not in said and "WRITABLE" not in said
