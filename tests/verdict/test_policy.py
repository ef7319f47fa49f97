"""What the policies make of executions, and how their evidence is shown."""

from __future__ import annotations

import pytest

from mlbench.types import Candidate, Ending, Execution, Policy, Sample, Stage
from mlbench.verdict.policy import Paper, Rule, Strict, describe, has_script_marker, last_lines

SAMPLE = Sample(1, "pocket/x", 1, 1, ".", "{'lr': '0.1'}", "", "", "Bash Script", "", "")
CANDIDATE = Candidate("python train.py --lr 0.1", "shell", "fence")


@pytest.mark.parametrize(
    ("execution", "strict", "paper"),
    [
        (Execution(Ending.EXITED, 0, 1.5), "exit-0 +", "exit-0 +"),
        (Execution(Ending.EXITED, 2, 1.5), "exit-code -", "exit-code -"),
        (Execution(Ending.EXITED, 137, 1.5), "exit-code -", "exit-code -"),
        (Execution(Ending.EXITED, 0, 12.0), "exit-0 +", "timeout +"),
        (Execution(Ending.EXITED, 1, 12.0), "exit-code -", "timeout +"),  # it was still running when the paper stopped
        (Execution(Ending.TIMEOUT, 137, 60.0), "timeout -", "timeout +"),
        (Execution(Ending.TIMEOUT, 137, 9.999), "timeout -", "timeout +"),  # the limit itself, by another clock
        (Execution(Ending.MEMORY, 137, 1.5), "memory-limit -", "memory-limit -"),
        (Execution(Ending.MEMORY, 0, 1.5), "memory-limit -", "memory-limit -"),
        (Execution(Ending.MEMORY, 137, 12.0), "memory-limit -", "timeout +"),
    ],
)
def test_executions(execution: Execution, strict: str, paper: str) -> None:
    rules: tuple[tuple[Rule, str], ...] = ((Strict(), strict), (Paper(10.0), paper))
    for rule, wanted in rules:
        verdict = rule.after(SAMPLE, CANDIDATE, execution)
        assert f"{verdict.reason} {'+' if verdict.passed else '-'}" == wanted
        assert verdict.policy is rule.policy
        assert verdict.stage is Stage.EXECUTION
        assert verdict.seconds == execution.seconds


def test_the_paper_timeout_is_a_parameter() -> None:
    execution = Execution(Ending.EXITED, 1, 5.0)
    assert Paper(4.0).after(SAMPLE, CANDIDATE, execution).passed
    assert not Paper(7.0).after(SAMPLE, CANDIDATE, execution).passed


def test_a_verdict_before_running_names_what_is_missing() -> None:
    verdict = Strict().before(SAMPLE, Candidate("python train.py", "shell", "fence"))
    assert verdict is not None
    assert (verdict.policy, verdict.stage, verdict.evidence) == (
        Policy.STRICT,
        Stage.ARGUMENTS,
        "not in the answer: lr = 0.1",
    )


def test_the_paper_asks_for_the_values_before_the_kind() -> None:
    verdict = Paper().before(SAMPLE, Candidate("ls", "shell", "fence"))
    assert verdict is not None and verdict.stage is Stage.ARGUMENTS


@pytest.mark.parametrize(("code", "marked"), [("python a.py x", True), ("sh a.sh x", True), ("python a.py", False)])
def test_the_script_marker_needs_a_blank(code: str, marked: bool) -> None:
    assert has_script_marker(code) is marked


def test_evidence_says_how_it_ended_and_shows_the_errors() -> None:
    text = describe(Execution(Ending.EXITED, 1, 1.234, 3 * 2**20, stdout="epoch 1\n", stderr="KeyError: 'lr'\n"))
    assert text.splitlines() == ["exit 1, 1.23 s, 3 MiB", "KeyError: 'lr'"]


def test_evidence_shows_the_output_where_errors_are_only_blank() -> None:
    assert describe(Execution(Ending.TIMEOUT, 137, 60.0, 0, stdout="epoch 1\n", stderr=" \n\n")).endswith("\nepoch 1")


def test_last_lines_are_safe_to_show() -> None:
    text = "\x1b[31mred\x1b[0m\n\x1b]0;title\x07after\n\x1b]8;;http://x\x1b\\link\na\rb\x00\x07\u202ec\n\x9b1mx\n\n"
    shown = last_lines(text)
    assert shown == ["red", "after", "link", "a", "b\ufffd\ufffd\ufffdc", "\ufffd1mx"]
    assert all(sign.isprintable() for line in shown for sign in line)


def test_an_unfinished_escape_hides_no_other_line() -> None:
    assert last_lines("\x1b]0;title\nValueError: lr") == ["ValueError: lr"]


def test_last_lines_are_few_and_short() -> None:
    shown = last_lines("\n".join(f"{number} " + "x" * 1000 for number in range(100)))
    assert len(shown) == 12
    assert shown[-1].startswith("99 ")
    assert {len(line) for line in shown} == {300}
    assert last_lines("") == []


def test_strict_holds_its_own_limit_where_paper_lets_it_run_longer() -> None:
    """With a time limit below the paper's time-out, a candidate that took longer than the limit passed `strict`."""
    execution = Execution(Ending.EXITED, 0, 3.5)
    assert not Strict(limit=1.0).after(SAMPLE, CANDIDATE, execution).passed
    assert Strict(limit=1.0).after(SAMPLE, CANDIDATE, execution).reason == "timeout"
    assert Strict(limit=5.0).after(SAMPLE, CANDIDATE, execution).passed
