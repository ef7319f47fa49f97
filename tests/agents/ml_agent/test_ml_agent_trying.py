"""An answer that is left as `run.sh` is tried before: what fails comes back, what is missing is installed."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ChatMessage, ModelOutput
from inspect_ai.tool import ToolInfo
from inspect_ai.util import ExecResult

from mlbench.agents.ml_agent import trial_run
from mlbench.agents.ml_agent.options import MLAgentOptions
from mlbench.agents.ml_agent.pipeline import SolvePipeline
from mlbench.agents.ml_agent.result import SolveResult
from mlbench.agents.ml_agent.search import SearchResult
from mlbench.agents.ml_agent.search.catalogue import RepositoryCatalogue
from mlbench.agents.ml_agent.task_input import Job
from mlbench.agents.ml_agent.tool_calls import LLMClient
from mlbench.agents.ml_agent.tool_schemas import ToolAnswer
from mlbench.agents.ml_agent.trial_run import TrialRun
from tests.agents.ml_agent.playing import Policy, call, playing, script

pytestmark = pytest.mark.anyio

JOB = Job("Train a toad on the lake data.", "shell")
JUDGED = call("judge_repository", suitable=True, reason="", readmes=["README.md"])
NEEDS = "test -e pond || { echo \"No module named 'pond'\"; exit 3; }"
PIP = (
    '#!/bin/bash\necho "$@" >> asked\nfor name in "$@"; do case "$name" in -*|install) ;; *) : > "$name";; esac; done\n'
)


class Box:
    """A folder in place of a sandbox, and a pip that makes a file of each name."""

    def __init__(self, folder: Path) -> None:
        (folder / "bin").mkdir(parents=True)
        (folder / "bin" / "pip").write_text(PIP)
        (folder / "bin" / "pip").chmod(0o755)
        self.folder = folder

    async def write_file(self, path: str, text: str) -> None:
        (self.folder / path.removeprefix("/workspace/")).write_text(text)

    async def exec(self, command: list[str], *, cwd: str, timeout: int) -> ExecResult[str]:
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        ran = await asyncio.create_subprocess_exec(
            *command, cwd=self.folder, env={"PATH": path}, stdout=asyncio.subprocess.PIPE
        )
        out, _ = await ran.communicate()
        assert ran.returncode is not None
        return ExecResult(ran.returncode == 0, ran.returncode, out.decode(), "")


def answered(code: str) -> ModelOutput:
    return call("answer", language="bash", code=code)


async def work(policy: Policy, toad: SearchResult, box: Box, **options: Any) -> SolveResult:
    desk = LLMClient(playing(policy), MLAgentOptions(check=False, stop_early=False, **options))
    trial = TrialRun(JOB, box)  # type: ignore[arg-type]
    return await SolvePipeline(JOB, desk, RepositoryCatalogue(()), toad, None, trial).run()


@pytest.fixture
def box(tmp_path: Path) -> Box:
    return Box(tmp_path / "box")


async def test_what_is_missing_is_installed_and_the_answer_run_again(toad: SearchResult, box: Box) -> None:
    heard: list[tuple[str, list[str]]] = []
    replies = script(JUDGED, answered(NEEDS), call("install_packages", packages=["pond"]))

    def policy(messages: list[ChatMessage], tools: list[ToolInfo]) -> ModelOutput:
        heard.append((messages[-1].text, [tool.name for tool in tools]))
        return replies(messages, tools)

    result = await work(policy, toad, box)
    assert result.code == NEEDS
    assert (result.trialled.runs, result.trialled.exit_code, result.trialled.installed) == (2, 0, ("pond",))
    assert result.costs.steps == 3
    assert "install_packages" not in heard[1][1]
    assert heard[2][1][:2] == ["answer", "install_packages"]
    assert "exit code 3" in heard[2][0]
    assert "No module named 'pond'" in heard[2][0]
    assert "Nothing is installed yet." in heard[1][0]


async def test_the_repositorys_requirements_can_be_installed_and_nothing_beside_it(
    toad: SearchResult, box: Box
) -> None:
    assert toad.folder
    (toad.folder / "requirements.txt").write_text("pond\n")
    asked = [call("install_packages", requirements=path) for path in ("../other.txt", "", "./requirements.txt")]
    asked.append(call("install_packages", packages=["--index-url=http://x"]))
    result = await work(script(JUDGED, answered(NEEDS), *asked, answered("true")), toad, box)
    assert (box.folder / "asked").read_text() == "install -q --disable-pip-version-check -r requirements.txt\n"
    assert (result.code, result.trialled.installed) == ("true", ("-r requirements.txt",))
    assert result.costs.invalid == 1


async def test_an_answer_that_fails_is_mended_or_stands(toad: SearchResult, box: Box) -> None:
    result = await work(script(JUDGED, answered("exit 1"), answered("true")), toad, box)
    assert (result.code, result.trialled.runs, result.trialled.exit_code) == ("true", 2, 0)
    result = await work(script(JUDGED, answered("exit 1"), answered("exit 1")), toad, box)
    assert (result.code, result.trialled.runs, result.trialled.exit_code) == ("exit 1", 1, 1)


async def test_trials_are_bounded(toad: SearchResult, box: Box) -> None:
    wrong = [answered(f"exit {n}") for n in range(1, 9)]
    result = await work(script(JUDGED, *wrong), toad, box, trials=3)
    assert (result.trialled.runs, result.costs.steps) == (3, 5)


@pytest.mark.parametrize(
    ("code", "exit_code", "works", "said"),
    [
        ("sleep 30", None, True, ""),
        ("head -c 1000000 /dev/zero | tr '\\0' x; exit 2", 2, False, "xxxx"),
        ("cat; echo err >&2", 0, True, "err"),
    ],
)
async def test_a_try_is_bounded_whatever_is_run(
    code: str, exit_code: int | None, works: bool, said: str, box: Box, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial_run, "_RUN_SECONDS", 1)
    tried = await TrialRun(JOB, box).run(ToolAnswer(language="bash", code=code))  # type: ignore[arg-type]
    assert (tried.exit_code, tried.works) == (exit_code, works)
    assert said in tried.output
    assert len(tried.output) <= 4000
