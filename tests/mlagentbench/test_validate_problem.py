"""`mlbench experiment --check` refuses ten problems that are broken in one way each, and accepts the scaffold."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from mlbench.evals.mlagentbench.data import prepared
from mlbench.evals.mlagentbench.problem import load_problem
from mlbench.evals.mlagentbench.problem_faults import problem_faults
from mlbench.evals.mlagentbench.problem_probes import ProblemFinding, data_findings, grader_findings
from mlbench.evals.mlagentbench.validate_problem import scale_findings
from tests.mlagentbench.broken_problems import BROKEN, replaced, sound


async def found_in(folder: Path) -> AsyncIterator[ProblemFinding]:
    """What is found without running the starter and the solutions, one finding at a time."""
    for fault in problem_faults(folder):
        yield ProblemFinding(fault.where, False, fault.what, fault.where)
    problem = load_problem(folder)
    data = await prepared(problem)
    for part in (data_findings(problem, data), grader_findings(problem, data, b"")):
        async for finding in part:
            yield finding


@pytest.mark.anyio
async def test_the_scaffold_is_sound(tmp_path: Path) -> None:
    found = [each async for each in found_in(sound(tmp_path / "mine"))]
    assert [each for each in found if not each.good] == []
    assert "28 are refused" in found[-1].detail


@pytest.mark.anyio
@pytest.mark.parametrize("edit", BROKEN, ids=lambda edit: edit.__name__)
async def test_a_broken_problem_is_refused(edit: Callable[[Path], None], tmp_path: Path) -> None:
    folder = sound(tmp_path / "mine")
    edit(folder)
    bad = []
    async for each in found_in(folder):
        if not each.good:
            bad.append(f"{each.where}: {each.what}: {each.detail}")
            if BROKEN[edit] in bad[-1]:
                return  # what is probed after that takes most of the time
    pytest.fail(f"not found: {BROKEN[edit]}; instead: {bad}")


@pytest.mark.anyio
async def test_a_starter_that_is_no_better_than_a_constant_is_refused(tmp_path: Path) -> None:
    """The starters of two bundled problems were worse than the trivial predictor, and --check accepted them."""
    folder = sound(tmp_path / "mine")
    ends = '{"target": frame.target[:ROWS].median()}, {"target": frame.target[ROWS:]}'
    replaced(folder / "hidden/prepare.py", '["target"])', f'["target"], {ends})')
    problem = load_problem(folder)
    data = await prepared(problem)
    found = {
        score: [each.what for each in [x async for x in scale_findings(problem, data, score, [])] if not each.good]
        for score in (0.5, 50.0)
    }
    assert found == {0.5: [], 50.0: ["the starter beats the trivial predictor"]}


@pytest.mark.anyio
async def test_what_the_trivial_predictor_says_is_no_label(tmp_path: Path) -> None:
    """It tells one value for each kind of question, and --check took the kind in `parkinsons-disease` for a leak."""
    folder = sound(tmp_path / "mine")
    replaced(
        folder / "hidden/prepare.py", "    # writes visible", '    frame["kind"] = frame.id % 4\n    # writes visible'
    )
    replaced(folder / "hidden/prepare.py", '["target"])', '["target"], {"target": frame.kind[ROWS:] * 1.5})')
    problem = load_problem(folder)
    data = await prepared(problem)
    assert [each for each in [x async for x in data_findings(problem, data)] if not each.good] == []
