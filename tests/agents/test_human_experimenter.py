"""A person at an experiment: what they change in their folder is what is graded."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalSample

from mlbench.evals.mlagentbench import human
from mlbench.evals.mlagentbench.problem import DATA_SEED
from mlbench.evals.mlagentbench.snapshots import Steps
from mlbench.evals.mlagentbench.task import experiment
from mlbench.records import UsageError
from tests.scripted_agent.toy_problem import write_problem

Turn = tuple[Callable[[Path], object], str]


def worked(folder: Path, monkeypatch: pytest.MonkeyPatch, *turns: Turn) -> tuple[EvalSample, list[str]]:
    """An attempt in which a person does something in their folder and then types a line, for each turn."""
    shown: list[str] = []

    def asked(said: str) -> str:
        shown.append(said)
        do, line = turns[len(shown) - 1]
        do(next((folder / "steps").rglob("workspace")))
        return line

    monkeypatch.setattr(human, "_asked", asked)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    problem = write_problem(folder / "toads")
    text = (problem / "task.yaml").read_text()
    (problem / "task.yaml").write_text(text + "read_only: [data.txt]\n")
    task = experiment(str(problem), agent="human", data_seed=DATA_SEED, steps_dir=str(folder / "steps"))
    (log,) = inspect_eval(task, model="mlbench/nothing", log_dir=str(folder / "logs"), display="none")
    assert log.status == "success", log.error
    assert log.samples
    return log.samples[0], shown


def leaves(number: str, name: str = "guess.txt") -> Callable[[Path], object]:
    return lambda place: (place / name).write_text(number)


def test_what_a_person_leaves_is_graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    turns = [
        (lambda place: None, "help"),
        (leaves("many"), "check"),
        (leaves("8"), "done about 8"),
        (leaves("8"), "done 8"),
    ]
    sample, shown = worked(tmp_path, monkeypatch, *turns)
    assert sample.scores
    about = sample.scores["experiment"].metadata or {}
    assert (about["score"], about["outcome"], about["number_claim"][1]) == (8, "ended", 8)
    assert "Make the number in guess.txt large." in shown[0] and "Work in " in shown[0]
    assert shown[1].startswith("`check` checks the form")
    assert "changed: guess.txt\nthis cannot be graded: guess.txt holds no number" in shown[2]
    assert "'about 8' is no number" in shown[3]
    steps = Steps(Path(about["folder"])).read()
    assert [step.action for step in steps] == ["turn", "validate_submission", "turn", "final_answer"]
    assert steps[0].changed == ("guess.txt",)


def test_what_a_person_takes_back_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was brought and then removed, or made as it was, stayed in the sandbox."""
    starter: list[str] = []

    def first(place: Path) -> None:
        starter.append((place / "guess.txt").read_text() if (place / "guess.txt").exists() else "1")
        (place / "guess.txt").write_text("many")
        (place / "notes.txt").write_text("to do")

    def second(place: Path) -> None:
        (place / "guess.txt").write_text(starter[0])
        (place / "notes.txt").unlink()

    turns = [(first, "check"), (second, "check"), (leaves("4"), "done")]
    sample, shown = worked(tmp_path, monkeypatch, *turns)
    assert "changed: guess.txt, notes.txt" in shown[1] and "changed: guess.txt\nremoved: notes.txt" in shown[2]
    about = (sample.scores or {})["experiment"].metadata or {}
    steps = Steps(Path(about["folder"]))
    there = [b"notes.txt" in gzip.decompress(steps.restore(number)) for number in (1, 3)]
    assert about["score"] == 4 and there == [True, False]


def test_a_file_that_must_not_change_is_told_before_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def restored(place: Path) -> None:
        (place / "data.txt").write_text("7")
        (place / "guess.txt").write_text("3")

    sample, shown = worked(tmp_path, monkeypatch, (leaves("9", "data.txt"), "done"), (restored, "done"))
    assert "changed: data.txt\ndata.txt: " in shown[1]
    assert sample.scores and (sample.scores["experiment"].metadata or {})["score"] == 3


def test_a_person_needs_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    with pytest.raises(UsageError, match="the agent human asks a person: run it in a terminal"):
        experiment("house-price", agent="human")
