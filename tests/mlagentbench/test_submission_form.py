"""The check of a submission's form names file and rule, tells no score, and keeps what agents did wrong as steps."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai.agent import run
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from mlbench.evals.mlagentbench.data import Prepared, prepared
from mlbench.evals.mlagentbench.grading import JUDGING
from mlbench.evals.mlagentbench.problem import ResearchProblem, load_problem
from mlbench.evals.mlagentbench.research_agent import reacting, research_agent
from mlbench.evals.mlagentbench.submission_form import form_fault
from mlbench.sandbox.submission import packed_folder
from tests.mlagentbench.attack_types import SQUARE
from tests.mlagentbench.problem_fixtures import Workplace, played, problem

FOLDER = Path(__file__).parent / "attacked"
ROWS = "id,weight\n" + "".join(f"{number},7\n" for number in range(60, 120))
pytestmark = pytest.mark.anyio


async def fault_of(name: str, folder: Path, files: dict[str, str]) -> str:
    found = load_problem(FOLDER / name)
    for file, content in files.items():
        (folder / file).write_text(content)
    return await form_fault(found, await prepared(found), packed_folder(folder))


@pytest.mark.parametrize(
    ("submission", "fault"),
    [
        ("id,weight\n", "submission.csv: 60 of 60 ids are missing"),
        ("id,wait\n1,2\n", "submission.csv: its columns are id, wait; wanted are id, weight"),
        (ROWS.replace("60,7", "60,many"), "submission.csv: line 2: weight: 'many' is no number"),
        (ROWS, ""),
    ],
)
async def test_predictions_are_read_by_the_grader(submission: str, fault: str, tmp_path: Path) -> None:
    found = await fault_of("toads", tmp_path, {"submission.csv": submission})
    assert found.startswith(fault) and bool(found) is bool(fault)


@pytest.mark.parametrize(
    ("train", "fault"),
    [
        (SQUARE, ""),
        (SQUARE.replace("** 2", "* 2"), ""),  # whether it is right is not told
        (SQUARE.replace("output.npy", "out.npy"), "output.npy: there is no such file"),
        (SQUARE.replace('np.load("inputs.npy") ** 2', 'np.load("inputs.npy")[None]'), "output.npy: its shape is (1, "),
        ("1 / 0\n", "`python train.py` fails: exit 1: ZeroDivisionError"),
    ],
)
async def test_a_program_is_run_on_the_known_inputs(train: str, fault: str, tmp_path: Path) -> None:
    found = await fault_of("turtles", tmp_path, {"train.py": train})
    assert found.startswith(fault) and bool(found) is bool(fault), found


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ("id,path\n1,b\n0,a\n", ""),  # in another order, with other values
        ("id,way\n0,a\n1,b\n", "table.csv: its columns are id, way; wanted are id, path"),
        ("id,path\n0,a\n", "table.csv: 1 of 2 ids are missing"),
    ],
)
def test_a_table_that_a_program_leaves_has_the_columns_and_ids_of_the_starters(
    table: str, fault: str, tmp_path: Path
) -> None:
    """The identity was counted among the other columns, so that every table was refused."""
    for folder, text in (("left", table), ("known", "id,path\n0,x\n1,y\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "table.csv").write_text(text)
    program = [sys.executable, str(JUDGING / "form_check.py"), "left", "known", "table.csv"]
    done = subprocess.run(program, cwd=tmp_path, env={"PYTHONPATH": str(JUDGING)}, capture_output=True, check=True)
    found = json.loads(done.stdout)["invalid"]
    assert found.startswith(fault) and bool(found) is bool(fault)


async def test_the_unseen_inputs_are_not_told(tmp_path: Path) -> None:
    """What a program prints comes back to the agent: it would tell it the inputs on which it is measured."""
    turtles = load_problem(FOLDER / "turtles")
    data = await prepared(turtles)
    assert (data.hidden / "inputs.npy").read_bytes() != (data.workspace / "inputs.npy").read_bytes()
    telling = "import hashlib\nraise SystemExit(hashlib.sha256(open('inputs.npy', 'rb').read()).hexdigest())\n"
    found = await fault_of("turtles", tmp_path, {"train.py": telling})
    assert hashlib.sha256((data.workspace / "inputs.npy").read_bytes()).hexdigest() in found


def test_an_agent_may_ask_and_its_scripts_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bytes] = []

    async def fault(problem: ResearchProblem, data: Prepared, archive: bytes) -> str:
        asked.append(archive)
        return "submission.csv: its columns are a; wanted are id, y" if len(asked) == 1 else ""

    async def data_of(problem: ResearchProblem) -> Prepared:
        return Prepared(tmp_path, tmp_path)

    monkeypatch.setattr("mlbench.evals.mlagentbench.actions.validation.form_fault", fault)
    monkeypatch.setattr("mlbench.evals.mlagentbench.actions.validation.prepared", data_of)

    async def scene(at: Workplace) -> None:
        await at.do("Write File", file_name="long.py", content="import time; time.sleep(30)")
        handle = (await at.do("Execute Script", script_name="long.py", background=True)).split()[-1]
        first, second = await at.do("Validate Submission"), await at.do("Validate Submission")
        assert first == "this cannot be graded: submission.csv: its columns are a; wanted are id, y"
        assert "right form; it was not scored" in second
        assert "runs since" in await at.do("Script Status", handle=handle)
        assert [step.error for step in at.steps.read()[2:4]] == ["invalid-submission", ""]
        await at.do("Stop Script", handle=handle)

    played(scene, tmp_path)


REPLIES = {
    "react": [
        ModelOutput.for_tool_call("mockllm", "no_such_tool", {}),
        ModelOutput.for_tool_call("mockllm", "read_file", {"wrong": 1}),
        ModelOutput.for_tool_call("mockllm", "final_answer", {"final_answer": "done"}),
    ],
    "research_agent": [
        "I think that all is well.",
        'Action: Write File\nAction Input: {"file_name": ',
        'Action: Final Answer\nAction Input: {"final_answer": "done"}',
    ],
}
STEPS = {"react": ["no_such_tool", "read_file", "final_answer"], "research_agent": ["unreadable_reply"] * 2}


@pytest.mark.parametrize("agent", REPLIES)
def test_malformed_calls_are_steps(agent: str, tmp_path: Path) -> None:
    """Inspect answered calls of unknown tools itself, and the record had no step for them."""
    replies = REPLIES[agent]
    model = get_model("mockllm/model", custom_outputs=[_output(reply) for reply in replies], memoize=False)

    async def scene(at: Workplace) -> None:
        made = (
            reacting(problem(), at.tools) if agent == "react" else research_agent(problem(), at.tools, {"log": False})
        )
        await run(made, "Predict toads.")
        steps = at.steps.read()
        assert [step.action for step in steps][: len(STEPS[agent])] == STEPS[agent]
        assert [step.error for step in steps[:2]] == ["invalid-input"] * 2
        assert all(step.observation for step in steps)

    played(scene, tmp_path, agents_model=model)


def _output(reply: str | ModelOutput) -> ModelOutput:
    output = reply if isinstance(reply, ModelOutput) else ModelOutput.from_content("mockllm", reply)
    output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)  # or Inspect counts
    return output
