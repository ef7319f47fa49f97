"""An agent whose run was killed and resumed: what is known of its work is of the whole of it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.dataset import Sample
from inspect_ai.model import CachePolicy, ModelOutput, ModelUsage, get_model

from mlbench.agents.agent_run import AgentRun, working

WAIT = 0.2


@agent
def asking(times: int) -> Agent:
    async def execute(state: AgentState) -> AgentState:
        for number in range(times):
            kept = CachePolicy(expiry=None, scopes={"run": "run"})
            state.output = await get_model().generate(f"Question {number}", cache=kept)
        return state

    return execute


def reply(*_: Any) -> ModelOutput:
    time.sleep(WAIT)
    output = ModelOutput.from_content("scripted", "I think.")
    output.usage = ModelUsage(input_tokens=90, output_tokens=10, total_tokens=100)
    return output


def worked(folder: Path, times: int) -> AgentRun:
    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    task = Task(dataset=[Sample("Ask.")], solver=working(asking(times), "none", {}), sandbox="local")
    (log,) = inspect_eval(task, model=model, log_dir=str(folder), display="none")
    assert log.status == "success" and log.samples, log.error
    return log.samples[0].store_as(AgentRun)


def test_the_work_of_a_killed_process_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once time and tokens of a resumed attempt began at the resume: kept replies took none of either."""
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "kept"))
    first = worked(tmp_path, 2)
    assert (first.steps, first.replayed) == (2, 0)
    assert first.seconds > 2 * WAIT
    resumed = worked(tmp_path, 3)
    assert (resumed.steps, resumed.replayed) == (3, 200)
    assert resumed.seconds > 3 * WAIT
