"""What ML-Agent leaves: the answer, how it came to it, and what that cost."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from mlbench.agents.agent_run import AgentOutcome
from mlbench.records import Kind

KEY = "ml_agent"
"""Key of the output's metadata under which a bench finds the result."""


class SolveOutcome(StrEnum):
    """How a try ended. Only `answered` has an answer for sure; `step-limit` has one if there was a draft."""

    ANSWERED = "answered"
    NOTHING_FOUND = "nothing-found"
    NONE_SUITABLE = "none-suitable"
    READMES_REJECTED = "readmes-rejected"
    INVALID = "invalid-decision"
    STEP_LIMIT = AgentOutcome.STEP_LIMIT.value


@dataclass(frozen=True)
class LineRange:
    """Lines of a file, both ends included, from 1."""

    path: str
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.path}:{self.first}-{self.last}"


@dataclass(frozen=True)
class Checked:
    """What the interface check said of the answer.

    Attributes:
        status: of `mlbench.records.CheckStatus`; `not-checked` where it was not asked.
        repairs: drafts that were sent back before.
        doubts: values of the instruction that are found nowhere in what the program understood.
    """

    status: str = "not-checked"
    reason: str = ""
    message: str = ""
    repairs: int = 0
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trialled:
    """What running it in the sandbox came to, where it is left in one.

    Attributes:
        runs: how often it was run.
        exit_code: of the last run; None where it was not run, or still ran when its time was over.
        installed: what was asked of pip.
    """

    runs: int = 0
    exit_code: int | None = None
    installed: tuple[str, ...] = ()


@dataclass(frozen=True)
class SolveCosts:
    """What was asked of the model. `invalid` decisions are steps too."""

    steps: int = 0
    invalid: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    opened: int = 0


@dataclass(frozen=True)
class SolveResult:
    """One try.

    Attributes:
        detail: what led to an outcome that is no answer.
        code: as it is to run in `folder` of the repository.
        found: the repositories that the search kept, in its order; empty where one was given.
        ranked: these as the model ranked them.
        rejected: repositories and READMEs that it put aside, each with its reason.
        sources: where in the repository what the answer says was shown.
    """

    outcome: SolveOutcome
    detail: str = ""
    repository: str = ""
    kind: Kind | None = None
    folder: str = "."
    code: str = ""
    plan: str = ""
    found: tuple[str, ...] = ()
    ranked: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    sources: tuple[LineRange, ...] = ()
    checked: Checked = Checked()
    trialled: Trialled = Trialled()
    costs: SolveCosts = SolveCosts()
    notes: tuple[str, ...] = ()

    def record(self) -> dict[str, Any]:
        """As JSON can write it."""
        return {**asdict(self), "outcome": self.outcome.value}
