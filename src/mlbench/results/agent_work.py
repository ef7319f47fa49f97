"""Read what a log says about an agent's work on one row."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AgentWork:
    """What one agent did on one row.

    Attributes:
        outcome: `ended` by itself, `crashed`, or the limit that ended it (`step-limit`).
        detail: the last lines of the agent's program if it crashed.
        steps: calls of the model.
        seconds: wall time.
        packages: packages that it installed (`numpy==2.0`).
        left_out: installed packages that were missing when `run.sh` was run for the verdict.
        earlier: installed packages of which that run had an earlier version.
        script: the text of its `run.sh`; empty if there is none.
    """

    outcome: str
    detail: str = ""
    steps: int = 0
    seconds: float = 0.0
    packages: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    script: str = ""
