"""Which of the processes that really ran is a program of the repository, and how it ended. Nothing runs here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from mlbench.types import Invocation, Process, Status, Witness

PROGRESS_SECONDS = 0.5
"""Processor time after parsing from which a program that still runs at the time limit counts as running: four times
an import of numpy. Less counts where it has written something since, to a file or as output.
"""


class State(StrEnum):
    FINISHED = "finished"  # exit 0
    RUNNING = "running"  # at the time limit, with evidence of progress after parsing
    STALLED = "stalled"  # at the time limit, without
    FAILED = "failed"


@dataclass(frozen=True)
class Run:
    """A witnessed run of a program of the repository, or of a Python answer: what it parsed or called, how it ended."""

    process: Process
    invocation: Invocation
    state: State


def runs(witness: Witness) -> tuple[Run, ...]:
    """Every run of the repository's own that a recorder reports, in the order of their starts: claims, not proofs.

    Of several parses in one process the last counts.
    """
    found = []
    for process in witness.processes:
        accepted = [each for each in process.invocations if each.status is Status.ACCEPTED and _own(each)]
        if accepted:
            found.append(Run(process, accepted[-1], state(process)))
    return tuple(found)


def _own(invocation: Invocation) -> bool:
    """Not a program of Python's library, or of another folder: those are named by where they stand."""
    return not invocation.program.startswith("/")


def state(process: Process) -> State:
    """How a process that parsed ended. `progress` is there only where it still ran at the end of the execution."""
    if process.exit_code is not None:
        return State.FAILED if process.exit_code else State.FINISHED
    if process.progress.get("cpu", 0.0) >= PROGRESS_SECONDS or process.progress.get("written", 0.0) > 0:
        return State.RUNNING
    return State.STALLED
