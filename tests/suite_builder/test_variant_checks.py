"""Whether a variant of a command changes what is meant, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from mlbench.judging.call_sites import call_sites
from mlbench.records import Check, CheckStatus, Invocation
from mlbench.suite_builder.arguments.variant_checks import Trials, VariantCheck
from mlbench.suite_builder.types import CodeBlock, DraftTask

BASE = {"trainer": "cpu", "trainer.accelerator": "cpu", "trainers": "one"}


def invocation(**changes: Any) -> Invocation:
    configuration = BASE | {name.replace("__", "."): value for name, value in changes.items()}
    given = frozenset(BASE)
    return Invocation(CheckStatus.ACCEPTED, program="train.py", configuration=configuration, given=given)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"trainer": "gpu"}, ""),
        ({"trainer": "gpu", "trainer__accelerator": "gpu"}, ""),
        ({"trainer": "gpu", "trainers": "two"}, "trainers changes as well, to 'two'"),
    ],
)
def test_parts_of_a_setting_may_change_with_it(changes: dict[str, str], why: str) -> None:
    """`trainer=gpu` was refused because the file that it chooses sets `trainer.accelerator`."""
    code = "python train.py trainer=cpu"
    check = Check(CheckStatus.ACCEPTED, invocations=(invocation(),))
    block = CodeBlock("README.md", (1, 1), (1, 1), (), "", "shell", code)
    trials = Trials(DraftTask("train", block, "shell", ".", code, "train.py", check), None)  # type: ignore[arg-type]
    changed = frozenset((0, name.replace("__", ".")) for name in changes)
    trial = VariantCheck(tuple(call_sites((invocation(**changes),))), changed=changed)
    assert trials.astray(trial, (0, "trainer"), ("gpu",)) == why


def test_a_setting_of_a_list_may_change_where_it_is_merged() -> None:
    """`SOLVER.MAX_EPOCH 24` of GLIP arrives in its list and in its configuration; no value of it was taken."""

    def said(epochs: str) -> Invocation:
        opts, merged = {"opts": ["SOLVER.EPOCHS", epochs]}, {"opts:SOLVER.EPOCHS": epochs, "SOLVER.EPOCHS": int(epochs)}
        given = frozenset({"opts", *merged})
        return Invocation(CheckStatus.ACCEPTED, program="train.py", configuration=opts | merged, given=given)

    check = Check(CheckStatus.ACCEPTED, invocations=(said("24"),))
    block = CodeBlock("README.md", (1, 1), (1, 1), (), "", "shell", "python train.py SOLVER.EPOCHS 24")
    trials = Trials(DraftTask("train", block, "shell", ".", block.code, "train.py", check), None)  # type: ignore[arg-type]
    trial = trials._trial(Check(CheckStatus.ACCEPTED, invocations=(said("12"),)))
    assert (0, "SOLVER.EPOCHS") in trial.changed
    assert trials.astray(trial, (0, "opts:SOLVER.EPOCHS"), ("12",)) == ""
    assert trials.unnamed(trial, {"opts:SOLVER.EPOCHS"}) == "" != trials.unnamed(trial, {"opts:SOLVER.LR"})


def test_a_file_that_the_parser_opened_is_its_path() -> None:
    """A positional of type `click.File` was bound to nothing, so that no words could say it."""
    check = Check(CheckStatus.ACCEPTED, invocations=(invocation(trainer={"!": "file", "value": "./in.png"}),))
    block = CodeBlock("README.md", (1, 1), (1, 1), (), "", "shell", "rembg i ./in.png")
    task = DraftTask("cut", block, "shell", ".", block.code, "train.py", check)
    assert Trials(task, None).base[0].values["trainer"] == "./in.png"  # type: ignore[arg-type]
