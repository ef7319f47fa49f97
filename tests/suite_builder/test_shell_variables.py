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


def test_each_variable_of_a_path_is_replaced() -> None:
    """Three commands of SST had nothing that could vary: only the first variable of a word was seen."""
    variables = ShellVariables()
    for text in ("DIR=fsdv2", "CONFIG=waymo_2x"):
        variables.assign(text)
    command = "bash a.sh configs/$DIR/$CONFIG.py --out ./$DIR/${CONFIG}/x '$DIR/$CONFIG'"
    assert variables.inlined(command) == "bash a.sh configs/fsdv2/waymo_2x.py --out ./fsdv2/waymo_2x/x '$DIR/$CONFIG'"
