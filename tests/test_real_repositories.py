"""The real repositories of ML-Bench: needs local clones, MLBENCH_MIRROR=DIR (see benchmarks/real_repositories.py)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.real_repositories import survey
from mlbench.interface_check.check_server import CheckEnv
from mlbench.interface_check.checker import Checker, CheckTarget
from mlbench.judging.bind import bind
from mlbench.judging.call_sites import call_sites
from mlbench.judging.compare_config import Expectation
from mlbench.records import Candidate, Check, CheckStatus
from mlbench.repositories.catalogue import pinned
from mlbench.repositories.fetch import fetch, verified
from mlbench.shell.languages import language_of

MIRROR = os.environ.get("MLBENCH_MIRROR", "")
real = [pytest.mark.slow, pytest.mark.skipif(not MIRROR, reason="needs local clones: MLBENCH_MIRROR=DIR")]

TABLE_29 = "python3 ebgan.py --lr 0.0001 --n_epochs 100 --batch_size 16 --mg_size 128"
FIGURE_4 = (
    "python citation.py --dataset Citeseer --lr 0.01 --stacks 5",
    "python main.py --dataset citeseer --lr 0.0001 --stacks 5",
    "dgl-go --model=arma --dataset=citeseer --lr=0.0001 --stacks=5",
    "import dgl\ndataset = dgl.data.CiteseerGraphDataset()\ng = dataset[0]\nfrom dgllife.model import DAGNNPredictor",
    "python citation.py --dataset Citeseer --lr 0.0001 --num-stacks 5",
)


async def checks(repository: Path, cwd: str, codes: Sequence[str]) -> list[Check]:
    async with Checker(CheckTarget(CheckEnv(repository))) as checker:
        found = []
        for code in codes:
            language = language_of(code, None)
            found.append(await checker.check(Candidate(code, language.kind, "given", language.fault), cwd))
        return found


@pytest.mark.anyio
@pytest.mark.slow
@pytest.mark.skipif(not MIRROR, reason="needs local clones: MLBENCH_MIRROR=DIR")
async def test_the_reference_of_table_29_is_rejected() -> None:
    checkout = fetch(pinned("PyTorch-GAN"), Path(MIRROR))
    codes = (TABLE_29, TABLE_29.replace("--mg_size", "--img_size"))
    paper, right = await checks(checkout.folder, "implementations/ebgan", codes)
    assert (paper.status, paper.reason) == (CheckStatus.REJECTED, "unknown-argument")
    assert "--mg_size" in paper.message
    assert right.status is CheckStatus.ACCEPTED
    assert right.invocations[0].configuration["img_size"] == 128
    verified.cache_clear()
    assert verified(pinned("PyTorch-GAN")) == checkout


@pytest.mark.anyio
@pytest.mark.slow
@pytest.mark.skipif(not MIRROR, reason="needs local clones: MLBENCH_MIRROR=DIR")
async def test_the_five_candidates_of_figure_4() -> None:
    checkout = fetch(pinned("dgl"), Path(MIRROR))
    found = await checks(checkout.folder, "examples/pytorch/arma", FIGURE_4)
    reference = call_sites(found[-1].invocations)
    required = {"dataset": "Citeseer", "lr": "0.0001", "stacks": "5"}
    standard = Expectation(tuple(reference), tuple(bind(required, reference, {})))
    passed = [check.status is CheckStatus.ACCEPTED and standard.compare(check.invocations).right for check in found]
    assert passed == [False, False, False, False, True]
    # an option that is not there, no such file, no such program, no call of the repository
    assert [check.reason for check in found[:3]] == ["unknown-argument", "no-such-file", "no-such-program"]
    assert "--stacks" in found[0].message
    assert found[3].status is not CheckStatus.ACCEPTED or standard.compare(found[3].invocations).missing


@pytest.mark.anyio
@pytest.mark.slow
@pytest.mark.skipif(not MIRROR, reason="needs local clones: MLBENCH_MIRROR=DIR")
async def test_every_program_of_bert_is_decided_the_same_way_twice() -> None:
    bert = pinned("bert")
    found = await survey(bert, fetch(bert, Path(MIRROR)).folder, thorough=False)
    assert len(found.verdicts()) == 6
    assert set(found.verdicts().values()) == {CheckStatus.ACCEPTED}
    assert found.unchanged
    assert all(each.summary() == each.summary(each.again) for each in found.asked)
