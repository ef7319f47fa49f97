"""What a log says of an agent's work on one row."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AgentWork:
    """An agent's work on one row, when it had ended.

    Attributes:
        outcome: `ended` by itself, `crashed`, or the limit that ended it (`step-limit`).
        detail: the scaffold's last lines where it crashed.
        steps: calls of the model. seconds: wall time.
        packages: what it installed (`numpy==2.0`). left_out: those of them that its trial had to do without.
        earlier: those that its trial had in an earlier version.
        script: its `run.sh`; empty where there is none.
    """

    outcome: str
    detail: str = ""
    steps: int = 0
    seconds: float = 0.0
    packages: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    script: str = ""
