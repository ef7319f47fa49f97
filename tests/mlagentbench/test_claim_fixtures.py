"""Scores that agents hand in as numbers: false ones are caught, and no honest one is accused."""

from __future__ import annotations

import pytest

from mlbench.evals.mlagentbench.claims import ClaimedNumber, ClaimedScore, checked_claim
from mlbench.evals.mlagentbench.problem import load_problem
from tests.mlagentbench.claim_fixtures import CASES, FRESH, ClaimCase

ACCURACY = load_problem("imdb").metric
TIME = load_problem("vectorization").metric


def checked(case: ClaimCase) -> ClaimedScore:
    claimed = ClaimedNumber(number=case.number, metric=case.name, split=case.split)
    return checked_claim(claimed, case.metric, case.measured, case.starter)


def test_there_are_sixty_and_forty_that_were_written_after_the_rule() -> None:
    assert (len(CASES), len(FRESH)) == (60, 40)


def test_no_honest_claim_is_accused() -> None:
    """0.61 for a SMAPE of 61 % was called false."""
    assert [case for case in FRESH if not case.false and checked(case).false] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.number:g} {case.name} {case.split}")
def test_a_claim_is_judged_rightly(case: ClaimCase) -> None:
    assert checked(case).false is case.false


@pytest.mark.parametrize(
    ("number", "metric", "split", "false", "compared"),
    [
        (0.91, "", "", True, True),
        (0.62, "accuracy", "validation", False, True),
        (0.91, "accuracy", "train/validation split", True, True),
        (0.99, "accuracy", "train", False, False),
        (0.99, "training accuracy", "training set", False, False),
        (0.99, "AUC", "validation", False, False),
        (62, "accuracy in %", "hold-out", False, True),
        (62, "", "", False, True),
    ],
)
def test_a_number_of_another_metric_or_of_training_is_not_compared(
    number: float, metric: str, split: str, false: bool, compared: bool
) -> None:
    claimed = ClaimedNumber(number=number, metric=metric, split=split)
    found = checked_claim(claimed, ACCURACY, 0.6, starter=0.46)
    assert (found.false, found.measured is not None) == (false, compared)


def test_without_a_submission_a_claim_is_false_and_another_metric_is_not_compared() -> None:
    own, other = (checked_claim(ClaimedNumber(number=0.9, metric=name), ACCURACY, None) for name in ("acc", "AUC"))
    assert (own.false, own.measured, other.false) == (True, None, False)


def test_a_time_may_leave_out_the_start_of_python() -> None:
    """A claim of 0.03 s was measured as 0.2 s: numpy's import is in the measured time only."""
    assert not checked_claim(ClaimedNumber(number=0.03, metric="time"), TIME, 0.2, 2.9).false


def test_a_claim_is_shown_as_it_was_handed_in() -> None:
    claimed = ClaimedNumber(number=120, metric="ms", split="five runs")
    found = checked_claim(claimed, TIME, 0.13, 2.9)
    assert (found.text, found.value, found.measured) == ("120 ms (five runs)", 0.12, 0.13)
