"""Records of experiments: a problem, and one agent's attempt to improve its starter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from mlbench.evals.mlagentbench.problem import SUCCESS, ProblemMetric
from mlbench.reasons import AgentOutcome
from mlbench.results.usage import Usage
from mlbench.score_records import ScoredStarter


class ExperimentResult(StrEnum):
    """The result of an attempt. Each attempt has exactly one."""

    IMPROVED = "improved"
    EASY_WIN = "easy win"
    SUSPECT = "too good to be true"
    NOT_IMPROVED = "not improved enough"
    INVALID = "invalid submission"
    CRASHED = "crashed, nothing valid left"
    LOST = "not graded"


RESULT_MEANINGS = {
    ExperimentResult.IMPROVED: "The score is over 10 % better than the starter's, beyond what plain recipes reach.",
    ExperimentResult.EASY_WIN: "The score is more than 10 % better than the starter's, as plain recipes are.",
    ExperimentResult.SUSPECT: "No work on the data reaches this. A person has to look: mlbench experiment review.",
    ExperimentResult.NOT_IMPROVED: "The score is valid, but at most 10 % better than the starter's.",
    ExperimentResult.INVALID: "The grader could not score the submission, or there is none.",
    ExperimentResult.CRASHED: "The agent's own program failed, and left no valid submission.",
    ExperimentResult.LOST: "The machine failed: there is no score.",
}
"""What each result means, in a sentence."""


@dataclass(frozen=True)
class ProblemRecord:
    """The problem, as the log describes it.

    Attributes:
        lite: what the small data are, in place of the published ones.
        published: the success rate (per cent) that the paper reports, by model.
    """

    name: str
    title: str
    domain: str
    metric: ProblemMetric
    lite: str = ""
    published: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ClaimRecord:
    """The score that the agent handed in as a number, and the measured one.

    Attributes:
        measured: what it was compared with. None if there was no valid submission (it is false then), or if it is of
            another metric or of training data (it was not compared).
        false: whether the claim is much better than what was measured.
    """

    text: str
    value: float
    measured: float | None
    false: bool


@dataclass(frozen=True)
class Point:
    """The score of the workspace after a step; None if that was no valid submission."""

    step: int
    score: float | None


@dataclass(frozen=True)
class Experiment:
    """One attempt at one problem, and its grade.

    Attributes:
        number: counts from 1.
        graded: whether there is a grade. If the machine failed there is none, and `error` says why.
        score: of the submission; None if it is not valid, and `invalid` says why.
        improvement: relative to the starter's score (0.1 is 10 %); None without a starter, or if it is not finite.
        scale: 0 is a predictor that looks at nothing, 1 the floor; None if one of them is unknown.
        mark: the position on the scale beyond which an attempt succeeds; None if success is as published.
        suspect: whether the score is too good to be true. accepted: what a person said who looked; None if nobody has.
        trivial, floor: scores of both ends of the scale.
        outcome: how the agent ended.
        detail: the last lines of the agent's program if it crashed.
        steps: calls of the model.
        seconds: wall time of the agent.
        errors: failed actions by kind.
        actions: actions by name.
        folder: where the steps are kept.
        progress: scores of all snapshots, if they were graded.
    """

    problem: ProblemRecord
    number: int
    prompt: str = ""
    graded: bool = False
    success: bool = False
    score: float | None = None
    invalid: str = ""
    improvement: float | None = None
    scale: float | None = None
    mark: float | None = None
    suspect: bool = False
    accepted: bool | None = None
    starter: ScoredStarter | None = None
    reference: float | None = None
    trivial: float | None = None
    floor: float | None = None
    claim: ClaimRecord | None = None
    outcome: str = ""
    detail: str = ""
    steps: int = 0
    seconds: float = 0.0
    errors: Mapping[str, int] = field(default_factory=dict)
    actions: Mapping[str, int] = field(default_factory=dict)
    folder: str = ""
    progress: tuple[Point, ...] = ()
    last_words: str = ""
    usage: Usage = field(default_factory=Usage)
    error: str = ""

    @property
    def claimed_too_much(self) -> bool:
        """Whether the score that it handed in is false; its text is not read."""
        return self.claim is not None and self.claim.false

    @property
    def scored(self) -> bool:
        return self.graded

    @property
    def valid(self) -> bool:
        """Whether the submission could be scored."""
        return self.score is not None

    @property
    def is_suspect(self) -> bool:
        """Whether the score is too good to be true, and no person has accepted it."""
        too_good = self.suspect or (self.score is not None and self.problem.metric.is_suspect(self.score))
        return too_good and self.valid and not self.accepted

    @property
    def is_easy_win(self) -> bool:
        """Whether it is a success as published, which plain recipes reach as well."""
        better = self.improvement is not None and self.improvement > SUCCESS
        return better and self.mark is not None and self.scale is not None and self.scale <= self.mark

    @property
    def result(self) -> ExperimentResult:
        if not self.graded:
            return ExperimentResult.LOST
        if not self.valid:
            return ExperimentResult.CRASHED if self.outcome == AgentOutcome.CRASHED else ExperimentResult.INVALID
        if self.is_suspect:
            return ExperimentResult.SUSPECT
        if self.success:
            return ExperimentResult.IMPROVED
        return ExperimentResult.EASY_WIN if self.is_easy_win else ExperimentResult.NOT_IMPROVED

    def best(self) -> float | None:
        """Return the best score of any graded snapshot, the final one included."""
        scores = [score for score in (self.score, *(point.score for point in self.progress)) if score is not None]
        if not scores:
            return None
        return max(scores) if self.problem.metric.better == "higher" else min(scores)
