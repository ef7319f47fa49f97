"""A run that goes on after a chosen step of a kept attempt."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model

from mlbench.evals.mlagentbench.snapshots import SnapshotStep, Steps
from mlbench.evals.mlagentbench.task import experiment
from mlbench.evals.mlagentbench.workspace_diff import Increment
from mlbench.records import UsageError
from tests.agents.research_agent.test_research_agent import saying, speaking
from tests.scripted_agent.toy_problem import script, write_problem

RUN = saying("Execute Script", {"script_name": "train.py"})
END = saying("Final Answer", {"final_answer": "done"})


def writing(number: int) -> str:
    return saying("Write File", {"file_name": "train.py", "content": script(number)}, plan=f"try {number}")


def attempt(folder: Path, *replies: str, **options: object) -> tuple[Path, float, list[str]]:
    """An attempt at the made-up problem: its steps, its score, and what was asked."""
    prompts: list[str] = []
    model = get_model(speaking(replies, prompts))
    problem = folder / "toads" if (folder / "toads").is_dir() else write_problem(folder / "toads")
    steps = folder / f"steps-{len(list(folder.iterdir()))}"
    task = experiment(str(problem), data_seed=7, options=dict(options), steps_dir=str(steps))
    (log,) = inspect_eval(task, model=model, log_dir=str(folder / "logs"), display="none")
    assert log.status == "success", log.error
    assert log.samples and log.samples[0].scores
    about = log.samples[0].scores["experiment"].metadata or {}
    return Path(about["folder"]), about["score"], prompts


def test_it_has_the_workspace_and_the_steps_and_nothing_later(tmp_path: Path) -> None:
    first, score, _ = attempt(tmp_path, writing(3), RUN, "Hm.", writing(9), RUN, END)
    assert score == 9
    again, score, prompts = attempt(tmp_path, saying("List Files", {"dir_path": "."}), END, after=f"{first}:3")
    assert score == 3
    assert "try 3" in prompts[0] and "try 9" not in prompts[0]
    assert "Hm.\nObservation:\nThe reply could not be read" in prompts[0]
    assert "This is step 4 of 12." in prompts[0]
    assert "guess.txt (1)" in prompts[1]
    steps = Steps(again).read()
    assert [step.action for step in steps] == ["restored", "list_files", "final_answer"]
    assert set(steps[0].changed) == {"train.py", "guess.txt"}


def test_steps_that_are_not_there_or_not_its_own(tmp_path: Path) -> None:
    first, _, _ = attempt(tmp_path, writing(3), END)
    problem = str(tmp_path / "toads")
    other = Steps(tmp_path / "other")
    other.begin()
    other.add(SnapshotStep(1, "bash"), Increment())
    for after, words in (
        ("nowhere", "expected FOLDER:STEP"),
        (f"{first}:4", "there is no step 4; there are 2"),
        (f"{tmp_path}/none:1", "there is no step 1; there are 0"),
        (f"{other.folder}:1", "'bash' is no action of research_agent: another agent took these steps"),
    ):
        with pytest.raises(UsageError, match=words):
            experiment(problem, data_seed=7, options={"after": after})
    with pytest.raises(UsageError, match="of another problem or of other data; give the run's --data-seed"):
        experiment(problem, data_seed=8, options={"after": f"{first}:1"})
