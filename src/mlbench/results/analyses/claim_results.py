"""Hold each of the paper's statements on errors against logs.

Only the first answer to each row counts, so that answers are independent. The interval is Newcombe's, 95 %.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from mlbench.records import Policy, UsageError
from mlbench.results.analyses.claims import CLAIMS, Claim, Direction, RunFilter
from mlbench.results.analyses.differences import ShareDifference, difference
from mlbench.results.analyses.tables import Sheet
from mlbench.results.format import printable
from mlbench.results.models import AttemptRecord, RunRecord

NEGLIGIBLE = 0.05
"""Shares that differ by less count as equal."""


class ClaimResult(StrEnum):
    """Whether logs bear a statement out."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNDECIDED = "undecided"
    NOT_TESTED = "not tested"


@dataclass(frozen=True)
class TestedClaim:
    """A statement, held against the logs of one model, or of all models that it is about.

    Attributes:
        model: the model; empty if the statement compares models, or nothing was tested.
        difference: the first share minus the second; None if the logs lack one of the groups.
    """

    claim: Claim
    model: str
    difference: ShareDifference | None

    @property
    def result(self) -> ClaimResult:
        if self.difference is None:
            return ClaimResult.NOT_TESTED
        low, high = self.difference.low, self.difference.high
        match self.claim.direction:
            case Direction.MORE:
                return _sided(low > 0, high < 0)
            case Direction.FEWER:
                return _sided(high < 0, low > 0)
            case Direction.NOT_MORE:
                return _sided(high < NEGLIGIBLE, low > 0)
            case Direction.SAME:
                outside = low > NEGLIGIBLE or high < -NEGLIGIBLE
                return _sided(low > -NEGLIGIBLE and high < NEGLIGIBLE, outside)


def _sided(confirmed: bool, refuted: bool) -> ClaimResult:
    return ClaimResult.CONFIRMED if confirmed else ClaimResult.REFUTED if refuted else ClaimResult.UNDECIDED


def tested(runs: Sequence[RunRecord], policy: Policy) -> list[TestedClaim]:
    """Hold every statement against the runs.

    Raises:
        UsageError: the runs are of different suites.
    """
    suites = sorted({run.suite for run in runs if not run.experiments})
    if len(suites) > 1:
        raise UsageError(f"the logs are of different suites ({', '.join(suites)}); test the claims on one suite")
    return [each for claim in CLAIMS for each in _tested(claim, runs, policy)]


def _tested(claim: Claim, runs: Sequence[RunRecord], policy: Policy) -> Iterator[TestedClaim]:
    models = list(dict.fromkeys(run.model for run in runs)) if claim.within else [""]
    any_: bool = False
    for model in models:
        own = [run for run in runs if not model or run.model == model]
        first, second = (
            _counted(own, side, claim.error, policy, _same_settings(claim, own)) for side in (claim.first, claim.second)
        )
        if found := difference(*first, *second):
            any_ = True
            yield TestedClaim(claim, model, found)
    if not any_:
        yield TestedClaim(claim, "", None)


def _same_settings(claim: Claim, runs: Sequence[RunRecord]) -> Callable[[RunRecord], bool]:
    """Of two groups of models, only the settings that both were run in; a setting is no property of a model."""
    if claim.within or claim.first.agents:
        return lambda run: True
    settings = [{run.setting for run in runs if side.holds(run)} for side in (claim.first, claim.second)]
    return lambda run: run.setting in settings[0] & settings[1]


def _counted(
    runs: Sequence[RunRecord], side: RunFilter, error: str, policy: Policy, also: Callable[[RunRecord], bool]
) -> tuple[int, int]:
    """Answers with the error, and all scored answers."""
    answers = [
        attempt
        for run in runs
        if side.holds(run) and also(run)
        for attempt in run.attempts
        if attempt.number == 1 and attempt.verdict(policy) and (not side.type or attempt.type == side.type)
    ]
    return sum(_has(attempt, error, policy) for attempt in answers), len(answers)


def _has(attempt: AttemptRecord, error: str, policy: Policy) -> bool:
    verdict = attempt.verdict(policy)
    wrong = verdict is not None and not verdict.passed
    return wrong and any(fault.error_class.startswith(error) for fault in attempt.faults)


def sheet(found: Sequence[TestedClaim]) -> list[Sheet]:
    """One line for each tested statement; those that the logs cannot test follow."""
    several = len({each.model for each in found if each.model}) > 1
    lines = tuple(
        (
            each.result.value,
            each.claim.text + (f" ({printable(each.model)})" if each.model and several else ""),
            *each.difference.points(),
            f"{each.difference.sizes[0]:,}, {each.difference.sizes[1]:,}",
        )
        for each in found
        if each.difference
    )
    missing = tuple((each.claim.text,) for each in found if not each.difference)
    note = "Difference of the shares of answers with the error, in points, with its 95 % interval; n of both groups. "
    note += f"Equal: less than {100 * NEGLIGIBLE:.0f} points. Of many statements, one in twenty is wrong by chance."
    sheets = (
        [Sheet("Statements of section 5.2", ("result", "statement", "points", "low", "high", "n"), lines, note)]
        if lines
        else []
    )
    return sheets + ([Sheet("Not tested: the logs lack one of the groups", ("statement",), missing)] if missing else [])
