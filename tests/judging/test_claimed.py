"""A claimed invocation is written anew: what stands beside it in the answer is not replayed."""

from __future__ import annotations

import pytest

from mlbench.judging.call_sites import CallSite
from mlbench.judging.claimed import MOST_PROGRAMS, claimed_calls, claimed_script
from mlbench.judging.process_evidence import RunState, WitnessedRun
from mlbench.records import CheckStatus, Invocation, TracedProcess


def run(
    program: str = "ex/train.py", how: str = "file", cwd: str = "ex", argv: tuple[str, ...] = ("--lr", "1")
) -> WitnessedRun:
    process = TracedProcess(2, 1, "/usr/bin/python", ("python", "/opt/tools/loom-fold", *argv), f"/workspace/{cwd}", 0)
    invocation = Invocation(CheckStatus.ACCEPTED, program=program, how=how, cwd=cwd, argv=argv, env={"SEED": "3"})
    return WitnessedRun(process, invocation, RunState.FINISHED)


@pytest.mark.parametrize(
    ("claim", "line"),
    [
        (run(), "python train.py --lr 1"),
        (run(how="module", cwd="."), "python -m ex.train --lr 1"),
        (run("tool/__main__.py", "module", "."), "python -m tool --lr 1"),
        (run("tool/cli.py", "console-script", "."), "loom-fold --lr 1"),
        (run(argv=("a b", "$(touch x); `y`")), "python train.py 'a b' '$(touch x); `y`'"),
    ],
)
def test_a_program_is_started_by_its_own_words(claim: WitnessedRun, line: str) -> None:
    text = claimed_script([claim], {"loom-fold"})
    assert text.splitlines()[-1] == line
    assert "SEED" not in text


def test_programs_are_started_in_their_order() -> None:
    text = claimed_script([run(), run("b.py", cwd=".")], ())
    assert text.splitlines()[1:] == [
        "cd /workspace/ex",
        "python train.py --lr 1",
        "cd /workspace/.",
        "python b.py --lr 1",
    ]


@pytest.mark.parametrize(
    "claims",
    [
        [],
        [run(how="code")],
        [run("tool/cli.py", "console-script")],  # no such console script
        [run("train.sh")],
        [run()] * (MOST_PROGRAMS + 1),
        [run(argv=("x" * 30_000,))],
    ],
)
def test_what_cannot_be_started_so_is_not_replayed(claims: list[WitnessedRun]) -> None:
    assert claimed_script(claims, ()) == ""


CODE = "from m import Net, fit\nnet = Net(3, depth=2)\nh = fit(net, epochs=5)\nprint(h[-1])"
OURS = [
    CallSite("m.Net", {"width": 3, "depth": 2, "bias": True}, frozenset({"width", "depth"})),
    CallSite("m.fit", {"net": {"!": "object"}, "epochs": 5, "lr": 0.1}, frozenset({"net", "epochs"})),
]


def test_claimed_values_go_into_the_references_calls() -> None:
    theirs = [
        CallSite("m.Net", {"width": 3, "depth": 2, "bias": False}, frozenset({"width", "depth", "bias"})),
        CallSite("m.fit", {"net": {"!": "object"}, "epochs": 5, "lr": 0.01}, frozenset({"net", "epochs", "lr"})),
    ]
    text = claimed_calls(CODE, OURS, theirs)
    assert "Net(3, depth=2, bias=False)" in text and "fit(net, epochs=5, lr=0.01)" in text


def test_a_claimed_text_is_a_literal() -> None:
    theirs = [CallSite("m.fit", {"lr": "1); import os; ('"}, frozenset({"lr"}))]
    assert 'lr="1); import os; (\'"' in claimed_calls(CODE, OURS[1:], theirs)


def test_objects_and_equal_values_are_not_replayed() -> None:
    assert claimed_calls(CODE, OURS, OURS) == ""
    assert (
        claimed_calls(
            CODE, OURS, [CallSite("m.fit", {"net": {"!": "object"}, "lr": {"!": "array"}}, frozenset({"lr"}))]
        )
        == ""
    )
