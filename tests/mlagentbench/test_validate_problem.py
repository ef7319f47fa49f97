"""`mlbench experiment --check` refuses ten problems that are broken in one way each, and accepts the scaffold."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from mlbench.evals.mlagentbench.data import prepared
from mlbench.evals.mlagentbench.problem import load_problem
from mlbench.evals.mlagentbench.problem_faults import problem_faults
from mlbench.evals.mlagentbench.problem_probes import ProblemFinding, data_findings, grader_findings
from tests.mlagentbench.broken_problems import BROKEN, sound


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
