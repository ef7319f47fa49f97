"""Figures that were to be printed, found by value in what was printed."""

from __future__ import annotations

import pytest

from mlbench.judging.figures import PrintedFigures, digits_of, figures, without


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
        ("4.0467, 1.1245", "fold 0: 4.05\nfold 1: 1.12"),
        ("a large  White cross", "['a large white cross on grey']"),
        ("0.82", "\x1b[1m0.82\x1b[0m"),
    ],
)
def test_a_figure_is_found_in_other_words_and_digits(figure: str, text: str) -> None:
    assert PrintedFigures(text).says(figure)


@pytest.mark.parametrize(
    ("figure", "text"),
    [
        ("0.7638888888888888", "0.75"),
        ("0.7638888888888888", "1"),
        ("0.7638888888888888", "0.8"),
        ("16", "16.4 and 160 and v16 and 1.16"),
        ("166.76", "167"),
        ("31.2345", "31"),
        ("5", "five"),
        ("0.426", "rotation error 0.000"),
        ("nan", "0.1"),
        ("12, 36, 32", "36, 12, 32"),
        ("12, 36, 32", "float64"),
        ("one two", "one, two"),
        ("0.5, 0.25, 0.125", "[0.125 0.25 0.5]"),
    ],
)
def test_another_figure_is_not_it(figure: str, text: str) -> None:
    assert not PrintedFigures(text).says(figure)


def test_figures_are_what_stands_in_the_groups() -> None:
    printed = "epoch 1 loss 0.5\nepoch 2 loss 0.25\nbest epoch 2\n"
    found, log = figures([r"loss (0.2\S+)$", "^best epoch <number>"], printed)
    assert (found, log) == (["0.25", "2"], "epoch 1 loss 0.5\n")


def test_a_bare_number_is_a_row_in_which_the_order_counts() -> None:
    assert figures(["<number>"], "[0.5 0.25\n 0.125]") == (["0.5, 0.25, 0.125"], "")


def test_what_a_log_says_in_passing_is_left_out() -> None:
    assert without("[Epoch 2] loss 0.25\n0.31\n", "[Epoch 1] loss 0.5\n[Epoch 2] loss 0.25") == "0.31\n"


@pytest.mark.parametrize(
    ("figure", "text", "digits"),
    [
        ("0.7638888888888888", "0.7639", 4),
        ("0.7638888888888888", "0.7638888888888888", 16),
        ("16", "16", 2),
        ("0.0", "0", 1),
    ],
)
def test_agreement_is_counted_in_digits(figure: str, text: str, digits: int) -> None:
    assert digits_of(figure, [PrintedFigures(""), PrintedFigures(text)]) == digits
