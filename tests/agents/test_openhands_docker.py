"""OpenHands in a real container: its terminal, what it leaves, and a row of the suite solved by a scripted engineer.

It needs Python 3.12, so it is tried in docker alone: `mlbench agents --sandbox docker` says how it is installed.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import as_solver
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput, ModelUsage, get_model
from inspect_ai.tool import ToolChoice, ToolInfo

from mlbench.agents.agent_envs import PLACE, agent_environment, why_not
from mlbench.agents.registry import entry
from mlbench.evals.ml_agent_bench.task import agent_bench
from mlbench.sandbox.agent_sandbox import IMAGE, NOTHING, image_of_agents
from mlbench.sandbox.containers import SETUP, Container
from mlbench.sandbox.docker.cleanup import LABEL, owner
from mlbench.sandbox.docker.engine import docker
from mlbench.sandbox.docker.images import image_for
from mlbench.sandbox.limits import MIB, Limits
from tests.scripted_agent.server import Engineer

pytestmark = [pytest.mark.docker, pytest.mark.agents]

ROW = 94
"""No options in the README, a package that is missing, a folder to change into."""

WRITE = "nice; echo 'echo worked > result.txt' > run.sh; bash run.sh; cat result.txt; ls -A"
LOOK = "command -v python; wc -l < /proc/net/route"


@pytest.fixture
def environment() -> str:
    """Where the agent is installed; that takes minutes, so it is no part of a test."""
    image = image_of_agents()
    if reason := why_not("openhands", image):
        pytest.skip(reason)
    return str(agent_environment("openhands", image))


def answer(
    messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice, config: GenerateConfig
) -> ModelOutput:
    """Some commands, and the end."""
    first = not any(message.role == "assistant" for message in messages)
    call = ("terminal", {"command": f"{WRITE}; {LOOK}"}) if first else ("finish", {"message": "done"})
    output = ModelOutput.for_tool_call("m", *call)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def worked(task: Task, logs: Path, model: str = "mockllm/model") -> EvalSample:
    """The one sample of a task, after which nothing is left in the engine."""
    chosen = get_model(model, custom_outputs=answer, memoize=False) if model == "mockllm/model" else model
    (log,) = inspect_eval(task, model=chosen, log_dir=str(logs), display="none", turn_limit=40)
    assert log.status == "success", log.error
    assert docker("list", "ps", "--all", "--quiet", "--filter", f"label={LABEL}={owner()}") == ""
    (sample,) = log.samples or []
    assert sample.error is None
    return sample


def test_its_terminal_is_clean_and_it_leaves_no_file_of_its_own(environment: str, tmp_path: Path) -> None:
    (repository := tmp_path / "repository").mkdir()
    (repository / "README.md").write_text("nothing to see\n")
    limits = Limits(memory=2048 * MIB, written=256 * MIB, processes=256)
    container = Container(
        image_for(IMAGE, NOTHING, installable=True), repository, limits, shown=((environment, f"{PLACE}/openhands"),)
    )
    task = Task(
        dataset=[Sample(input="Leave run.sh.", setup=SETUP)],
        solver=as_solver(entry("openhands").make("")),
        sandbox=container.spec(),
    )
    sample = worked(task, tmp_path / "logs")
    store = {name.removeprefix("ForeignRun:"): value for name, value in sample.store.items()}
    assert (store["ended"], store["reason"], store["steps"]) == ("ended", "finished", 2)
    (said,) = [message.text for message in sample.messages if message.role == "tool"][:1]
    assert "\x1b" not in said  # marks for pasting stood before the first line of every output
    # it would give its commands the lowest turn of the machine; they have that of all other agents
    assert said.split()[:6] == ["0", "worked", "README.md", "result.txt", "run.sh", "/opt/env/bin/python"]
    assert said.split()[6] == "1"  # the heading: there is no way out


def test_it_solves_a_row_of_the_suite(environment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Engineer("competent") as engineer:
        for name, value in engineer.env.items():
            monkeypatch.setenv(name, value)
        task = agent_bench(agent="openhands", split="full", sandbox="docker")
        task.dataset = task.dataset.filter(lambda sample: int(str(sample.id)) == ROW)
        sample = worked(task, tmp_path / "logs", "openai-api/engineer/competent")
    score = (sample.scores or {})["judge"]
    assert isinstance(score.value, dict) and score.value["strict"] == 1.0, score.explanation
