"""Find the repository's programs among the processes that ran, and how each ended.

Nothing runs here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from mlbench.records import CheckStatus, Invocation, ProcessTrace, TracedProcess

PROGRESS_SECONDS = 0.5
"""Seconds of processor time after parsing that count as progress at the time limit.

Four times an import of numpy. With less, output or a written file counts as progress.
"""


class RunState(StrEnum):
    """The state of a witnessed run."""

    FINISHED = "finished"  # exit 0
    WORKING = "working"  # at the time limit, with evidence of progress after parsing
    STALLED = "stalled"  # at the time limit, without progress
    FAILED = "failed"


@dataclass(frozen=True)
class WitnessedRun:
    """A recorded run of a program, or of a Python answer: its invocation and its state."""

    process: TracedProcess
    invocation: Invocation
    state: RunState


def runs(witness: ProcessTrace) -> tuple[WitnessedRun, ...]:
    """Every recorded run of the repository's programs, in order of their starts.

    These are claims, not proofs. If one process parses several times, the last parse counts.
    """
    found = []
    for process in witness.processes:
        accepted = [each for each in process.invocations if each.status is CheckStatus.ACCEPTED and _own(each)]
        if accepted:
            found.append(WitnessedRun(process, accepted[-1], state(process)))
    return tuple(found)


def _own(invocation: Invocation) -> bool:
    """Whether a program is the repository's; programs elsewhere have absolute paths."""
    return not invocation.program.startswith("/")


def state(process: TracedProcess) -> RunState:
    """The state of a process that parsed.

    `progress` is set only if the process still ran at the end of the execution.
    """
    if process.exit_code is not None:
        return RunState.FAILED if process.exit_code else RunState.FINISHED
    if process.progress.get("cpu", 0.0) >= PROGRESS_SECONDS or process.progress.get("written", 0.0) > 0:
        return RunState.WORKING
    return RunState.STALLED
