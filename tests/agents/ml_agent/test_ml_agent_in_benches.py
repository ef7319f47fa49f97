"""ML-Agent as a solver: what it is told of a row, what it hands in, what a bench finds of it afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.agent import as_solver
from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sandbox

from mlbench.agents.ml_agent import KEY, MLAgentOptions, ml_agent
from mlbench.agents.ml_agent.result import SolveOutcome, SolveResult
from mlbench.agents.ml_agent.submission import reply, run_files
from mlbench.agents.ml_agent.task_input import Job, job_of
from mlbench.evals.ml_llm_bench.task import llm_bench
from mlbench.prompts.messages import ROW
from mlbench.prompts.settings import render
from mlbench.records import Sample, UsageError
from mlbench.suites.suite import load_split, load_suite
from tests.agents.ml_agent.playing import Policy, by_tool, call, playing

ROWS = load_split("pocket", "quarter")
SHELL = next(row for row in ROWS if row.path == "./implementations/lsgan")
PYTHON = next(row for row in ROWS if row.kind == "python" and row.path == "./composer")


def policy_for(row: Sample, folder: str = ".", name: str = "mirage") -> Policy:
    return by_tool(
        search_repositories=call("search_repositories", keywords=row.instruction.split()[:12]),
        rank_repositories=call("rank_repositories", names=[name]),
        judge_repository=call("judge_repository", suitable=True, reason="", readmes=["README.md"]),
        answer=call("answer", language="bash" if row.kind == "shell" else "python", folder=folder, code=row.output),
    )


def tried(policy: Policy, row: Sample, folder: Path, **arguments: Any) -> EvalSample:
    task = llm_bench(suite="pocket", split="quarter", limit=None, judged=True, cache=False)
    task.dataset = task.dataset.filter(lambda sample: sample.id == str(row.id))
    task.solver = as_solver(ml_agent("pocket", **arguments))
    (log,) = inspect_eval(task, model=playing(policy), log_dir=str(folder), display="none")
    assert log.status == "success", log.error
    assert log.samples
    return log.samples[0]


def test_a_row_is_solved_in_its_repository(tmp_path: Path) -> None:
    sample = tried(policy_for(SHELL), SHELL, tmp_path)
    assert sample.scores and isinstance(sample.scores["judge"].value, dict)
    assert sample.scores["judge"].value["strict"] == 1.0
    result = (sample.output.metadata or {})[KEY]
    assert (result["outcome"], result["repository"], result["folder"]) == ("answered", "mirage", SHELL.path)
    assert result["checked"]["status"] == "accepted"
    assert result["costs"]["steps"] == 2
    assert sum(isinstance(message, ChatMessageAssistant) for message in sample.messages) == 3, "the steps, the answer"


def test_it_chooses_and_is_told_nothing_that_would_give_the_repository_away(tmp_path: Path) -> None:
    sample = tried(policy_for(SHELL, "implementations/lsgan"), SHELL, tmp_path, repository="choose")
    assert sample.scores and isinstance(sample.scores["judge"].value, dict)
    assert sample.scores["judge"].value["strict"] == 1.0
    result = (sample.output.metadata or {})[KEY]
    assert (result["repository"], result["ranked"][0], len(result["found"])) == ("mirage", "mirage", 5)
    asked = sample.messages[2:]
    assert "Which keywords" in asked[1].text
    assert "lsgan" not in asked[1].text


def test_neither_reference_nor_arguments_are_ever_shown(tmp_path: Path) -> None:
    shown = tried(by_tool(judge_repository=call("judge_repository", suitable=True, reason=""),
                          answer=call("answer", language="bash", code="echo")), SHELL, tmp_path)  # fmt: skip
    texts = "\n".join(message.text for message in shown.messages[2:])
    assert SHELL.output not in texts
    assert SHELL.arguments not in texts


def test_run_sh_is_left_in_the_workspace(tmp_path: Path) -> None:
    @solver
    def reads() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            state.metadata["left"] = [await sandbox().read_file(name) for name in ("run.sh", "composer/solve.py")]
            return state

        return solve

    user = ChatMessageUser(content="x", metadata={ROW: {"suite": "pocket", "id": PYTHON.id}})
    task = Task(
        dataset=[InspectSample(input=[user])],
        solver=[as_solver(ml_agent("pocket", leave="run.sh", options={"check": False})), reads()],
        sandbox="bubblewrap",
    )
    (log,) = inspect_eval(task, model=playing(policy_for(PYTHON)), log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    assert log.samples
    assert log.samples[0].metadata["left"] == ["#!/bin/bash\ncd composer\npython solve.py\n", f"{PYTHON.output}\n"]


@pytest.mark.parametrize(
    ("result", "files"),
    [
        (SolveResult(SolveOutcome.STEP_LIMIT), {}),
        (
            SolveResult(SolveOutcome.ANSWERED, kind="shell", folder="./a b", code="python x.py"),
            {"run.sh": "#!/bin/bash\ncd 'a b'\nexport A=1\npython x.py\n"},
        ),
        (SolveResult(SolveOutcome.ANSWERED, kind="shell", code="ls"), {"run.sh": "#!/bin/bash\nexport A=1\nls\n"}),
        (
            SolveResult(SolveOutcome.ANSWERED, kind="python", folder="sub/", code="import x"),
            {"sub/solve.py": "import x\n", "run.sh": "#!/bin/bash\ncd sub\nexport A=1\npython solve.py\n"},
        ),
        (
            SolveResult(SolveOutcome.ANSWERED, kind="shell", folder="../../etc", code="ls"),
            {"run.sh": "#!/bin/bash\ncd etc\nexport A=1\nls\n"},
        ),
    ],
)  # fmt: skip
def test_run_sh_goes_to_the_folder_first(result: SolveResult, files: dict[str, str]) -> None:
    job = Job("x", prefix="export A=1")
    assert {file.path: file.text for file in run_files(job, result)} == files


@pytest.mark.parametrize(
    ("folder", "chosen", "kind", "text"),
    [
        ("./a", "a", "shell", "```bash\nls\n```\n"),
        ("", "a", "shell", "```bash\nls\n```\n"),
        ("./a/b", ".", "shell", "```bash\ncd ../..\nls\n```\n"),
        (".", "c d", "shell", "```bash\ncd 'c d'\nls\n```\n"),
        (".", "a", "python", "```python\nimport os, sys\nos.chdir('a')\nsys.path.insert(0, os.getcwd())\nls\n```\n"),
    ],
)
def test_a_reply_goes_from_the_benchs_folder_to_its_own(folder: str, chosen: str, kind: Any, text: str) -> None:
    result = SolveResult(SolveOutcome.ANSWERED, kind=kind, folder=chosen, code="ls")
    assert reply(Job("x", folder=folder), result) == text


def test_no_answer_is_an_empty_reply() -> None:
    assert reply(Job("x"), SolveResult(SolveOutcome.INVALID)) == ""


def test_of_a_prompt_only_the_instruction_is_read() -> None:
    prompt = render(SHELL, load_suite("pocket").folder("mirage"), "mirage", "oracle")
    assert job_of([ChatMessageUser(content=prompt.user)]) == Job(SHELL.instruction)
    about = {"suite": "pocket", "id": SHELL.id}
    found = job_of([ChatMessageUser(content=prompt.user, metadata={ROW: about})])
    assert found == Job(SHELL.instruction, "shell", SHELL.path, SHELL.prefix_code, "mirage")
    assert job_of([ChatMessageUser(content="Train it.")]) == Job("Train it.")
    with pytest.raises(UsageError, match="no user message"):
        job_of([])
    with pytest.raises(UsageError, match="the instruction is empty"):
        job_of([ChatMessageUser(content="<instruction>\n \n</instruction>")])


def test_a_result_is_json() -> None:
    assert json.loads(json.dumps(SolveResult(SolveOutcome.ANSWERED).record()))["outcome"] == "answered"


def test_what_cannot_be_is_refused_before_a_run() -> None:
    with pytest.raises(UsageError, match="no repository 'nosuch'"):
        ml_agent("pocket", "nosuch")
    with pytest.raises(UsageError, match="steps=0"):
        ml_agent("pocket", options={"steps": 0})
    with pytest.raises(UsageError, match="no option 'nosuch'; there are: stop_early"):
        ml_agent("pocket", options={"nosuch": 1})
    with pytest.raises(UsageError, match="no suite 'nosuch'"):
        ml_agent("nosuch")


def test_options_may_be_an_object() -> None:
    assert ml_agent("pocket", options=MLAgentOptions(check=False))
