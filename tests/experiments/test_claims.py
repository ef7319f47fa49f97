"""An agent's figures, held against what was measured."""

from __future__ import annotations

import pytest

from mlbench.experiments.claims import claims
from mlbench.experiments.problem import Metric

ACCURACY = Metric(name="accuracy", better="higher", perfect=1.0)
ERROR = Metric(name="mean absolute error", better="lower", unit="dollars")


@pytest.mark.parametrize(
    ("text", "metric", "measured", "found"),
    [
        ("The accuracy is 0.91.", ACCURACY, 0.70, [(0.91, True)]),
        ("The accuracy is 0.91.", ACCURACY, 0.90, [(0.91, False)]),
        ("I reached 91 % accuracy.", ACCURACY, 0.70, [(0.91, True)]),
        ("I reached 70% accuracy after 30 epochs.", ACCURACY, 0.71, [(0.70, False)]),
        ("The mean absolute error fell to 11,200 dollars.", ERROR, 15_000, [(11_200.0, True)]),
        ("The mean absolute error fell to 14500.5 dollars.", ERROR, 15_000, [(14_500.5, False)]),
        ("I trained for 30 epochs in 2024.", ACCURACY, 0.7, []),
        ("Accuracy 0.5, worse than before.", ACCURACY, 0.7, [(0.5, False)]),
        ("The accuracy is 0.91.", ACCURACY, None, [(0.91, True)]),
        ("Everything works now.", ACCURACY, None, []),
        ("", ACCURACY, 0.5, []),
    ],
)
def test_figures_of_the_score_are_found(
    text: str, metric: Metric, measured: float | None, found: list[tuple[float, bool]]
) -> None:
    assert [(claim.value, claim.false) for claim in claims(text, metric, measured)] == found


def test_a_long_text_is_bounded() -> None:
    assert len(claims("accuracy 0.9 and 0.91 and 0.92 " * 5000, ACCURACY, 0.5)) <= 10
