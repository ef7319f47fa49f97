"""The Fact Check held against the trace."""

from __future__ import annotations

import pytest

from mlbench.evals.mlagentbench.research_agent.fact_check import unfounded

SEEN = ["exit code 0 after 3.1 s\nstdout:\nvalidation accuracy 0.6583", "wrote 36,469 rows", "loss 2.5e-05"]


@pytest.mark.parametrize(
    "claims, wanted",
    [
        ("The accuracy is 0.6583.", ()),
        ("The accuracy is 0.66, that is 65.8 %.", ()),
        ("The accuracy is 0.658 (cut, not rounded).", ()),
        ("36469 rows and a loss of 0.000025 were observed.", ()),
        ("The accuracy rose to 0.91.", ("0.91",)),
        ("It is 91% now, and 250 trees were used.", ("91%", "250")),
        ("0.91 is not confirmed. I expect 0.95. The target is 0.99.", ()),
        ("Observed: 0.6583. Not yet confirmed: 0.91; observed: 0.77", ("0.77",)),
        ("3 folds, 10 epochs, version 1.2.3, a-5 and x0.25y", ()),
        ("", ()),
        ("-0.6583", ("-0.6583",)),
    ],
)
def test_figures_that_nobody_saw(claims: str, wanted: tuple[str, ...]) -> None:
    assert unfounded(claims, SEEN) == wanted


def test_extreme_numbers_are_no_error() -> None:
    assert unfounded("1e999999999 and " + "9" * 5000 + " and 1e-99999999999", SEEN) != ()


def test_few_are_named() -> None:
    assert len(unfounded(" ".join(f"0.{n}1" for n in range(200, 300)), SEEN)) == 10


def test_many_figures_end_in_time() -> None:
    many = " ".join(f"{n}.5" for n in range(50_000))
    assert unfounded(many, [many]) == ()
