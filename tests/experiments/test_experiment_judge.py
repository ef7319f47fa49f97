"""The scorer's look at every step."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from inspect_ai.util import store_as

from mlbench.experiments.data import Prepared
from mlbench.experiments.grading import Grade
from mlbench.experiments.increments import Increment
from mlbench.experiments.problem import Problem, load_problem
from mlbench.experiments.snapshots import Progress, Step, Steps
from mlbench.scorers import experiment_judge

PROBLEM = Path(__file__).parent / "attacked" / "toads"


@pytest.fixture
def graded(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The archives that were graded; each scores how many they are by then."""
    seen: list[bytes] = []

    async def grade(problem: Problem, data: Prepared, archive: bytes) -> Grade:
        seen.append(archive)
        return Grade(float(len(seen)))

    monkeypatch.setattr(experiment_judge, "grade", grade)
    return seen


@pytest.mark.anyio
async def test_a_step_that_was_not_kept_has_no_score(
    tmp_path: Path, graded: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`restore` refuses such a step, and the whole attempt was then not graded."""
    steps = Steps(tmp_path)
    steps.add(Step(1, "write_file"), Increment(b"a", ("a",)))
    steps.add(Step(2, "read_file"), Increment())
    steps.add(Step(3, "execute_script"), Increment(fault="it changed 60000 files"))
    steps.add(Step(4, "write_file"), Increment(b"b", ("b",)))
    steps.add(Step(5, "execute_script"), Increment(b"", ("large",), left_out=("large",)))
    steps.add(Step(6, "execute_script"), Increment(b"", (), ("a",)))
    threads = []

    def restore(self: Steps, number: int) -> bytes:
        threads.append(threading.current_thread())
        assert number != 3
        return b"%d" % number

    monkeypatch.setattr(Steps, "restore", restore)
    store_as(Progress).folder = str(tmp_path)
    found = await experiment_judge._progress(load_problem(PROBLEM), Prepared(tmp_path, tmp_path))
    assert found == [[1, 1.0], [2, 1.0], [3, None], [4, 2.0], [5, None], [6, 3.0]]
    assert graded == [b"1", b"4", b"6"]
    assert threading.main_thread() not in threads  # unpacking takes seconds, in which nobody else could work


@pytest.mark.anyio
async def test_without_a_record_there_is_no_progress(tmp_path: Path, graded: list[bytes]) -> None:
    store_as(Progress).folder = ""
    assert await experiment_judge._progress(load_problem(PROBLEM), Prepared(tmp_path, tmp_path)) == []
    assert graded == []
