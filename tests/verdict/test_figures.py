"""Figures that were to be printed, found by value in what was printed."""

from __future__ import annotations

import pytest

from mlbench.verdict.figures import Printed, figures, unsaid


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        ("0.7638888888888888", "test accuracy 0.7639"),
        ("0.7638888888888888", "accuracy: 76.39 %"),
        ("0.7638888888888888", "76.389"),
        ("0.764", "0.76389"),
        ("16", "best epoch: 16, and so on"),
        ("2.2899856513754875", "loss=2.29"),
        ("5.00e-01", "0.5"),
        ("0.0", "error 0.000 deg"),
        ("-1.01274", "held out: -1.0127 nats"),
        ("1.015e-05", "0.00001015"),
        ("nan", "loss nan"),
        ("(12, 36, 32)", "torch.Size([12, 36, 32])"),
        ("12, 36, 32", "12 x 36 x 32"),
        ("a large  White cross", "['a large white cross on grey']"),
        ("0.82", "\x1b[1m0.82\x1b[0m"),
    ],
)
def test_a_figure_is_found_in_other_words_and_digits(figure: str, text: str) -> None:
    assert Printed(text).says(figure)


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        ("0.7638888888888888", "0.75"),
        ("0.7638888888888888", "1"),
        ("0.7638888888888888", "0.8"),
        ("16", "16.4 and 160 and v16 and 1.16"),
        ("5", "five"),
        ("0.426", "rotation error 0.000"),
        ("nan", "0.1"),
        ("12, 36, 32", "36, 12, 32"),
        ("12, 36, 32", "float64"),
        ("one two", "one, two"),
    ],
)
def test_another_figure_is_not_it(figure: str, text: str) -> None:
    assert not Printed(text).says(figure)


def test_figures_are_what_stands_in_the_groups() -> None:
    printed = "epoch 1 loss 0.5\nepoch 2 loss 0.25\nbest epoch 2\n"
    assert figures([r"loss (\S+)$", r"^best epoch (\d+)"], printed) == ["0.5", "0.25", "2"]
    assert unsaid(["0.5", "0.5", "7"], [Printed("x 0.5"), Printed("")]) == ["7"]
