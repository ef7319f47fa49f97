"""Each problem that is offered as published runs end to end, on tiny data of the published layout."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mlbench.evals.mlagentbench.baselines import held_against
from mlbench.evals.mlagentbench.data import prepared
from mlbench.evals.mlagentbench.grading import grade
from mlbench.evals.mlagentbench.problem import LOCKS, ResearchProblem, load_problem, problems, why_not_offered
from mlbench.evals.mlagentbench.published_status import published_status
from mlbench.evals.mlagentbench.reference_runs import tried
from mlbench.repositories.cache import cache_folder
from mlbench.repositories.repo_environments import requirements
from mlbench.sandbox.submission import packed_folder
from tests.mlagentbench.published_layout import LAYOUTS, link_environments, with_made_data


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ResearchProblem]:
    link_environments(tmp_path / "cache", cache_folder("environments").parent)
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    return with_made_data


NEED_TORCH = {name for name in LAYOUTS if load_problem(name, "published").environment == "torch"}


@pytest.mark.anyio
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in NEED_TORCH else []) for name in LAYOUTS]
)
async def test_it_runs_as_published(name: str, tiny: Callable[[str], ResearchProblem]) -> None:
    problem = tiny(name)
    data = await prepared(problem)
    if not problem.measured:
        perfect, permuted = [
            (await grade(problem, data, packed_folder(data.hidden / kind))).score for kind in ("perfect", "permuted")
        ]
        assert perfect == problem.metric.perfect
        assert permuted is not None
        assert problem.metric.improvement(permuted, perfect) < 0

    starter = await tried(problem, data)
    if problem.assumed is None or starter.execution.exit_code == 0:
        assert starter.grade.score is not None, starter.execution.stderr[-300:]
    else:
        assert "Error: " in starter.execution.stderr, "a skeleton runs up to the missing part"
    reference = await tried(problem, data, problem.reference)
    assert reference.grade.score is not None, (reference.grade.invalid, reference.execution.stderr[-300:])


@pytest.mark.anyio
async def test_a_skeleton_has_the_score_that_the_published_evaluation_assumes(
    tiny: Callable[[str], ResearchProblem],
) -> None:
    problem = tiny("spaceship-titanic")
    _, against = await held_against(problem, await prepared(problem), [])
    assert (against.starter, against.spread) == ((0.5,), 0.0)


def test_every_problem_is_offered_as_published_or_says_why_not() -> None:
    why = {name: why_not_offered(name, "published") for name in problems()}
    assert [name for name in why if not why[name]] == sorted(LAYOUTS) == problems("published")
    for name in ("babylm", "clrs", "llama-inference"):
        assert "needs" in why[name]


@pytest.mark.parametrize("name", sorted(LAYOUTS))
def test_what_it_needs_is_known_before_anything_is_spent(name: str) -> None:
    problem = load_problem(name, "published")
    assert not problem.environment or (LOCKS / f"{problem.environment}.cpu.txt").is_file()
    assert problem.text != load_problem(name).text
    assert (problem.marks, problem.floor) == (None, None), "the scale is that of the small data"


def test_locks_name_versions_and_hashes_but_no_address() -> None:
    for lock in LOCKS.glob("*.txt"):
        assert "://" not in (text := lock.read_text())
        assert all("==" in line and "--hash=sha256:" in line for line in requirements(text))


def test_the_page_has_the_state_of_every_problem() -> None:
    page = (Path(__file__).parents[2] / "docs/reference/published-experiments.md").read_text()
    for each in published_status():
        cells = [f"[page]({each.source})", each.split, each.metric, each.packages, each.login]
        assert f"| `{each.name}` | {' | '.join(cells)} | {'yes' if each.runs else 'no'} |\n" in page
        assert f"| `{each.name}` | {each.differs or '-'} | {each.why_not or '-'} |\n" in page
