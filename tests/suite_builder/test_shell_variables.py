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
