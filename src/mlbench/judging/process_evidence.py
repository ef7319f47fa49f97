"""Which of the processes that really ran is a program of the repository, and how it ended. Nothing runs here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from mlbench.records import CheckStatus, Invocation, ProcessTrace, TracedProcess

PROGRESS_SECONDS = 0.5
"""Processor time after parsing from which a program that still runs at the time limit counts as running: four times
an import of numpy. Less counts where it has written something since, to a file or as output.
"""


class RunState(StrEnum):
    FINISHED = "finished"  # exit 0
    WORKING = "working"  # at the time limit, with evidence of progress after parsing
    STALLED = "stalled"  # at the time limit, without
    FAILED = "failed"


@dataclass(frozen=True)
class WitnessedRun:
    """A witnessed run of a program of the repository, or of a Python answer: what it parsed or called, how it ended."""

    process: TracedProcess
    invocation: Invocation
    state: RunState


def runs(witness: ProcessTrace) -> tuple[WitnessedRun, ...]:
    """Every run of the repository's own that a recorder reports, in the order of their starts: claims, not proofs.

    Of several parses in one process the last counts.
    """
    found = []
    for process in witness.processes:
        accepted = [each for each in process.invocations if each.status is CheckStatus.ACCEPTED and _own(each)]
        if accepted:
            found.append(WitnessedRun(process, accepted[-1], state(process)))
    return tuple(found)


def _own(invocation: Invocation) -> bool:
    """Not a program of Python's library, or of another folder: those are named by where they stand."""
    return not invocation.program.startswith("/")


def state(process: TracedProcess) -> RunState:
    """How a process that parsed ended. `progress` is there only where it still ran at the end of the execution."""
    if process.exit_code is not None:
        return RunState.FAILED if process.exit_code else RunState.FINISHED
    if process.progress.get("cpu", 0.0) >= PROGRESS_SECONDS or process.progress.get("written", 0.0) > 0:
        return RunState.WORKING
    return RunState.STALLED
