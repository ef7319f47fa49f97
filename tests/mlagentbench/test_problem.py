"""Problems as folders: what is missing is named."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mlbench.evals.mlagentbench.problem import DATA_SEED, PROBLEMS, ProblemMetric, data_name, load_problem, problems
from mlbench.records import UsageError


@pytest.mark.parametrize("name", problems())
def test_every_bundled_problem_is_whole(name: str) -> None:
    problem = load_problem(name)
    assert problem.name == name
    assert problem.text.strip()
    assert problem.lite.strip()
    assert problem.full is not None
    assert problem.full.unavailable or (problem.hidden / "full.py").is_file()
    assert len(problem.published) == 8
    assert problem.starter is not None and problem.starter.seeds >= 10


@pytest.mark.parametrize("name", problems())
def test_every_bundled_problem_tells_skill(name: str) -> None:
    """One plain recipe of twenty lines once succeeded in eleven of the thirteen."""
    problem = load_problem(name)
    speed = problem.measured is not None and problem.measured.speed
    assert problem.marks is not None and (speed or (problem.trivial is not None and problem.floor is not None))
    recipes = {each.name for each in (problem.hidden / "recipes").iterdir()}
    assert set(problem.marks.recipes) == recipes == {"first", "grid", "features"}
    held_out = Path("benchmarks/held_out_recipes", name, "plain")
    assert (problem.hidden / "floor").is_dir() == speed and held_out.is_dir()


@pytest.mark.parametrize(
    "part", ["task.yaml", "visible", "hidden/prepare.py", "hidden/grade.py", "hidden/reference", "hidden/wrong"]
)
def test_a_missing_part_is_named(tmp_path: Path, part: str) -> None:
    folder = shutil.copytree(PROBLEMS / "house-price", tmp_path / "mine")
    place = folder / part
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    with pytest.raises(UsageError, match=f"{part} is missing" if part != "task.yaml" else "task.yaml is missing"):
        load_problem(folder)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("metric: {name: x, better: bigger}", "metric.better"),
        ("surprise: 1", "surprise"),
        ("name: Not A Name", "name"),
        ("bounds: {steps: 0}", "bounds.steps"),
    ],
)
def test_what_cannot_be_is_named(tmp_path: Path, line: str, said: str) -> None:
    folder = shutil.copytree(PROBLEMS / "house-price", tmp_path / "mine")
    file = folder / "task.yaml"
    key = line.partition(":")[0]
    kept = [row for row in file.read_text().splitlines() if not row.startswith(f"{key}:")]
    file.write_text("\n".join([*kept, line]) + "\n")
    with pytest.raises(UsageError, match=said):
        load_problem(folder)


def test_an_unknown_problem_is_told_which_there_are() -> None:
    with pytest.raises(UsageError, match="house-price"):
        load_problem("no-such-problem")


def test_of_one_there_are_no_published_data() -> None:
    assert set(problems()) - set(problems("full")) == {"llama-inference"}


def test_what_is_stated_is_of_the_known_data_alone() -> None:
    other = load_problem("house-price", seed=7)
    assert (other.starter, other.trivial, other.data_seed) == (None, None, 7)
    full = load_problem("house-price", "full")
    assert (full.starter, full.data, full.described) == (None, "full", full.full and full.full.source)


def test_data_are_named_alike_whatever_seed_a_run_drew() -> None:
    """Runs on data of their own can be compared; what is held back of the published data is named."""
    assert (data_name("lite", 2**127), data_name("lite", DATA_SEED)) == ("lite", "lite (known seed)")
    assert (data_name("full", DATA_SEED), data_name("full", 7)) == ("full", "full (seed 7)")
    long = data_name("full", 2**127)
    assert len(long) == len("full (seed 01234567)") and long != data_name("full", 2**127 + 1)


@pytest.mark.parametrize("seed", [-1, 2**128])
def test_a_seed_must_be_one(seed: int) -> None:
    with pytest.raises(UsageError, match="give a number from 0 to 340282366920938463463374607431768211455"):
        load_problem("imdb", seed=seed)


def test_published_data_have_a_reference_of_their_own_where_they_need_it() -> None:
    assert load_problem("cifar10").reference.name == "reference"
    assert load_problem("cifar10", "full").reference.name == "reference-full"
    assert load_problem("imdb", "full").reference.name == "reference"


def test_a_score_may_be_too_good() -> None:
    assert ProblemMetric(name="e", better="lower", suspect=0.1).is_suspect(0.05)
    assert not load_problem("imdb").metric.is_suspect(1.0)


def test_improvement_is_relative_and_knows_its_direction() -> None:
    higher, lower = ProblemMetric(name="a", better="higher"), ProblemMetric(name="e", better="lower")
    assert higher.improvement(0.55, 0.5) == pytest.approx(0.1)
    assert lower.improvement(0.45, 0.5) == pytest.approx(0.1)
    assert lower.improvement(0.55, 0.5) == pytest.approx(-0.1)
    assert higher.improvement(0.0, 0.0) == 0.0
    assert higher.improvement(0.1, 0.0) == float("inf")


def test_clrs_is_graded_on_graphs_of_another_size(tmp_path: Path) -> None:
    """One seed in nine drew the size that the agent sees. The files of ids were equal, so `--check` refused it."""
    prepare = load_problem("clrs").hidden / "prepare.py"
    seed = next(seed for seed in range(60) if np.random.default_rng(seed).integers(24, 33) == 28)
    subprocess.run([sys.executable, str(prepare), str(tmp_path), "--seed", str(seed)], check=True, timeout=120)
    shown, graded = (np.load(tmp_path / part / "test.npz")["A"].shape for part in ("visible", "hidden"))
    assert (shown[0], shown[1], graded[1]) == (graded[0], 28, 29)
