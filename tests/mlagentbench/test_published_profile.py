"""The profile `published`: the agent's run, and data that are not the published ones."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from mlbench.cli import main
from mlbench.evals.mlagentbench.data import PREPARING, REQUIREMENTS
from mlbench.evals.mlagentbench.problem import ResearchProblem, load_problem
from mlbench.evals.mlagentbench.research_agent import PUBLISHED
from mlbench.evals.mlagentbench.task import experiment
from mlbench.repositories.cache import cache_folder
from mlbench.repositories.environments import environment
from mlbench.results.load_log import read_run
from mlbench.results.mlagentbench.published_rule import threshold_rates
from tests.mlagentbench import published_data
from tests.mlagentbench.published_layout import link_environments, with_made_data


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ResearchProblem]:
    link_environments(tmp_path / "cache", cache_folder("environments").parent)
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    return with_made_data


def saying(action: str, inputs: dict[str, Any]) -> ModelOutput:
    form = "Reflection: -\nResearch Plan and Status: -\nFact Check: -\nThought: -\nAction: {}\nAction Input: {}"
    reply = ModelOutput.from_content("mockllm", form.format(action, json.dumps(inputs)))
    reply.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else Inspect downloads a token counter
    return reply


def test_an_agent_that_fills_in_the_skeleton_succeeds(tmp_path: Path, tiny: Callable[[str], ResearchProblem]) -> None:
    """A good submission is spoilt before the end: a success at any point, and none at the end."""
    problem = tiny("spaceship-titanic")
    filled = (problem.reference / "train.py").read_text()
    replies = [
        saying("Write File", {"file_name": "train.py", "content": filled}),
        saying("Execute Script", {"script_name": "train.py"}),
        saying("Write File", {"file_name": "submission.csv", "content": "PassengerId,Transported\n"}),
        saying("Final Answer", {"final_answer": "It is filled in."}),
    ]
    task = experiment(
        ["spaceship-titanic"],
        data="published",
        options={"log": PUBLISHED.log, "as_published": True},
        grade_steps=True,
        steps_dir=str(tmp_path / "steps"),
    )
    model = get_model("mockllm/model", custom_outputs=replies)
    log = inspect_eval(task, model=model, log_dir=str(tmp_path / "logs"), display="none")[0]
    assert log.status == "success", log.error
    run = read_run(Path(log.location))
    [attempt] = run.experiments
    assert (run.data, attempt.valid, attempt.starter.mean if attempt.starter else None) == ("published", False, 0.5)
    best = attempt.best()
    assert best is not None and best > 0.7
    rates = threshold_rates(run.experiments)
    assert [each.final.value for each in rates] == [0, 0, 0]
    assert [each.any_point.value for each in rates if each.any_point] == [1, 1, 1]


def called(*words: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["mlbench", *words])
    try:
        main()
    except SystemExit as leaving:
        return int(leaving.code or 0)
    return 0


def test_a_dry_run_says_what_is_missing_and_downloads_nothing(
    tiny: Callable[[str], ResearchProblem], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("KAGGLE_USERNAME", "KAGGLE_KEY", "KAGGLE_API_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KAGGLE_CONFIG_DIR", "/nonexistent")
    tiny("spaceship-titanic")
    words = ["experiment", "spaceship-titanic", "house-price", "feedback", "--profile", "published", "--dry-run"]
    assert called(*words, "--accept-terms", monkeypatch=monkeypatch) == 1
    ready, *lacking = capsys.readouterr().out.splitlines()
    assert ready == "spaceship-titanic: ready"
    assert [line.partition(":")[0] for line in lacking] == ["house-price", "feedback"]
    assert all("no login for https://www.kaggle.com/" in line for line in lacking)
    assert called(*words[:2], *words[4:], monkeypatch=monkeypatch) == 0


def test_the_profile_has_its_own_data(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert called("experiment", "imdb", "--profile", "published", "--data", "lite", monkeypatch=monkeypatch) == 2
    assert "--profile published needs --data published, not lite" in capsys.readouterr().err


def test_what_is_not_offered_as_published_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert called("experiment", "llama-inference", "--profile", "published", monkeypatch=monkeypatch) == 2
    assert "it needs the weights of Llama 7B" in capsys.readouterr().err
    assert called("list", "problems", "--published", monkeypatch=monkeypatch) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.partition("babylm: ")[0].splitlines())) <= 80
    assert sum(" yes" in line for line in shown.splitlines()) == 10


class Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return (print, ("unpickled",))


def cut_table(raw: Path) -> None:
    (raw / "train.csv").write_text("Id,LotArea\n1,2\n")
    (raw / "data_description.txt").write_text("")


def no_zip(raw: Path) -> None:
    for name in ("arxiv.zip", "fathomnet.zip", "images-png.zip"):
        (raw / name).write_bytes(b"<html>please log in</html>")


def no_mask(raw: Path) -> None:
    with zipfile.ZipFile(raw / "contrails.zip", "w") as packed:
        for part in ("train", "validation"):
            packed.writestr(f"{part}/1/band_11.npy", b"")


def evil_pickle(raw: Path) -> None:
    with tarfile.open(raw / "cifar-10-python.tar.gz", "w:gz") as packed:
        for name in (*(f"data_batch_{number}" for number in range(1, 6)), "test_batch", "batches.meta"):
            published_data.add(packed, f"cifar-10-batches-py/{name}", pickle.dumps({"data": Evil()}, protocol=2))


@pytest.mark.parametrize(
    ("name", "spoil", "said"),
    [
        ("house-price", cut_table, "train.csv: has no column SalePrice"),
        ("spaceship-titanic", cut_table, "train.csv: has no column PassengerId"),
        ("feedback", cut_table, "train.csv: has no column text_id"),
        ("ogbn-arxiv", no_zip, "arxiv.zip: cannot be read"),
        ("fathomnet", no_zip, "the data are not the published ones"),
        ("identify-contrails", no_mask, "contrails.zip: train/1/band_14.npy is missing"),
        ("cifar10", evil_pickle, "a file asks for __builtin__.print"),
    ],
)
def test_files_that_are_not_the_published_ones_are_refused_in_a_line(
    name: str, spoil: Callable[[Path], None], said: str, tmp_path: Path
) -> None:
    raw = tmp_path / "raw"
    raw.mkdir()
    spoil(raw)
    script = load_problem(name, "published").hidden / "full.py"
    command = [environment(REQUIREMENTS) / "bin/python", "-Bs", script, raw, tmp_path / "out", "--seed", "7"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={"PYTHONPATH": str(PREPARING)})
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (1, "", 1)
    assert said in done.stderr


def test_the_names_of_cifar_s_test_files_are_withheld(tmp_path: Path) -> None:
    """A published file name says what is in the picture."""
    from tests.mlagentbench.published_layout import cifar10

    raw, out = tmp_path / "raw", tmp_path / "out"
    raw.mkdir()
    cifar10(raw, 20)
    script = load_problem("cifar10", "published").hidden / "full.py"
    command = [environment(REQUIREMENTS) / "bin/python", "-Bs", script, raw, out, "--seed", "7"]
    subprocess.run(command, check=True, env={"PYTHONPATH": str(PREPARING)})
    visible = out / "visible/data/cifar-10-batches-py"
    shown = (visible / "test_batch").read_bytes()
    assert b"kind_" in (visible / "data_batch_1").read_bytes() and b"kind_" not in shown
    assert set(pickle.loads(shown, encoding="latin1")["labels"]) == {0}
