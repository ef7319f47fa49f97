"""How hard a row is: its arguments, what the documentation names, and how far the shown command is."""

from __future__ import annotations

from mlbench.records import PYTHON_TYPE, SHELL_TYPE, Sample
from mlbench.suites.difficulty import Difficulty, difficulty


def row(output: str, oracle: str, type: str = SHELL_TYPE, arguments: str = "{}") -> Sample:
    return Sample(1, "g", 1, 1, ".", arguments, "do", oracle, type, output, "")


def test_what_is_documented_and_how_far_it_is() -> None:
    oracle = "Train with:\n\n    $ python train.py --lr 0.1 \\\n        --epochs 10\n"
    found = difficulty(row("python train.py --lr 0.2 --epochs 10 --seed 1", oracle, arguments='{"lr": 0.2, "seed": 1}'))
    assert found == Difficulty(arguments=2, named=3, documented=2, edits=3)  # another rate, an option, its value


def test_without_documentation_all_is_to_be_written() -> None:
    assert difficulty(row("python train.py --lr 0.2", "")) == Difficulty(0, 1, 0, 4)


def test_python_counts_tokens_that_are_not_shown() -> None:
    found = difficulty(row("Net(width=64, depth=3).fit()", "Net(width=32).fit()", PYTHON_TYPE))
    assert (found.named, found.documented) == (2, 1)
    assert found.edits == 5  # 64 , depth = 3
