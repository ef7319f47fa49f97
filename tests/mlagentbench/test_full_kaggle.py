"""The published data of the competitions, in the form of the small ones: the same starter and grader work with them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mlbench.evals.mlagentbench.data import prepared
from mlbench.evals.mlagentbench.grading import grade
from mlbench.evals.mlagentbench.problem import load_problem
from mlbench.evals.mlagentbench.reference_runs import tried
from mlbench.sandbox.submission import packed_folder
from tests.mlagentbench.full_data import Ready, made, ready_of

SIZES = {
    "house-price": 120,
    "spaceship-titanic": 300,
    "parkinsons-disease": 30,
    "feedback": 120,
    "identify-contrails": 60,
    "fathomnet": 900,
}
ANSWERS = {
    "house-price": ("Id", "SalePrice"),
    "spaceship-titanic": ("PassengerId", "Transported"),
    "parkinsons-disease": ("visit_id", "rating"),
    "feedback": ("text_id", "grammar"),
    "identify-contrails": ("record_id", "encoded_pixels"),
    "fathomnet": ("id", "categories"),
}
"""The column of the ids in test.csv, and one that only the answers may have."""


@pytest.fixture(scope="module", params=SIZES)
def ready(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ready:
    return ready_of(request.param, tmp_path_factory.mktemp("full"), SIZES[request.param])


def files(folder: Path) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


@pytest.mark.anyio
async def test_the_form_is_that_of_the_small_data(ready: Ready) -> None:
    small = await prepared(load_problem(ready.problem.name))
    for mine, theirs in ((ready.data.workspace, small.workspace), (ready.data.hidden, small.hidden)):
        # only whoever generates data knows both ends of the scale: the published ones have none
        names = [name for name in files(theirs) if not name.startswith(("trivial/", "floor/"))]
        assert files(mine) == names
        for name in names:
            if name.endswith(".csv"):
                table, like = pd.read_csv(mine / name), pd.read_csv(theirs / name)
                extra = set(table.columns) - set(like.columns)
                assert not extra or ready.problem.name == "house-price"
                common = [column for column in table.columns if column in set(like.columns)]
                if ready.problem.name != "house-price":
                    assert common == list(like.columns)
                assert set(common) == set(like.columns)
                assert table.dtypes[common].to_dict() == like.dtypes[common].to_dict(), name
            elif name.endswith(".npz"):
                with np.load(mine / name) as arrays, np.load(theirs / name) as others:
                    assert {key: (arrays[key].dtype, arrays[key].ndim) for key in arrays} == {
                        key: (others[key].dtype, others[key].ndim) for key in others
                    }


@pytest.mark.anyio
async def test_the_grader_knows_perfect_from_permuted(ready: Ready) -> None:
    perfect = await grade(ready.problem, ready.data, packed_folder(ready.data.hidden / "perfect"))
    permuted = await grade(ready.problem, ready.data, packed_folder(ready.data.hidden / "permuted"))
    assert perfect.score == pytest.approx(ready.problem.metric.perfect)
    assert permuted.score is not None
    assert permuted.score != pytest.approx(ready.problem.metric.perfect, abs=0.01)


@pytest.mark.anyio
async def test_the_starter_runs_and_is_graded(ready: Ready) -> None:
    done = await tried(ready.problem, ready.data)
    assert done.execution.exit_code == 0, done.execution.stderr
    assert done.grade.score is not None, done.grade.invalid


def test_no_answer_is_in_the_workspace(ready: Ready) -> None:
    """What is asked for stands in test.csv without its answer, and nowhere in what is to be learnt from."""
    key, answer = ANSWERS[ready.problem.name]
    test = pd.read_csv(ready.data.workspace / "test.csv", dtype=str)
    assert test[key].is_unique
    assert answer not in test.columns
    submission = pd.read_csv(ready.data.hidden / "perfect" / "submission.csv", dtype=str)
    asked = submission[key] if key in submission else submission["prediction_id"].str.extract(r"^(\d+_\d+)_updrs")[0]
    assert set(asked) == set(test[key])
    for file in ready.data.workspace.glob("*.csv"):
        table = pd.read_csv(file, dtype=str)
        if key in table and answer in table:
            assert not set(table[key]) & set(test[key]), file.name


def test_patients_and_groups_are_not_split(ready: Ready) -> None:
    unit = {"spaceship-titanic": ("PassengerId", r"^(\d+)"), "parkinsons-disease": ("visit_id", r"^(\d+)")}
    if ready.problem.name not in unit:
        pytest.skip("has rows that stand for themselves")
    key, pattern = unit[ready.problem.name]
    asked = set(pd.read_csv(ready.data.workspace / "test.csv")[key].str.extract(pattern)[0])
    learnt = [*ready.data.workspace.glob("train*.csv"), *ready.data.workspace.glob("supplemental*.csv")]
    assert learnt
    for file in learnt:
        assert not asked & set(pd.read_csv(file)[key].str.extract(pattern)[0]), file.name


def test_the_seed_decides_what_is_held_back(ready: Ready, tmp_path: Path) -> None:
    for seed in (7, 8):
        assert made(ready.problem.name, ready.raw, tmp_path / str(seed), seed).returncode == 0
    answers = next(name for name in files(ready.data.hidden) if name.startswith("answers"))
    again, other = ((tmp_path / str(seed) / "hidden" / answers).read_bytes() for seed in (7, 8))
    assert again == (ready.data.hidden / answers).read_bytes()
    assert other != again


def test_a_packed_table_is_as_good(ready: Ready, tmp_path: Path) -> None:
    """The site sends a file as it is, or in a zip under the same name."""
    raw, out = tmp_path / "raw", tmp_path / "out"
    raw.mkdir()
    tables = list(ready.raw.glob("*.csv"))
    if not tables:
        pytest.skip("comes as a zip")
    for file in tables:
        with zipfile.ZipFile(raw / file.name, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.write(file, file.name)
    assert made(ready.problem.name, raw, out).returncode == 0
    for name in files(out / "visible"):
        assert (out / "visible" / name).read_bytes() == (ready.data.workspace / name).read_bytes()


def test_what_is_wrong_is_said_on_standard_error(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("")
    done = made("feedback", tmp_path, tmp_path / "out")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "train.csv: is no table: No columns to parse from file\n"
