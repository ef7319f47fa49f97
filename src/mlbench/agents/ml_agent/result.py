"""The result of ML-Agent: the answer, how the agent found it, and what it cost."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum

from mlbench.reasons import AgentOutcome
from mlbench.records import Kind

KEY = "ml_agent"
"""Key of the result in the output's metadata."""


class SolveOutcome(StrEnum):
    """How a run of ML-Agent ended. Only `answered` has an answer."""

    ANSWERED = "answered"
    NOTHING_FOUND = "nothing-found"
    NONE_SUITABLE = "none-suitable"
    READMES_REJECTED = "readmes-rejected"
    INVALID = "invalid-decision"
    STEP_LIMIT = AgentOutcome.STEP_LIMIT.value

    @property
    def agent_outcome(self) -> AgentOutcome:
        """The outcome under the name that all agents share."""
        shared = {self.ANSWERED: AgentOutcome.ENDED, self.STEP_LIMIT: AgentOutcome.STEP_LIMIT}
        return shared.get(self, AgentOutcome.GAVE_UP)


@dataclass(frozen=True)
class LineRange:
    """Lines of a file, counted from 1, both ends included."""

    path: str
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.path}:{self.first}-{self.last}"


@dataclass(frozen=True)
class CheckSummary:
    """What the interface check said about the answer.

    Attributes:
        status: a `mlbench.records.CheckStatus`, or `not-checked`.
        reason: why the check decided so, as a code.
        message: the same as text.
        repairs: earlier drafts that were sent back.
        doubts: values of the instruction that the program's configuration does not contain.
    """

    status: str = "not-checked"
    reason: str = ""
    message: str = ""
    repairs: int = 0
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True)
class TrialSummary:
    """The trial runs of the answer, if the agent leaves it as `run.sh` in a sandbox.

    Attributes:
        runs: the number of trial runs.
        exit_code: of the last run; None without a run, and if the last run reached its time limit.
        installed: the arguments that pip got.
    """

    runs: int = 0
    exit_code: int | None = None
    installed: tuple[str, ...] = ()


@dataclass(frozen=True)
class SolveCosts:
    """What the model was asked for.

    Attributes:
        steps: calls of the model, including those with an invalid decision.
        invalid: decisions that were not valid.
        tokens_in: tokens of all prompts.
        tokens_out: tokens of all replies.
        opened: files that the model opened.
    """

    steps: int = 0
    invalid: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    opened: int = 0


@dataclass(frozen=True)
class SolveResult:
    """The result of one run of ML-Agent.

    Attributes:
        outcome: how the run ended.
        detail: why there is no answer; empty if there is one.
        repository: the name of the repository that the answer uses.
        kind: the language of the answer.
        folder: the folder of the repository in which the code runs.
        code: the answer.
        plan: the model's plan, as text.
        found: the repositories that the search returned; empty if one was given.
        ranked: the same repositories in the model's order.
        rejected: repositories and READMEs that the model rejected, each with its reason.
        sources: the lines of the repository that support the answer.
        checked: what the interface check said.
        trialled: the trial runs.
        costs: calls of the model, tokens and opened files.
        notes: repositories that could not be fetched, each with the reason.
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
    checked: CheckSummary = CheckSummary()
    trialled: TrialSummary = TrialSummary()
    costs: SolveCosts = SolveCosts()
    notes: tuple[str, ...] = ()

    def record(self) -> dict[str, object]:
        """Return the result as JSON-serialisable values."""
        return {**asdict(self), "outcome": self.outcome.value}
