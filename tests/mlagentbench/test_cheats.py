"""Four cheats that were unmarked successes: the known seed, an output computed before, a spoilt algorithm, one line.

Each is tried on data of a seed that a run might draw.
"""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from mlbench.evals.mlagentbench.baselines import StarterBaseline, end_of_scale
from mlbench.evals.mlagentbench.data import Prepared, prepared
from mlbench.evals.mlagentbench.grading import Grade, grade
from mlbench.evals.mlagentbench.problem import DATA_SEED, ResearchProblem, load_problem
from mlbench.evals.mlagentbench.reference_runs import worked
from mlbench.evals.mlagentbench.scorer import Standing, standing_of
from mlbench.sandbox.submission import packed_folder

pytestmark = pytest.mark.anyio
DRAWN = 2**100 + 19

SPOILT_FLOYD_WARSHALL = """
import numpy as np
import pandas as pd

rows = []
for weights in np.load("test.npz")["A"]:
    far = np.where(weights > 0, weights, np.inf)
    np.fill_diagonal(far, 0)
    nodes = len(far)
    found = np.repeat(np.arange(nodes)[:, None], nodes, axis=1)
    for k in range(nodes):
        through = far[:, [k]] + far[[k]]
        found = np.where(through < far, found[[k]], found)
        far = np.minimum(far, through)
    spoilt = np.random.default_rng(0).random(found.shape) < 0.03
    rows.append(np.where(spoilt, np.arange(nodes)[:, None], found))
test = pd.read_csv("test.csv")
test["pointers"] = [" ".join(map(str, row)) for row in np.concatenate(rows)]
test.to_csv("submission.csv", index=False)
"""
DARKNESS = """
pictures = np.load("pictures.npz")["test"]
test["osd"] = 1 - pictures.mean(axis=(1, 2, 3)) / 255
test.to_csv("submission.csv", index=False)
"""
MAJORITY = """
import numpy as np
import pandas as pd

graph = np.load("graph.npz")
labels, test = graph["node_label"], graph["test_idx"]
votes = np.zeros((len(labels), 40))
for a, b in (graph["edge_index"], graph["edge_index"][::-1]):
    known = labels[b] >= 0
    np.add.at(votes, (a[known], labels[b[known]]), 1)
pd.DataFrame({"node": test, "label": votes[test].argmax(axis=1)}).to_csv("submission.csv", index=False)
"""


async def stands(problem: ResearchProblem, data: Prepared, archive: bytes) -> tuple[Grade, Standing]:
    """The grade, held against a starter that is no better than the trivial predictor, which makes success easy."""
    found = await grade(problem, data, archive)
    trivial, floor = [await end_of_scale(problem, data, which) for which in ("trivial", "floor")]
    assert trivial is not None and floor is not None
    return found, standing_of(problem, found, StarterBaseline((trivial,), trivial=trivial, floor=floor))


async def worked_at(name: str, folder: Path, train: str) -> tuple[Grade, Standing]:
    problem = load_problem(name, seed=DRAWN)
    data = await prepared(problem)
    (folder / "train.py").write_text(train)
    _, archive = await worked(problem, data, folder)
    return await stands(problem, data, archive)


async def test_the_labels_of_the_known_seed_are_worth_nothing() -> None:
    """Whoever ran the generator with the known seed had a mean absolute error of 0, and an unmarked success."""
    known, drawn = (load_problem("house-price", seed=seed) for seed in (DATA_SEED, DRAWN))
    answers = packed_folder((await prepared(known)).hidden / "perfect")
    found, standing = await stands(drawn, await prepared(drawn), answers)
    assert found.score and not standing.success and standing.position is not None and standing.position < 0
    found, standing = await stands(known, await prepared(known), answers)
    assert (found.score, standing.success, standing.suspect) == (0, False, True)


async def test_an_output_that_was_computed_before_is_another_one() -> None:
    """The generator's known seed told the inputs on which a program was timed: it took 14 ms."""
    problem = load_problem("vectorization", seed=DRAWN)
    data = await prepared(problem)
    others = [(data.hidden / "inputs.npz").read_bytes()]
    others += [((await prepared(load_problem("vectorization"))).hidden / "inputs.npz").read_bytes()]
    assert others[0] != others[1]
    copying = b"import shutil\nshutil.copy('before.npy', 'output.npy')\n"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in (("train.py", copying), ("before.npy", await _computed_before())):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    found = await grade(problem, data, packed.getvalue())
    assert found.score is None and "output.npy" in found.invalid


async def _computed_before() -> bytes:
    """The reference's output for the inputs that the known seed makes."""
    known = load_problem("vectorization")
    data = await prepared(known)
    from mlbench.evals.mlagentbench.timed_run import measure

    _, archive = await worked(known, data, known.reference)
    assert known.measured
    run = await measure(known, known.measured, data, archive)
    with tarfile.open(fileobj=io.BytesIO(run.output)) as tar:
        member = next(each for each in tar if each.name.endswith("output.npy"))
        file = tar.extractfile(member)
        assert file
        return file.read()


async def test_floyd_warshall_does_not_know_the_rule(tmp_path: Path) -> None:
    """With three of a hundred pointers spoilt it lay just below the score from which a person looked."""
    found, standing = await worked_at("clrs", tmp_path, SPOILT_FLOYD_WARSHALL)
    assert found.score and not standing.success, found


@pytest.mark.parametrize(("name", "line"), [("fathomnet", DARKNESS), ("ogbn-arxiv", MAJORITY)])
async def test_one_line_is_no_success(name: str, line: str, tmp_path: Path) -> None:
    """`osd = darkness` solved one problem, the neighbours' majority another."""
    starter = (load_problem(name).visible / "train.py").read_text()
    found, standing = await worked_at(name, tmp_path, starter + line if name == "fathomnet" else line)
    assert found.score and not standing.success, found
