"""What a decision does to the suite: rows come and go, nobody's work is overwritten, the program has the last word."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from mlbench.records import RunError, UsageError
from mlbench.suite_builder.checks.suite_check import check
from mlbench.suite_builder.review import checking
from mlbench.suite_builder.review.checking import covering, parsed
from mlbench.suite_builder.review.recipe_store import ConflictError
from mlbench.suite_builder.review.server import summary
from mlbench.suite_builder.review.service import ReviewService
from mlbench.suites.suite import load_rows, load_suite
from tests.suite_builder.reviewing import BLOCK, made

TASK = ("pulsar", "block")


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return made(tmp_path / "small")


def file(suite: Path, task: str = "block") -> Path:
    return suite / "recipes" / "pulsar" / f"{task}.yaml"


def version(desk: ReviewService, task: str = "block") -> str:
    return desk.view("pulsar", task).version


def test_a_task_shows_what_a_reader_needs(suite: Path) -> None:
    desk = ReviewService(suite)
    assert [(each.task, each.state) for each in desk.overview().entries] == [("block", "open"), ("flow", "open")]
    view = desk.view(*TASK)
    assert view.body is not None and view.faults == ()
    assert view.body.segment.text.startswith("# Pulsar") and view.body.segment.fault == ""
    assert view.body.example.startswith("python train.py --rate ")
    assert [row.split for row in view.body.rows] == ["full", "id_train", "id_train"]
    assert len({row.id for row in view.body.rows}) == 3


def test_a_rejected_task_is_kept_and_yields_no_rows(suite: Path) -> None:
    desk = ReviewService(suite)
    desk.reject(*TASK, version(desk), "the README is about\nanother program")
    assert [task.recipe.task for task in load_suite(str(suite.resolve())).tasks()] == ["flow"]
    view = desk.view(*TASK)
    assert (view.state, view.why) == ("rejected", "the README is about another program")
    assert view.body is not None and view.body.rows  # examples stand for them
    desk.accept(*TASK, version(desk))
    assert desk.view(*TASK).state == "accepted"
    assert summary(desk.decided)[-1].startswith("1 rejected, 1 accepted")


def test_a_rejected_task_is_not_held_to_be_sound(suite: Path) -> None:
    file(suite).write_text(BLOCK.replace("program: train.py", "program: nosuch.py"))
    loaded = load_suite(str(suite.resolve()))
    assert check(loaded) == ["recipe pulsar/block.yaml: program: no file nosuch.py"]
    desk = ReviewService(suite)
    assert desk.view(*TASK).faults == ("program: no file nosuch.py",)
    desk.reject(*TASK, version(desk), "no such program")
    assert check(loaded) == ["row 1: training row 3 differs from it by numbers alone"]  # of the other task


def test_a_rejected_row_is_excluded_and_can_be_taken_back(suite: Path) -> None:
    desk = ReviewService(suite)
    view = desk.view(*TASK)
    assert view.body is not None
    row = view.body.rows[1]
    desk.reject_row(*TASK, view.version, row.combination, "sounds odd")
    view = desk.view(*TASK)
    assert view.body is not None
    again = view.body.rows[1]
    assert (again.id, again.rejected, again.why, view.state) == (row.id, True, "sounds odd", "open")
    with pytest.raises(UsageError, match="rejected already"):
        desk.reject_row(*TASK, view.version, row.combination, "")
    desk.accept_row(*TASK, view.version, row.combination)
    assert file(suite).read_text() == BLOCK
    with pytest.raises(UsageError, match="is not rejected"):
        desk.accept_row(*TASK, version(desk), row.combination)
    with pytest.raises(UsageError, match="no such combination"):
        desk.reject_row(*TASK, version(desk), {"rate": ("7",), "mode": ("slow",)}, "")


def test_the_last_row_of_a_task_cannot_be_rejected(suite: Path) -> None:
    desk = ReviewService(suite)
    combinations = list(parsed("pulsar", "block", BLOCK).combinations())
    for row in combinations[:-1]:
        desk.reject_row(*TASK, version(desk), row, "")
    with pytest.raises(UsageError, match="reject the task"):
        desk.reject_row(*TASK, version(desk), combinations[-1], "")


def test_undo_restores_every_byte_in_order(suite: Path) -> None:
    desk = ReviewService(suite)
    before = {task: file(suite, task).read_bytes() for task in ("block", "flow")}
    mode = file(suite).stat().st_mode
    desk.accept(*TASK, version(desk))
    desk.reject("pulsar", "flow", version(desk, "flow"), "no")
    desk.reject(*TASK, version(desk), "after all")
    assert [(desk.undo().task, desk.view(*TASK).state) for _ in range(3)] == [
        ("block", "accepted"),
        ("flow", "accepted"),
        ("block", "open"),
    ]
    assert {task: file(suite, task).read_bytes() for task in ("block", "flow")} == before
    assert file(suite).stat().st_mode == mode and sorted(os.listdir(file(suite).parent)) == ["block.yaml", "flow.yaml"]
    with pytest.raises(UsageError, match="nothing to undo"):
        desk.undo()
    assert summary(desk.decided) == ["nothing was decided"]


def test_what_somebody_else_wrote_is_not_overwritten(suite: Path) -> None:
    desk = ReviewService(suite)
    shown = version(desk)
    theirs = BLOCK + "note: mine\n"
    file(suite).write_text(theirs)
    for decide in (
        lambda: desk.accept(*TASK, shown),
        lambda: desk.edit(*TASK, shown, BLOCK),
        lambda: desk.reject_row(*TASK, shown, {"rate": ("5e-3",), "mode": ("slow",)}, ""),
    ):
        with pytest.raises(ConflictError, match="block.yaml was changed on disk since it was shown"):
            decide()
    assert file(suite).read_text() == theirs
    desk.accept(*TASK, version(desk))
    file(suite).write_text(theirs)
    with pytest.raises(ConflictError, match="it is left as it is"):
        desk.undo()
    assert file(suite).read_text() == theirs and len(desk.decided) == 1


def test_what_is_written_while_the_program_is_asked_is_not_overwritten(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = ReviewService(suite)
    theirs = BLOCK + "note: mine\n"

    def slow(*_: object) -> list[str]:
        file(suite).write_text(theirs)
        return []

    monkeypatch.setattr(checking, "refusals", slow)
    with pytest.raises(ConflictError):
        desk.edit(*TASK, version(desk), BLOCK.replace("5e-3]", "5e-3, 1e-2]"))
    assert file(suite).read_text() == theirs and desk.decided == []


def test_a_file_that_cannot_be_written_is_said_and_stays(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = ReviewService(suite)

    def full(source: str, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(RunError, match="cannot write .*block.yaml: No space left"):
        desk.accept(*TASK, version(desk))
    assert file(suite).read_text() == BLOCK and desk.decided == []
    assert sorted(os.listdir(file(suite).parent)) == ["block.yaml", "flow.yaml"]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("program: train.py", "program: [", "not YAML"),
        ("program: train.py", "program: nosuch.py", "program: no file nosuch.py"),
        ("program: train.py", "program: ../../etc/passwd", "leads out of the repository"),
        ("Four {{ mode }}, ", "Four, ", "instructions: number 4 does not say mode"),
        ("Four {{ mode }}", "Four {{ mode }} {{ nosuch }}", "'nosuch' is undefined"),
        ("Four {{ mode }}", "Four {{ mode }} {{ 1 / 0 }}", "cannot be rendered"),
        ("Four {{ mode }}", "Four {{ mode }} {{ ''.__class__.__mro__[1].__subclasses__() }}", "cannot be rendered"),
        ("quickly: fast", "quickly: rapid", "refuses it (invalid-choice: "),
        ("--mode {{", "--nosuch {{", "refuses it (unknown-argument: "),
        ("5e-3]", "quick]", "invalid-type"),
    ],
)
def test_an_edit_that_is_not_sound_is_not_stored(suite: Path, old: str, new: str, fault: str) -> None:
    assert old in BLOCK
    desk = ReviewService(suite)
    faults = desk.edit(*TASK, version(desk), BLOCK.replace(old, new))
    assert fault in "\n".join(faults)
    assert file(suite).read_text() == BLOCK and desk.decided == []


def test_an_edit_is_stored_as_it_was_typed(suite: Path) -> None:
    desk = ReviewService(suite)
    text = BLOCK.replace("5e-3]", "5e-3, 1e-2]").replace("Four ", "Four: ")
    text = text.replace("  - Four: {{ mode }}, {{ rate }}.", "  - 'Four: {{ mode }}, {{ rate }}.'")
    assert desk.edit(*TASK, version(desk), text) == []
    assert file(suite).read_text() == text
    view = desk.view(*TASK)
    assert view.body is not None and [value.said for value in view.body.arguments[0].values] == ["0.10", "5e-3", "1e-2"]
    assert all(row.id is None for row in view.body.rows)  # they are rendered anew
    assert desk.edit(*TASK, view.version, text) == [] and len(desk.decided) == 1  # nothing changed


def test_line_ends_stay_those_of_the_file(suite: Path) -> None:
    crlf = BLOCK.replace("\n", "\r\n").encode()
    file(suite).write_bytes(crlf)
    desk = ReviewService(suite)
    assert desk.edit(*TASK, version(desk), BLOCK.replace("Four ", "Fourth ")) == []
    assert file(suite).read_bytes() == crlf.replace(b"Four ", b"Fourth ")


def test_a_broken_recipe_is_shown_and_can_be_mended(suite: Path) -> None:
    file(suite).write_text(BLOCK.replace("program: train.py\n", ""))
    desk = ReviewService(suite)
    assert "There are no rows yet" in desk.overview().note
    view = desk.view(*TASK)
    assert (view.state, view.body) == ("broken", None) and "program: Field required" in view.fault
    with pytest.raises(UsageError, match="program: Field required"):
        desk.accept(*TASK, view.version)
    assert desk.edit(*TASK, view.version, BLOCK) == []
    assert desk.view(*TASK).state == "open"


def test_a_recipe_that_is_no_text_or_leads_out_is_no_trouble(suite: Path, tmp_path: Path) -> None:
    file(suite).write_bytes(b"\xff\xfe")
    (tmp_path / "secret.yaml").write_text("secret: 1")
    file(suite, "link").symlink_to(tmp_path / "secret.yaml")
    desk = ReviewService(suite)
    assert [each.task for each in desk.overview().entries] == ["block", "flow"]
    assert "not UTF-8" in desk.view(*TASK).fault
    for repository, task in (("pulsar", "link"), ("pulsar", "../pulsar/flow"), ("../recipes/pulsar", "flow"), ("", "")):
        with pytest.raises(UsageError, match="there is no recipe"):
            desk.view(repository, task)


def test_findings_and_steps_are_shown_and_nonsense_in_them_is_not(suite: Path) -> None:
    row = load_rows(str(suite.resolve()))["full"][0].id
    lines = [
        json.dumps({"id": row, "passed": False, "reason": "invalid-choice", "evidence": "slow?", "unbound": ["rate"]}),
        "not JSON",
        "[1]",
        '{"id": "x"}',
    ]
    (suite / "references.jsonl").write_text("\n".join(lines))
    (suite / "steps").mkdir()
    decision = {"step": "arguments", "subject": "block.rate", "kept": True, "reason": "", "why": "from the block"}
    (suite / "steps" / "arguments.jsonl").write_bytes(json.dumps(decision).encode() + b"\n\xff\xfe\n[[[\n")
    desk = ReviewService(suite)
    assert sum(entry.failing for entry in desk.overview().entries) == 1
    views = [desk.view("pulsar", task) for task in ("block", "flow")]
    found = [finding.words for view in views if view.body for row in view.body.rows for finding in row.findings]
    assert found == ["invalid-choice: slow?; unbound: rate"]
    assert [remark.words for remark in views[0].remarks] == ["from the block"] and views[1].remarks == ()


def test_a_folder_without_recipes_is_refused(suite: Path) -> None:
    for task in ("block", "flow"):
        file(suite, task).unlink()
    with pytest.raises(UsageError, match="there is nothing to review"):
        ReviewService(suite)
    with pytest.raises(UsageError, match="no suite"):
        ReviewService(suite / "nowhere")


def test_every_value_stands_in_a_reference_that_is_checked() -> None:
    text = BLOCK.replace("mode: {slowly: slow, quickly: fast}", "mode: [a, b, c, d, e]")
    recipe = parsed("pulsar", "x", text.replace("# what", "exclude: [{rate: 0.10, mode: a}]\n# what"))
    found = list(covering(recipe))
    assert {each["mode"] for each in found} == {(mode,) for mode in "abcde"}
    assert {each["rate"] for each in found} == {("0.10",), ("5e-3",)} and len(found) == 5
