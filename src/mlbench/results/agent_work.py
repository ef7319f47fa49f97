"""Read what a log says about an agent's work on one row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


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


def work_of(about: Mapping[str, Any] | None) -> AgentWork | None:
    """Read the agent's work from a score's metadata; None if no agent worked.

    Raises:
        KeyError, TypeError, ValueError: the metadata are not as the scorer of agents writes them.
    """
    if about is None:
        return None
    return AgentWork(
        outcome=str(about["outcome"]),
        detail=str(about["detail"]),
        steps=int(about["steps"]),
        seconds=float(about["seconds"]),
        packages=tuple(map(str, about["packages"])),
        left_out=tuple(map(str, about["left_out"])),
        earlier=tuple(map(str, about.get("earlier", ()))),
        script=str(about["script"]),
    )
