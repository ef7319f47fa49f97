"""Each problem that is offered as published runs end to end, on tiny data of the published layout."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mlbench.evals.mlagentbench.baselines import held_against
from mlbench.evals.mlagentbench.data import prepared
from mlbench.evals.mlagentbench.grading import grade
from mlbench.evals.mlagentbench.problem import load_problem, problems
from mlbench.evals.mlagentbench.reference_runs import tried, worked
from mlbench.repositories.cache import cache_folder
from mlbench.sandbox.submission import packed_folder
from tests.mlagentbench.published_layout import LAYOUTS, link_environments, with_tiny_data


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], object]:
    link_environments(tmp_path / "cache", cache_folder("environments").parent)
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    return with_tiny_data


@pytest.mark.anyio
@pytest.mark.parametrize("name", LAYOUTS)
async def test_it_runs_as_published(name: str, tiny: Callable[[str], object]) -> None:
    tiny(name)
    problem = load_problem(name, "published")
    data = await prepared(problem)

    run, archive = await worked(problem, data)
    if problem.assumed is None:
        assert (run.exit_code, run.stderr[-300:]) == (0, run.stderr[-300:])
    else:
        assert run.exit_code, "a skeleton cannot run"
    if not problem.measured:
        scores = [
            (await grade(problem, data, packed_folder(data.hidden / kind))).score for kind in ("perfect", "permuted")
        ]
        assert scores[0] == problem.metric.perfect
        assert None not in scores and scores[0] != scores[1]
    reference = await tried(problem, data, problem.reference)
    assert reference.grade.score is not None, (reference.grade.invalid, reference.execution.stderr[-300:])
    if problem.assumed is None and not problem.measured:
        assert (await grade(problem, data, archive)).score is not None
    _, against = await held_against(problem, data, [])
    assert problem.assumed in (None, against.mean)
