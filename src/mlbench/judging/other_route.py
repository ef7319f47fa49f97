"""Whether an answer reached the reference's outcome by other settings or calls."""

from __future__ import annotations

from mlbench.judging.call_sites import call_sites
from mlbench.judging.compare_config import Expectation
from mlbench.judging.comparison import Comparison, MatchState
from mlbench.judging.evidence import AnswerEvidence
from mlbench.judging.inputs import FILE_SETTING
from mlbench.judging.outcomes import Compared, Expected
from mlbench.judging.values import shown
from mlbench.records import Check, Execution


def is_other_route(
    evidence: AnswerEvidence,
    expectation: Expectation,
    left: Compared,
    comparison: Comparison,
    execution: Execution,
) -> bool:
    """Whether the outcome proves the work although the witnessed settings differ.

    Args:
        evidence: all evidence on the answer.
        expectation: what is right.
        left: the compared outcome.
        comparison: the witnessed configuration, compared with the reference's.
        execution: the answer's run.
    """
    assert execution.witness is not None and evidence.expected is not None
    wrong = [match for match in comparison.matches if match.state is MatchState.WRONG]
    absent = [match for match in comparison.matches if match.state is MatchState.ABSENT]
    if comparison.harmful or (comparison.extra_calls and not wrong and not absent):
        return False
    if not left.telling and evidence.proof is None:
        return False
    used = {file for process in execution.witness.processes for file in process.used}
    if not used >= _work_of(evidence.expected, expectation):
        return False
    checked = evidence.comparison  # the check reads settings files, the recorder does not
    seen_right = checked is not None and checked.right and not wrong and not comparison.missing
    if seen_right and left.telling and _settings(comparison) <= _checked(evidence.check):
        return True
    by_file = all(FILE_SETTING in line.partition(" = ")[0] for line in comparison.unasked)
    if evidence.candidate.kind != "python":
        return by_file and not wrong
    if comparison.missing or comparison.other_route:
        return True
    changed = bool(wrong or comparison.unasked)  # a change without effect on the outcome
    return changed and (by_file or left.telling) and all(match.argument in evidence.shows for match in wrong)


def _settings(comparison: Comparison) -> set[str]:
    """The settings that nothing asks for, each with its value."""
    return {line.partition(", not ")[0] for line in comparison.unasked}


def _checked(check: Check | None) -> set[str]:
    """The settings of an answer, each with its value, from the interface check."""
    done = call_sites(check.invocations) if check else []
    return {f"{name} = {shown(value)}" for call in done for name, value in call.values.items()}


def _work_of(expected: Expected, expectation: Expectation) -> set[str]:
    """The repository's files that do the work.

    The programs' own files only count if there are no others.
    """
    programs = {call.name for call in expectation.call_sites if call.is_program}
    return set(expected.used) - programs or set(expected.used)
