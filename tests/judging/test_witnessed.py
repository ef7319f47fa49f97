"""Which witnessed processes are runs of the repository's programs, and in which state a run is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlbench.judging.process_evidence import PROGRESS_SECONDS, RunState, runs, state
from mlbench.records import CheckStatus, Invocation, ProcessTrace, TracedProcess

PARSED = Invocation(CheckStatus.ACCEPTED, program="train.py", configuration={"lr": 0.5})
PROCESS = TracedProcess(
    pid=3,
    parent=2,
    program="/usr/bin/python3.11",
    argv=("python", "train.py"),
    cwd="/workspace",
    exit_code=0,
    invocations=(PARSED,),
)


@pytest.mark.parametrize(
    ("exit_code", "progress", "expected"),
    [
        (0, {}, RunState.FINISHED),
        (1, {}, RunState.FAILED),
        (137, {"cpu": PROGRESS_SECONDS}, RunState.FAILED),
        (None, {"cpu": PROGRESS_SECONDS, "written": 0}, RunState.WORKING),
        (None, {"cpu": PROGRESS_SECONDS / 2, "written": 0}, RunState.STALLED),
        (None, {"cpu": 0, "written": 1}, RunState.WORKING),
        (None, {}, RunState.STALLED),
    ],
)
def test_states(exit_code: int | None, progress: dict[str, float], expected: RunState) -> None:
    assert state(replace(PROCESS, exit_code=exit_code, progress=progress)) is expected


def test_runs_are_the_repositorys_own_and_accepted_ones() -> None:
    last = replace(PARSED, configuration={"lr": 0.7})
    elsewhere = replace(PARSED, program="/usr/lib/python3.11/compileall.py")
    refused = replace(PARSED, status=CheckStatus.REJECTED)
    processes = (
        replace(PROCESS, pid=1, invocations=(PARSED, last)),
        replace(PROCESS, pid=2, argv=("/tmp/python", "-c", "import train")),
        replace(PROCESS, pid=3, invocations=()),
        replace(PROCESS, pid=4, invocations=(elsewhere,)),
        replace(PROCESS, pid=5, invocations=(refused,)),
        replace(PROCESS, pid=6, invocations=(PARSED, elsewhere)),
    )
    assert [(each.process.pid, each.invocation) for each in runs(ProcessTrace(processes))] == [
        (1, last),
        (2, PARSED),  # however it was started: a claim, which its outcome has to bear out
        (6, PARSED),
    ]
