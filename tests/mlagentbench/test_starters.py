"""Starters that are run and graded together score as each by itself."""

from __future__ import annotations

import pytest

from benchmarks.experiments_starters import many_scores
from mlbench.evals.mlagentbench.data import prepared
from mlbench.evals.mlagentbench.problem import load_problem
from mlbench.evals.mlagentbench.reference_runs import tried

pytestmark = pytest.mark.anyio


async def test_many_runs_in_one_process_score_as_single_runs() -> None:
    problem = load_problem("imdb")
    data = await prepared(problem)
    together = await many_scores(problem, data, range(3, 6))
    alone = [(await tried(problem, data, None, seed)).grade.score for seed in (3, 5)]
    assert [together[3], together[5]] == alone
    assert len(set(together.values())) > 1
