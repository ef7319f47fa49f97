"""An agent whose run was killed and resumed: it goes on with its replies, and all of its work is counted."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import Agent, AgentState, agent
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    CachePolicy,
    ChatMessageUser,
    GenerateConfig,
    GenerateInput,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.util import SandboxEnvironmentSpec

from mlbench.agents.agent_envs import PLACE
from mlbench.agents.agent_run import AgentRun, working
from mlbench.agents.sandbox_bridge import external_agent
from mlbench.evals.ml_agent_bench.task import agent_bench
from mlbench.replies import cache_policy, numbered
from mlbench.sandbox.bubblewrap import BubblewrapConfig

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


@pytest.mark.anyio
async def test_a_request_that_is_repeated_is_cached_by_itself() -> None:
    """An agent that asks the same again wants another reply; it would get the first one for ever."""
    filter_: Callable[..., Any] = numbered()
    model = get_model("mockllm/model")

    async def scopes(text: str, run: str | None = "one") -> dict[str, str] | None:
        config = GenerateConfig(cache=cache_policy(run))
        changed = await filter_(model, [ChatMessageUser(content=text)], [], "auto", config)
        assert changed is None or isinstance(changed, GenerateInput)
        return changed.config.cache.scopes if changed else None

    assert await scopes("go on") == {"run": "one", "repeat": "1"}
    assert await scopes("another") == {"run": "one", "repeat": "1"}
    assert await scopes("go on") == {"run": "one", "repeat": "2"}
    assert await scopes("go on", run=None) is None


def test_the_agent_bench_keeps_the_replies_of_its_run() -> None:
    kept = agent_bench(agent="nothing", network="none", limit=1, run="a run").config.cache
    assert isinstance(kept, CachePolicy) and kept.scopes == {"run": "a run"}
    assert agent_bench(agent="nothing", network="none", limit=1).config.cache is None


DRIVER = """import json, os, urllib.request
words = {"model": "inspect", "messages": [{"role": "user", "content": "go on"}]}
for number in range(4):
    address = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    request = urllib.request.Request(address, json.dumps(words).encode(), {"Content-Type": "application/json"})
    reply = json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]
    print(reply, flush=True)
print("ended: done")
"""


@pytest.mark.slow
def test_a_foreign_agent_goes_on_with_its_replies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A foreign agent that was killed began anew, and paid for every reply again."""
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "kept"))
    environment, workspace = tmp_path / "agent", tmp_path / "repository"
    for each in (environment / "bin", workspace):
        each.mkdir(parents=True)
    (environment / "bin" / "python").symlink_to(Path(getattr(sys, "_base_executable", sys.executable)).resolve())
    (environment / "driver.py").write_text(DRIVER)
    shown = ((str(environment), f"{PLACE}/stranger"),)
    config = BubblewrapConfig(repository=str(workspace), shown=shown, installable=True)
    paid: list[str] = []

    def answer(*_: Any) -> ModelOutput:
        paid.append(f"reply {len(paid) + 1}")
        output = ModelOutput.from_content("scripted", paid[-1])
        output.usage = ModelUsage(input_tokens=90, output_tokens=10, total_tokens=100)
        return output

    def life(steps: int) -> tuple[AgentRun, str]:
        model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
        task = Task(
            dataset=[Sample("Work.")],
            solver=working(external_agent("stranger"), "none", {"steps": steps}),
            config=GenerateConfig(cache=cache_policy("run")),
            sandbox=SandboxEnvironmentSpec("bubblewrap", config),
        )
        (log,) = inspect_eval(task, model=model, log_dir=str(tmp_path / "logs"), display="none")
        assert log.status == "success" and log.samples, log.error
        return log.samples[0].store_as(AgentRun), str(log.samples[0].store.get("ForeignRun:output"))

    first, _ = life(steps=1)
    assert first.outcome == "step-limit"
    before = list(paid)
    second, said = life(steps=10)
    assert (second.outcome, second.steps, second.replayed) == ("ended", 4, 100 * len(before))
    assert len(before) >= 2
    assert paid == [f"reply {number}" for number in range(1, 5)]
    assert said.split("\n")[:4] == paid
