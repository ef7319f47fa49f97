"""The published data that anyone can fetch, and those that are generated: they have the form of the small ones."""

from __future__ import annotations

import functools
import json
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mlbench.evals.mlagentbench.data import PREPARING, REQUIREMENTS, prepared
from mlbench.evals.mlagentbench.grading import grade
from mlbench.evals.mlagentbench.problem import load_problem
from mlbench.evals.mlagentbench.reference_runs import tried
from mlbench.repositories.environments import environment
from mlbench.sandbox.submission import packed_folder
from tests.mlagentbench import published_data
from tests.mlagentbench.full_data import Ready, made, ready_of

SIZES = {"cifar10": 40, "imdb": 60, "ogbn-arxiv": 600, "babylm": 40, "clrs": 0, "vectorization": 0}
"""How much is made up to be fetched; of the last two nothing is fetched, they have their published size."""


@pytest.fixture(scope="module")
def ready_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Ready]:
    """Makes the data of a problem once for all tests of this file, which only read them."""
    return functools.cache(lambda name: ready_of(name, tmp_path_factory.mktemp("full"), SIZES[name]))


@pytest.fixture(scope="module", params=SIZES)
def ready(request: pytest.FixtureRequest, ready_once: Callable[[str], Ready]) -> Ready:
    return ready_once(request.param)


def form(file: Path) -> object:
    """What a file is, without how much of it: columns and types, names of arrays, keys."""
    if file.suffix == ".csv":
        return pd.read_csv(file).dtypes.to_dict()
    if file.suffix == ".npy":
        array = np.load(file)
        return array.dtype, array.ndim
    if file.suffix == ".npz":
        with np.load(file) as arrays:
            return {name: (arrays[name].dtype, arrays[name].ndim) for name in arrays}
    if file.suffix == ".json":
        said = json.loads(file.read_text())
        return list(said) if isinstance(said, dict) else {type(each) for each in said}
    return file.suffix


def forms(folder: Path) -> dict[str, object]:
    return {file.relative_to(folder).as_posix(): form(file) for file in folder.rglob("*") if file.is_file()}


@pytest.mark.anyio
async def test_the_form_is_that_of_the_small_data(ready: Ready) -> None:
    small = await prepared(load_problem(ready.problem.name))
    assert forms(ready.data.workspace) == forms(small.workspace)
    full, lite = forms(ready.data.hidden), forms(small.hidden)
    # only whoever generates data knows what is possible: the published ones need no floor
    floor = {file for file in lite if file.startswith("floor/")}
    assert floor or ready.problem.name == "vectorization"
    assert {file: full[file] for file in full.keys() - floor} == {file: lite[file] for file in lite.keys() - floor}


@pytest.mark.anyio
async def test_the_grader_knows_perfect_from_permuted(ready: Ready) -> None:
    metric = ready.problem.metric
    if metric.perfect is None:
        pytest.skip("nobody can be perfect")
    scores = [
        (await grade(ready.problem, ready.data, packed_folder(ready.data.hidden / kind))).score
        for kind in ("perfect", "permuted")
    ]
    assert scores[0] == pytest.approx(metric.perfect)
    assert scores[1] is not None and metric.improvement(scores[1], metric.perfect) < -0.1


@pytest.mark.anyio
@pytest.mark.parametrize("name", [name for name, size in SIZES.items() if size])
async def test_the_starter_runs_and_is_graded(ready_once: Callable[[str], Ready], name: str) -> None:
    await _started(ready_once(name))


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.parametrize("name", [name for name, size in SIZES.items() if not size])
async def test_the_starter_runs_on_the_published_size(tmp_path: Path, name: str) -> None:
    await _started(ready_of(name, tmp_path, SIZES[name]))


async def _started(ready: Ready) -> None:
    done = await tried(ready.problem, ready.data)
    assert done.execution.exit_code == 0, done.execution.stderr
    assert done.grade.score is not None, done.grade.invalid


def test_the_seed_decides_and_nothing_else(ready: Ready, tmp_path: Path) -> None:
    for seed in (7, 8):
        assert made(ready.problem.name, ready.raw, tmp_path / str(seed), seed).returncode == 0
    same, other = ({file: (tmp_path / str(seed) / file).read_bytes() for file in _files(ready)} for seed in (7, 8))
    assert same == {file: (ready.data.hidden.parent / file).read_bytes() for file in _files(ready)}
    # of a graph that is published whole, with its parts, nothing is drawn
    assert (other == same) is (ready.problem.name == "ogbn-arxiv")


def _files(ready: Ready) -> list[str]:
    own = {file.name for file in ready.problem.visible.iterdir()}
    made = ready.data.hidden.parent
    return sorted(
        file.relative_to(made).as_posix() for file in made.rglob("*") if file.is_file() and file.name not in own
    )


@pytest.fixture
def workspace(request: pytest.FixtureRequest, ready_once: Callable[[str], Ready]) -> Ready:
    return ready_once(request.param)


@pytest.mark.parametrize("workspace", ["cifar10"], indirect=True)
def test_pictures_are_as_published_and_their_place_says_nothing(workspace: Ready) -> None:
    """The published file has its kinds in turn; colours stand last, as in the small pictures."""
    with np.load(workspace.data.workspace / "train.npz") as arrays:
        images, labels = arrays["images"], arrays["labels"]
    assert images.shape == (5 * SIZES["cifar10"], 32, 32, 3)
    red, green, blue = np.moveaxis(images[labels == 3], -1, 0)
    assert (red.min(), red.max(), green.min(), green.max(), blue.min(), blue.max()) == (60, 98, 140, 178, 0, 38)
    assert (images[:, 31].astype(int) - images[:, 0] > 31 - 8).all()
    with np.load(workspace.data.workspace / "test.npz") as arrays:
        assert sorted(arrays) == ["ids", "images"]
    answers = pd.read_csv(workspace.data.hidden / "answers.csv")
    assert answers["label"].tolist() != [number % 10 for number in range(len(answers))]


@pytest.mark.parametrize("workspace", ["imdb"], indirect=True)
def test_reviews_come_through_whole_and_their_place_says_nothing(workspace: Ready) -> None:
    train, test = (pd.read_csv(workspace.data.workspace / f"{part}.csv") for part in ("train", "test"))
    answers = pd.read_csv(workspace.data.hidden / "answers.csv").set_index("idx")["label"]
    kinds = test.set_index("idx")["text"].str.split().str[0].map({"neg": 0, "pos": 1})
    assert (kinds == answers).all()
    assert not answers.is_monotonic_increasing
    assert train["text"].str.contains("test").sum() == 0
    assert train["text"].str.endswith("\", café, I'd say.\n").all()
    assert len(train) == len(test) == 2 * SIZES["imdb"]


@pytest.mark.parametrize("workspace", ["ogbn-arxiv"], indirect=True)
def test_subjects_of_the_papers_to_tell_are_not_in_the_graph(workspace: Ready) -> None:
    with np.load(workspace.data.workspace / "graph.npz") as graph:
        assert (graph["node_label"][graph["test_idx"]] == -1).all()
        assert (graph["node_label"][graph["train_idx"]] >= 0).all()
        assert (graph["node_year"] == published(workspace, "raw/node_year")).all()
        for part in ("train", "valid", "test"):
            assert set(graph[f"{part}_idx"]) == set(published(workspace, f"split/time/{part}"))
        assert graph["node_feat"].shape == (SIZES["ogbn-arxiv"], 128)
    answers = pd.read_csv(workspace.data.hidden / "answers.csv")
    assert (published(workspace, "raw/node-label")[answers["node"]] == answers["label"]).all()


def published(ready: Ready, name: str) -> np.ndarray:
    with zipfile.ZipFile(ready.raw / "arxiv.zip") as raw, raw.open(f"arxiv/{name}.csv.gz") as file:
        return np.asarray(pd.read_csv(file, header=None, compression="gzip")[0])


@pytest.mark.parametrize("workspace", ["babylm"], indirect=True)
def test_texts_are_lines_of_known_characters(workspace: Ready) -> None:
    at, hidden = workspace.data.workspace, workspace.data.hidden
    characters = json.loads((at / "characters.json").read_text())
    text = (at / "train.txt").read_text()
    assert set(text) <= set(characters)
    assert "\ufffd" in text
    assert len(characters) == 128
    assert "*MOT: 10M of cbt .\n" in text
    assert "\r" not in text
    assert "\n\n" not in text
    assert "100M" not in text
    answers, contexts = (
        json.loads((hidden / "answers.json").read_text()),
        json.loads((hidden / "contexts.json").read_text()),
    )
    assert answers["characters"] == characters
    assert len(contexts) == len(answers["next"]) == 10 * (SIZES["babylm"] + 2)  # each line of the test part, once
    assert set(answers["next"]) <= set(characters)
    assert all(0 < len(context) <= 160 and "\n" not in context for context in contexts)


def test_no_text_has_two_contexts() -> None:
    """The longer one would tell what follows the shorter one; long texts are chosen more often."""
    code = """import sys; sys.path[:0] = sys.argv[1:]; import full; import numpy as np
found = full.places(np.random.default_rng(1), [f"{number} " + number * "x" + "\\n" for number in range(200)], 100)
print(len({text for text, _ in found}), sum(len(text) for text, _ in found) > 110 * 100)"""
    python = environment(REQUIREMENTS) / "bin/python"
    command = [str(python), "-BsE", "-c", code, str(load_problem("babylm").hidden), str(PREPARING)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "100 True\n"


@pytest.mark.parametrize("workspace", ["clrs"], indirect=True)
def test_graphs_have_the_published_sizes_and_nodes_without_a_path(workspace: Ready) -> None:
    with np.load(workspace.data.workspace / "train.npz") as arrays:
        weights, pointers = arrays["A"], arrays["Pi"]
    assert weights.shape == pointers.shape == (1000, 16, 16)
    assert (weights == weights.transpose(0, 2, 1)).all()
    assert 0.24 < (weights > 0)[:, ~np.eye(16, dtype=bool)].mean() < 0.26
    assert (weights[:, range(16), range(16)] == 0).all()
    alone = ~(weights > 0).any(axis=1)
    assert alone.any()
    graph, node = np.argwhere(alone)[0]
    assert (pointers[graph, :, node] == np.arange(16)).all()
    assert np.load(workspace.data.hidden / "pointers.npy").shape == (32, 64, 64)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def another(file: Path) -> None:
    file.write_bytes(b"<html>not found</html>\n" * 50)


def empty(file: Path) -> None:
    file.write_bytes(b"")


def hollow(file: Path) -> None:
    """An archive, but of something else."""
    if file.suffix == ".zip":
        with zipfile.ZipFile(file, "w") as packed:
            packed.writestr("README", "nothing")
    else:
        with tarfile.open(file, "w:gz") as tar:
            tar.addfile(tarfile.TarInfo("README"))


def a_part_is_broken(file: Path) -> None:
    """A byte in the middle is another one; archives have checksums."""
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0xFF
    file.write_bytes(data)


@pytest.mark.parametrize("spoil", [cut, another, empty, hollow, a_part_is_broken, Path.unlink])
@pytest.mark.parametrize("name", [name for name, size in SIZES.items() if size])
def test_a_file_that_is_not_the_published_one_is_named(
    tmp_path: Path, name: str, spoil: Callable[[Path], None]
) -> None:
    getattr(published_data, name.replace("-", "_"))(tmp_path, 30)
    (file,) = tmp_path.iterdir()
    spoil(file)
    done = made(name, tmp_path, tmp_path / "out")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert done.stderr.startswith(f"{file.name}: ")
    assert not (tmp_path / "out").exists()


def rezipped(file: Path, name: str, data: bytes) -> None:
    """The same zip, with one file in it replaced."""
    with zipfile.ZipFile(file) as packed:
        kept = {each: packed.read(each) for each in packed.namelist()}
    assert name in kept
    with zipfile.ZipFile(file, "w") as packed:
        for each, old in kept.items():
            packed.writestr(each, data if each == name else old)


@pytest.mark.parametrize(
    ("inner", "text", "said"),
    [
        ("raw/node-label", b"40\n" * 30, "none of 0 to 39"),
        ("raw/node-label", b"1\n" * 29, "30 rows for 29 papers"),
        ("raw/node-feat", b"0.5,0.5\n" * 30, "2 columns"),
        ("raw/node-feat", b"0.5,one\n" * 30, "cannot be read"),
        ("raw/edge", b"0,30\n", "none of 0 to 29"),
        ("split/time/test", b"0\n", "not the papers of its years"),
        ("raw/node_year", b"", "cannot be read"),
    ],
)
def test_a_table_that_does_not_fit_is_named(tmp_path: Path, inner: str, text: bytes, said: str) -> None:
    import gzip

    published_data.ogbn_arxiv(tmp_path, 30)
    rezipped(tmp_path / "arxiv.zip", f"arxiv/{inner}.csv.gz", gzip.compress(text))
    done = made("ogbn-arxiv", tmp_path, tmp_path / "out")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert done.stderr.startswith("arxiv.zip: ")
    assert said in done.stderr


def test_a_text_that_is_no_utf8_is_named(tmp_path: Path) -> None:
    published_data.babylm(tmp_path, 30)
    rezipped(tmp_path / "babylm_data.zip", "babylm_data/babylm_test/qed.test", b"caf\xe9\n")
    done = made("babylm", tmp_path, tmp_path / "out")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert done.stderr.startswith("babylm_data.zip: babylm_data/babylm_test/qed.test cannot be read: ")
