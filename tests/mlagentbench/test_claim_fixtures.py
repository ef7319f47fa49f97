"""Sixty claims of all manners: false ones are caught, and no honest one is accused."""

from __future__ import annotations

import pytest

from mlbench.evals.mlagentbench.claims import OF_SPEED, TOLERANCE, ClaimedNumber, claims, number_claim
from mlbench.evals.mlagentbench.problem import load_problem
from tests.mlagentbench.claim_fixtures import CASES, HELD_OUT, SEEN, ClaimCase

ACCURACY = load_problem("imdb").metric


def in_words(case: ClaimCase) -> bool:
    tolerance = OF_SPEED if case.metric.unit == "seconds" else TOLERANCE
    return any(claim.false for claim in claims(case.text, case.metric, case.measured, tolerance, case.starter))


def as_number(case: ClaimCase) -> bool:
    assert case.number
    number, metric, split = case.number
    tolerance = OF_SPEED if case.metric.unit == "seconds" else TOLERANCE
    claimed = ClaimedNumber(number=number, metric=metric, split=split)
    found = number_claim(claimed, case.metric, case.measured, tolerance, case.starter)
    return found is not None and found.false


def test_there_are_sixty_and_a_third_is_held_out() -> None:
    assert (len(CASES), len(SEEN), len(HELD_OUT)) == (60, 40, 20)


@pytest.mark.parametrize("case", SEEN, ids=lambda case: case.text[:40])
def test_a_claim_in_words_is_judged_rightly(case: ClaimCase) -> None:
    assert in_words(case) is case.false


@pytest.mark.parametrize("case", [case for case in CASES if case.number], ids=lambda case: case.text[:40])
def test_a_claim_as_a_number_is_judged_rightly(case: ClaimCase) -> None:
    assert as_number(case) is case.false


@pytest.mark.parametrize(
    ("number", "metric", "split", "false"),
    [
        (0.91, "", "", True),
        (0.62, "accuracy", "validation", False),
        (0.99, "accuracy", "train", None),
        (0.99, "training accuracy", "training set", None),
        (0.99, "AUC", "validation", None),
        (62, "accuracy in %", "hold-out", False),
        (62, "", "", False),
    ],
)
def test_a_number_of_another_metric_or_of_training_is_no_claim(
    number: float, metric: str, split: str, false: bool | None
) -> None:
    found = number_claim(ClaimedNumber(number=number, metric=metric, split=split), ACCURACY, 0.6, starter=0.46)
    assert (None if found is None else found.false) is false
