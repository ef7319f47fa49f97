"""What an answer left against what the reference left."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from mlbench.judging.outcome_spec import OutcomeSpec
from mlbench.judging.outcomes import Expected, Lack, compared
from mlbench.records import Execution, ExitKind, LeftBehind, OutputFile

SPEC = OutcomeSpec.model_validate(
    {"files": [{"path": "results/*.json", "volatile": ["seconds"]}], "prints": ["accuracy <number>"]}
)


def left(*files: tuple[str, bytes], printed: str = "accuracy 0.82", **more: tuple[str, ...]) -> Execution:
    made = tuple(OutputFile(f"/workspace/{path}", len(content), content) for path, content in files)
    return Execution(ExitKind.EXITED, 0, 0.1, stdout=printed, outcome=LeftBehind(made, **more))


def expected(spec: OutcomeSpec = SPEC, *files: tuple[str, bytes], folder: str = "ex") -> Expected:
    found = left(*(files or (("ex/results/a.json", b'{"loss": 0.5, "seconds": 1}'),)))
    assert found.outcome is not None
    return Expected(spec, found.stdout, found.outcome, folder)


def lacks(execution: Execution, wanted: Expected | None = None) -> list[Lack]:
    return [each.lack for each in compared(wanted or expected(), execution).differences]


RIGHT = ("ex/results/a.json", b'{"loss": 0.5, "seconds": 7}')


def test_the_same_is_left() -> None:
    assert lacks(left(RIGHT)) == []
    assert [item.found[:6] for item in compared(expected(), left(RIGHT)).items] == ["ex/res", "printe"]


def test_a_place_that_nobody_named_is_free() -> None:
    assert lacks(left(("out/mine.json", RIGHT[1]))) == []
    named = OutcomeSpec.model_validate({"files": [{"path": "results/*.json", "named": True}]})
    assert lacks(left(("out/mine.json", RIGHT[1])), expected(named)) == [Lack.FILE]


@pytest.mark.parametrize(
    ("execution", "lack"),
    [
        (left(), Lack.FILE),
        (left(("ex/results/a.json", b'{"loss": 0.6}')), Lack.CONTENT),
        (left(("ex/results/a.json", b"")), Lack.CONTENT),
        (left(RIGHT, printed="done"), Lack.FIGURE),
        (left(RIGHT, printed="accuracy 0.99"), Lack.FIGURE),
        (left(RIGHT, removed=("/workspace/train.py",)), Lack.REMOVED),
        (left(RIGHT, altered=("/workspace/train.py",)), Lack.ALTERED),
    ],
)
def test_what_is_not_there_or_otherwise(execution: Execution, lack: Lack) -> None:
    assert lacks(execution) == [lack]


def test_a_figure_may_stand_in_a_file_that_the_output_was_sent_to() -> None:
    assert lacks(left(RIGHT, ("ex/log.txt", b"epoch 1\naccuracy 0.82\n"), printed="")) == []
    binary = ("ex/log.bin", b"\0accuracy 0.82")
    assert lacks(left(RIGHT, binary, printed="")) == [Lack.FIGURE]


@pytest.mark.parametrize("fault", ["is a FIFO", "is a device", "is too large: 1073741824 bytes", "is a link to /etc/x"])
def test_what_cannot_be_read_is_named(fault: str) -> None:
    outcome = LeftBehind((OutputFile("/workspace/ex/results/a.json", 0, None, fault),))
    execution = Execution(ExitKind.EXITED, 0, 0.1, stdout="accuracy 0.82", outcome=outcome)
    [difference] = compared(expected(), execution).differences
    assert str(difference) == f"ex/results/a.json: {fault}"


def test_what_the_reference_changes_itself_is_no_harm() -> None:
    wanted = Expected(SPEC, "accuracy 0.82", LeftBehind(altered=("/workspace/log.txt",)), "ex")
    assert lacks(left(altered=("/workspace/log.txt",)), wanted) == []


def test_few_digits_tell_little() -> None:
    spec = OutcomeSpec(prints=("^<number> <number>$",))
    assert not compared(Expected(spec, "5 0.0"), left(printed="5 0.0")).telling
    exact = Expected(spec, "31 0.7638888888888")
    assert compared(exact, left(printed="31 0.7638888888888")).telling
    assert not compared(exact, left(printed="31 0.764")).telling
    assert compared(expected(), left(RIGHT)).telling


def test_a_figure_that_the_answer_says_beforehand_is_no_result() -> None:
    wanted = Expected(OutcomeSpec(prints=("^<number>$",)), "7.756248865615689")
    execution = left(printed="7.756248865615689")
    assert compared(wanted, execution).differences == []
    assert [d.lack for d in compared(wanted, execution, "print(7.756248865615689)").differences] == [Lack.FIGURE]
    assert compared(wanted, execution, "print(model.loss * 7)").differences == []


def test_a_shape_may_be_said_beforehand_if_a_relation_proves_the_work() -> None:
    """The reference of a random batch of (12, 36, 32) says the shape itself, and did not pass."""
    spec = OutcomeSpec.model_validate({"prints": [r"^\((.*)\)$"], "relation": {"input": "x", "result": "y"}})
    wanted, execution = Expected(spec, "(12, 36, 32)"), left(printed="(12, 36, 32)")
    assert compared(wanted, execution, "x = np.random.randn(12, 36, 32)").differences == []


def test_progress_is_counted() -> None:
    spec = OutcomeSpec(prints=("loss <number>",), progress="^step")
    wanted = Expected(spec, "step 1\nstep 2\nstep 3\nstep 4\n", running=True)
    assert wanted.progress_lacking(left(printed="step 1\nstep 2\n")) == ""
    assert "1 of the 4 steps" in wanted.progress_lacking(left(printed="step 1\n"))


@pytest.mark.parametrize(
    "declared",
    [
        {},
        {"prints": ["accuracy \\d+"]},
        {"prints": ["accuracy (<number>"]},
        {"files": [{"path": "../x"}]},
        {"files": [{"path": "/etc/x"}]},
        {"files": [{"path": "x", "rtol": 2}]},
    ],
)
def test_a_declaration_that_says_nothing_or_is_broken_is_refused(declared: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        OutcomeSpec.model_validate(declared)
