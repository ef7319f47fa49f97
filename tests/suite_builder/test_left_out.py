"""What became of each documented command: one line for each, with the task or the reason."""

from __future__ import annotations

from pathlib import Path

from mlbench.suite_builder.left_out import covered, documented, summary, write_left_out
from mlbench.suite_builder.types import BuildDecision, Step

DECISIONS: dict[Step, list[BuildDecision]] = {
    "tasks": [
        BuildDecision(
            "tasks", "README.md:9", False, "same-form", "as README.md:3", "python a.py --lr 2", "shell", "README.md:3"
        ),
        BuildDecision("tasks", "README.md:3", True, "", "a", "python a.py --lr 1", "shell"),
        BuildDecision("tasks", "README.md:12", True, "", "b", "python b.py", "shell"),
        BuildDecision(
            "tasks", "README.md:15", False, "same-form", "as README.md:12", "python b.py -v", "shell", "README.md:12"
        ),
        BuildDecision("tasks", "README.md:20", False, "installs", "it installs something", "pip install a", "shell"),
        BuildDecision("tasks", "README.md:30", True, "", "c", "python c.py", "shell"),
    ],
    "arguments": [
        BuildDecision("arguments", "a.lr", True),
        BuildDecision("combinations", "a", False, "excluded", "a combination, not the task"),
        BuildDecision("arguments", "b", False, "too-few-arguments", "0 arguments can vary"),
    ],
    "instructions": [
        BuildDecision("instructions", "a", False, "near-duplicate", "a template"),
        BuildDecision("instructions", "a", True),
        BuildDecision("instructions", "c", True),
    ],
    "quality": [BuildDecision("quality", "c", False, "no-such-file", "rows refused: 3 x no-such-file")],
}


def test_every_command_is_a_task_or_has_the_reason_of_the_step_that_dropped_it() -> None:
    found = [(each.where, each.task, each.reason) for each in documented(DECISIONS)]
    assert found == [
        ("README.md:3", "a", ""),
        ("README.md:9", "a", "same-form"),
        ("README.md:12", "", "too-few-arguments"),
        ("README.md:15", "", "same-form"),
        ("README.md:20", "", "installs"),
        ("README.md:30", "", "no-such-file"),
    ]


def test_only_commands_of_the_repository_count() -> None:
    assert covered(documented(DECISIONS)) == (2, 5)
    assert summary(documented(DECISIONS)).startswith("2 of 5 documented commands and 0 of 0 snippets")


def test_commands_without_arguments_are_counted(tmp_path: Path) -> None:
    left = [BuildDecision("tasks", "a.md:1", False, "undecided: never-parses", "", "LR=1 python prepare.py", "shell")]
    write_left_out(tmp_path, {"lichen": documented({"tasks": left})})
    text = (tmp_path / "steps" / "left_out.md").read_text()
    assert "Of what is left out, 1 are commands without arguments" in text


def test_commands_that_a_model_saw_fail_are_counted_beside_the_share(tmp_path: Path) -> None:
    """But not those that have their form: the value by which one fails may be its own."""
    failed: dict[Step, list[BuildDecision]] = {
        **DECISIONS,
        "arguments": [*DECISIONS["arguments"][:2], BuildDecision("arguments", "b", False, "fails", "b.py:3")],
    }
    found = documented(failed)
    assert covered(found) == (2, 4)
    write_left_out(tmp_path, {"lichen": found})
    text = (tmp_path / "steps" / "left_out.md").read_text()
    assert "Of these, 1 fail at this commit, as the model found." in text and "b.py:3 (fails)" in text


def test_what_nobody_can_run_as_it_stands_does_not_count() -> None:
    """The share counted repeats on other pages, and commands that their own program refuses."""
    left = [
        BuildDecision("tasks", "a.md:1", True, "", "a", "python a.py --n gpu_num", "shell"),
        BuildDecision("tasks", "a.md:2", False, "as-refused", "as a.md:1", "python a.py --n 1", "shell", "a.md:1"),
        BuildDecision("tasks", "a.md:3", False, "unknown-argument", "--old", "python a.py --old", "shell"),
        BuildDecision("tasks", "a.md:4", False, "same-code", "as a.md:5", "python b.py", "shell", "a.md:5"),
        BuildDecision("tasks", "a.md:5", False, "raised", "KeyError", "python b.py", "shell"),
    ]
    dropped = [BuildDecision("arguments", "a", False, "placeholder", "nothing says a number for n")]
    assert covered(documented({"tasks": left, "arguments": dropped})) == (0, 1)


def test_a_command_cannot_break_the_table(tmp_path: Path) -> None:
    hostile = BuildDecision(
        "tasks", "a|b.md:1", False, "raised", "x\n| y", "python `a` | b\n# Tasks\u2028\x1b[2J", "shell"
    )
    write_left_out(tmp_path, {"tiny": documented({"tasks": [hostile]})})
    text = (tmp_path / "steps/left_out.md").read_text()
    (row,) = [line for line in text.splitlines() if "python" in line]
    assert row.replace("\\|", "").count("|") == 4 and "\x1b" not in text and text.count("# Tasks") == 2


def test_two_commands_that_refer_to_each_other_end() -> None:
    one = BuildDecision("tasks", "a.md:1", False, "same-form", "as a.md:2", "x", "shell", "a.md:2")
    two = BuildDecision("tasks", "a.md:2", False, "same-form", "as a.md:1", "x", "shell", "a.md:1")
    assert covered(documented({"tasks": [one, two]})) == (0, 2)
