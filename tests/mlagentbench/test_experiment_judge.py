"""The scorer's look at every step."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai.util import store_as

from mlbench.evals.mlagentbench import scorer
from mlbench.evals.mlagentbench.baselines import StarterBaseline
from mlbench.evals.mlagentbench.grading import Grade
from mlbench.evals.mlagentbench.snapshots import Progress, SnapshotStep, Steps
from mlbench.evals.mlagentbench.workspace_diff import Increment


@pytest.mark.anyio
async def test_a_step_that_was_not_kept_has_no_score(tmp_path: Path) -> None:
    """`restore` refuses such a step, and the whole attempt was then not graded."""
    steps = Steps(tmp_path)
    steps.add(SnapshotStep(1, "write_file"), Increment(b"a", ("a",)))
    steps.add(SnapshotStep(2, "read_file"), Increment())
    steps.add(SnapshotStep(3, "execute_script"), Increment(fault="it changed 60000 files"))
    steps.add(SnapshotStep(4, "write_file"), Increment(b"b", ("b",)))
    steps.add(SnapshotStep(5, "execute_script"), Increment(b"", ("large",), left_out=("large",)))
    steps.add(SnapshotStep(6, "execute_script"), Increment(b"", (), ("a",)))
    store_as(Progress).folder = str(tmp_path)
    assert await scorer._snapshots() == {1: 1, 2: 1, 3: None, 4: 4, 5: None, 6: 6}


@pytest.mark.parametrize(
    ("seconds", "success"),
    [
        ((0.5, 0.5, 0.5), True),
        ((0.5, 1.0, 1.1), False),  # a lucky run
        ((0.95, 0.5, 0.5), True),  # an unlucky one
        ((0.95, 0.95, 0.95), False),
    ],
)
def test_one_lucky_run_is_no_success(seconds: tuple[float, ...], success: bool) -> None:
    found, against = Grade(min(seconds), "", seconds), StarterBaseline((1.0,), None, (1.0, 1.0, 1.0))
    improvement = 1 - min(seconds)
    assert scorer.succeeds(improvement, found, against) is success
    assert scorer.succeeds(improvement, found, StarterBaseline((1.0,))) is (improvement > 0.1)


@pytest.mark.anyio
async def test_without_a_record_there_is_no_progress() -> None:
    store_as(Progress).folder = ""
    assert await scorer._snapshots() == {}
