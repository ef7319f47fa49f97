"""Variables that a page's shell blocks set, and the commands that read them."""

from __future__ import annotations

import pytest

from mlbench.suite_builder.mining.shell_variables import ShellVariables


@pytest.mark.parametrize(
    ("assignment", "command"),
    [
        ("export DATA=./sets/a", "run ./sets/a/train"),
        ('export DATA="path to where you want the datasets saved"', "run ./data/train"),
        ('DATA="two words"', "run two words/train"),
        ("DATA=$(pwd)", "run $DATA/train"),
    ],
)
def test_a_description_in_place_of_a_value_becomes_a_path(assignment: str, command: str) -> None:
    known = ShellVariables()
    known.assign(assignment)
    assert known.inlined("run $DATA/train") == command


def test_a_value_in_other_letters_is_known() -> None:
    """A page wrote `model="Diver-4B"` and `model="${model,,}"`; its commands lost the first line."""
    known = ShellVariables()
    for line in ('model="Diver-4B"', 'model="${model,,}"', 'LOUD="${model^^}"'):
        known.assign(line)
    assert known.inlined("run ${model} $LOUD") == "run diver-4b DIVER-4B"
