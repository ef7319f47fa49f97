"""ML-Agent-Bench's rules, and E5."""

from __future__ import annotations

import pytest

from mlbench.judging.agent_policy import AgentPaper, AgentStrict, operational
from mlbench.judging.evidence import AnswerEvidence
from mlbench.reasons import Reason
from mlbench.records import Candidate, Execution, ExitKind, Sample, Stage

ROW = Sample(1, "u", 1, 1, ".", "{'lr': '0.1'}", "i", "o", "Bash Script", "python train.py --lr 0.1", "")


def evidence(source: str) -> AnswerEvidence:
    return AnswerEvidence(ROW, Candidate("", None, source, "why"))


@pytest.mark.parametrize(
    ("execution", "passed", "reason"),
    [
        (Execution(ExitKind.EXITED, 0, 1.0), True, "exit-0"),
        (Execution(ExitKind.EXITED, 1, 1.0), False, "exit-code"),
        (Execution(ExitKind.TIMEOUT, 137, 120.0), True, "timeout"),
        (Execution(ExitKind.EXITED, 1, 1.0, stderr="KeyboardInterrupt"), True, "keyboard-interrupt"),
        (Execution(ExitKind.MEMORY, 137, 1.0), False, "exit-code"),
    ],
)
def test_the_published_rule_looks_at_the_end_only(execution: Execution, passed: bool, reason: str) -> None:
    verdict = AgentPaper(120.0).after(evidence("run.sh"), execution)
    assert (verdict.passed, verdict.reason) == (passed, reason)


@pytest.mark.parametrize("source", [Reason.NO_RUN_SCRIPT, Reason.WORKSPACE_NOT_CARRIED])
def test_without_code_nothing_runs(source: str) -> None:
    verdict = AgentStrict().before(evidence(source))
    assert verdict is not None
    assert (verdict.passed, verdict.stage, verdict.reason, verdict.evidence) == (False, Stage.EXTRACTION, source, "why")


def test_the_published_rule_runs_what_starts_no_file_of_its_own() -> None:
    assert AgentPaper().before(evidence("run.sh")) is None
    assert AgentPaper().before(evidence(Reason.NO_RUN_SCRIPT)) is not None


@pytest.mark.parametrize(
    ("source", "words", "reason"),
    [
        (Reason.NO_RUN_SCRIPT, "", "no-run-script"),
        (Reason.NO_RUN_SCRIPT, "All done.", "no-run-script"),
        (Reason.NO_RUN_SCRIPT, "I'm sorry, I cannot train this model.", "gave-up"),
        (Reason.NO_RUN_SCRIPT, "Could you please provide the data set?", "asked-human"),
        ("run.sh", "Please let me know if the path is right.", "asked-human"),
        ("run.sh", "I cannot do more.", None),
        ("run.sh", "The script trains the model.", None),
    ],
)
def test_what_an_agent_did_not_do_is_operational(source: str, words: str, reason: str | None) -> None:
    found = operational(source, "ended", words)
    assert [finding.reason for finding in found] == ([reason] if reason else [])
    assert all(str(finding.error) == "E5" for finding in found)
