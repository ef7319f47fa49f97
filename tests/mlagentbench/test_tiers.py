"""Easier and harder small data: what they change, where they show, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from mlbench.cli import app
from mlbench.evals.mlagentbench.data import place_of, prepared
from mlbench.evals.mlagentbench.problem import DATA_SEED, Tier, data_name, load_problem, problems
from mlbench.evals.mlagentbench.task import experiment
from mlbench.records import UsageError

TIERED = [name for name in problems() if load_problem(name).tiers]


def rows_to_learn_from(workspace: Path) -> float:
    return len(pd.read_csv(workspace / "train.csv"))


def separation_of_subjects(workspace: Path) -> float:
    """How far the mean words of the subjects are apart."""
    graph = np.load(workspace / "graph.npz")
    words = pd.DataFrame(graph["node_feat"].astype(float)).groupby(graph["node_label"]).mean()
    return float(words.loc[0:].to_numpy().var(axis=0).mean())


def evenness_of_samples(workspace: Path) -> float:
    """Less the more samples differ in their dilution, which changes all proteins of a sample alike."""
    proteins = pd.read_csv(workspace / "train_proteins.csv")
    return -float(np.log(proteins["NPX"]).groupby(proteins["visit_id"]).mean().std())


HELP = {
    "house-price": rows_to_learn_from,
    "imdb": rows_to_learn_from,
    "ogbn-arxiv": separation_of_subjects,
    "parkinsons-disease": evenness_of_samples,
}
"""What makes a problem easier, measured on its data."""


@pytest.mark.anyio
@pytest.mark.parametrize("name", TIERED)
async def test_the_harder_the_tier_the_less_its_data_help(name: str) -> None:
    found = {}
    for tier in Tier:
        data = await prepared(load_problem(name, seed=7, tier=tier))
        found[tier] = HELP[name](data.workspace)
    assert found[Tier.EASY] > found[Tier.STANDARD] > found[Tier.HARD]


@pytest.mark.parametrize("name", TIERED)
def test_a_tier_has_marks_and_data_of_its_own(name: str) -> None:
    found = [load_problem(name, tier=tier) for tier in Tier]
    assert len({str(each.marks) for each in found}) == len({place_of(each) for each in found}) == 3
    assert [problem.starter is None for problem in found] == [True, False, True]
    assert load_problem(**found[2].origin) == found[2]


def test_a_problem_without_tiers_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^babylm: it has no tier hard; problems that have it: .*house-price"):
        load_problem("babylm", tier="hard")
    with pytest.raises(UsageError, match=r"^house-price: it has no tier extreme"):
        load_problem("house-price", tier="extreme")
    with pytest.raises(UsageError, match=r"^--tier hard: only small data have tiers; use --data lite"):
        load_problem("house-price", "full", tier="hard")


def test_the_command_refuses_it_before_a_model_is_looked_for() -> None:
    done = CliRunner().invoke(app, ["experiment", "house-price", "babylm", "--tier", "easy", "--agent", "trivial"])
    assert done.exit_code and "babylm: it has no tier easy" in str(done.exception) + done.output


def test_the_tier_is_in_the_log_and_in_the_name_of_the_data(tmp_path: Path) -> None:
    made = experiment(["house-price"], agent="trivial", tier="hard", data_seed=5, steps_dir=str(tmp_path))
    assert made.metadata and (made.metadata["data"], made.metadata["tier"]) == ("lite, hard", "hard")
    assert data_name("lite", DATA_SEED, Tier.EASY) == "lite, easy (known seed)"
    assert data_name("lite", 5) == "lite"
