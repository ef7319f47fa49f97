"""The nouns of experiments: a problem, and one agent's attempt to improve its starter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from mlbench.evals.mlagentbench.problem import Metric
from mlbench.results.usage import Usage

CRASHED = "crashed"
"""The outcome of an agent that did not come to its end by itself or by a limit."""


class ExperimentResult(StrEnum):
    """What became of an attempt: one of these, so that they add up to all that were started."""

    IMPROVED = "improved"
    NOT_IMPROVED = "not improved enough"
    INVALID = "invalid submission"
    CRASHED = "crashed, nothing valid left"
    LOST = "not graded"


RESULT_MEANINGS = {
    ExperimentResult.IMPROVED: "The score is more than 10 % better than the starter's.",
    ExperimentResult.NOT_IMPROVED: "The score is valid, but at most 10 % better than the starter's.",
    ExperimentResult.INVALID: "The grader could not score the submission, or there is none.",
    ExperimentResult.CRASHED: "The agent's own program failed, and left no valid submission.",
    ExperimentResult.LOST: "The machine failed: there is no score.",
}
"""What each result means, in a sentence."""


@dataclass(frozen=True)
class ProblemRecord:
    """What was to be improved, as the log says it.

    `lite` says what the data are in place of the published ones; `published` is the share of successes (per cent) that
    the paper reports for these, by model.
    """

    name: str
    title: str
    domain: str
    metric: Metric
    lite: str = ""
    published: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Starter:
    """The starter's score on the machine that judged: mean and standard deviation of `n` measurements."""

    mean: float
    spread: float
    n: int


@dataclass(frozen=True)
class ClaimRecord:
    """A figure in an agent's last words, beside what was measured; `false` where it says much better."""

    text: str
    value: float
    measured: float | None
    false: bool


@dataclass(frozen=True)
class Point:
    """The score of the workspace after a step; None where that was no valid submission."""

    step: int
    score: float | None


@dataclass(frozen=True)
class Experiment:
    """One attempt at one problem, and its grade.

    Attributes:
        number: counts from 1.
        graded: whether there is a grade; where the machine failed there is none, and `error` says why.
        score: of what it left; None where that was no valid submission, and `invalid` says why.
        improvement: of the score over the starter, relative (0.1 is 10 %); None without one, or where it is not finite.
        normalised: 0 is the starter's score, 1 the reference's; None without one of them.
        outcome: how the agent ended; detail: its last lines where it crashed.
        steps: calls of the model. seconds: its wall time.
        errors, actions: how often an action failed so, was done.
        folder: where its steps are kept. progress: where every snapshot was graded, their scores.
    """

    problem: ProblemRecord
    number: int
    prompt: str = ""
    graded: bool = False
    success: bool = False
    score: float | None = None
    invalid: str = ""
    improvement: float | None = None
    normalised: float | None = None
    starter: Starter | None = None
    reference: float | None = None
    trivial: float | None = None
    claims: tuple[ClaimRecord, ...] = ()
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
    def scored(self) -> bool:
        return self.graded

    @property
    def valid(self) -> bool:
        """Whether what it left could be scored."""
        return self.score is not None

    @property
    def is_suspect(self) -> bool:
        """Whether the score is too good to be learned."""
        return self.score is not None and self.problem.metric.is_suspect(self.score)

    @property
    def result(self) -> ExperimentResult:
        if not self.graded:
            return ExperimentResult.LOST
        if not self.valid:
            return ExperimentResult.CRASHED if self.outcome == CRASHED else ExperimentResult.INVALID
        return ExperimentResult.IMPROVED if self.success else ExperimentResult.NOT_IMPROVED

    def best(self) -> float | None:
        """The best score of any snapshot that was graded, the last one among them."""
        scores = [score for score in (self.score, *(point.score for point in self.progress)) if score is not None]
        if not scores:
            return None
        return max(scores) if self.problem.metric.better == "higher" else min(scores)
