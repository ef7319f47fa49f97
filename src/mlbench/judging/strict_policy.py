"""The policy `strict`: the right configuration was run, and it left the right outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlbench.judging.compare_config import Expectation
from mlbench.judging.comparison import Comparison, MatchState
from mlbench.judging.evidence import AnswerEvidence
from mlbench.judging.execution_text import describe, ended_reason, exited_well, joined
from mlbench.judging.other_route import is_other_route
from mlbench.judging.outcomes import Difference, Expected, Lack
from mlbench.judging.process_evidence import RunState, runs
from mlbench.judging.rule import form_fault
from mlbench.reasons import Reason
from mlbench.records import CheckStatus, Execution, ExitKind, Policy, Stage, Verdict

_REFUSALS = frozenset(
    {
        *(
            Reason.UNKNOWN_ARGUMENT,
            Reason.AMBIGUOUS_ARGUMENT,
            Reason.MISSING_ARGUMENT,
            Reason.INVALID_CHOICE,
            Reason.INVALID_TYPE,
        ),
        *(
            Reason.WRONG_NUMBER_OF_VALUES,
            Reason.CONFLICTING_ARGUMENTS,
            Reason.USAGE,
            Reason.SHELL_SYNTAX,
            Reason.PYTHON_SYNTAX,
            Reason.NUL_BYTE,
        ),
        *(Reason.TOO_LONG, Reason.NOTHING, Reason.PASTED_CHARACTERS, Reason.HELP),
    }
)
"""Rejections that no execution can overturn, unless another part of the answer is accepted."""
_FINAL = frozenset({Reason.REMOTE_CODE, Reason.UNSTEADY})
"""Rejections of a text that hold whatever one execution shows."""


@dataclass(frozen=True)
class Strict:
    """The right work was done by the repository's code, and its outcome was left.

    Three things must agree. The witnessed program or calls have the reference's configuration. The outcome equals the
    reference's, which is run in a fresh sandbox. No file of the repository was destroyed. Another route to the same
    outcome passes as well if the repository's code did the work.

    Args:
        limit: seconds of wall time. A run that took longer, because another policy allows it, has timed out.
    """

    limit: float = float("inf")
    policy: Policy = Policy.STRICT

    def before(self, evidence: AnswerEvidence) -> Verdict | None:
        """Fail what no execution can make right; else None."""
        if fault := form_fault(evidence.candidate, self.policy):
            return fault
        check, comparison = evidence.check, evidence.comparison
        assert check is not None
        accepted = any(each.status is CheckStatus.ACCEPTED for each in check.invocations)
        final = check.reason in _FINAL or (check.reason in _REFUSALS and not accepted)
        if check.status is CheckStatus.REJECTED and final:
            return self._verdict(False, Stage.INTERFACE, Reason(check.reason), check.message)
        decided = check.status is CheckStatus.ACCEPTED and comparison is not None and not comparison.right
        if decided and evidence.candidate.kind == "shell" and evidence.expectation is not None:
            left_open = evidence.compare(evidence.expectation, check.invocations, by_outcome=True)
            absent = any(match.state is MatchState.ABSENT for match in left_open.matches)
            if not left_open.right and not absent:
                return self._verdict(False, Stage.INTERFACE, left_open.reason, left_open.evidence())
        return None

    def wants_outcome(self, evidence: AnswerEvidence) -> bool:
        """Whether the verdict depends on the reference's outcome."""
        execution = evidence.execution
        return execution is not None and (execution.ending is ExitKind.TIMEOUT or exited_well(execution))

    def wants_replay(self, evidence: AnswerEvidence) -> bool:
        """Whether to replay the claim: right configuration, but another outcome.

        Documented values and free settings may rightly lead to another outcome.
        """
        execution, expectation, left = evidence.execution, evidence.in_a_run, evidence.left
        if execution is None or execution.witness is None or expectation is None or expectation.fault or left is None:
            return False
        if not exited_well(execution) or left.harm or not left.differences:
            return False
        comparison = evidence.compare_claim(expectation, (run.invocation for run in runs(execution.witness)))
        return comparison.right and bool(comparison.extras)

    def wants_variants(self, evidence: AnswerEvidence) -> dict[str, str]:
        """Required arguments with another value, and that value.

        A Python answer may reach the same outcome with another value and a step of its own. A variant of the reference
        shows whether the value matters.
        """
        expected, execution, expectation = evidence.expected, evidence.execution, evidence.in_a_run
        if evidence.candidate.kind != "python" or expected is None or execution is None or execution.witness is None:
            return {}
        if expectation is None or not exited_well(execution):
            return {}
        left = evidence.left
        if left is None or left.differences or not (left.telling or evidence.proof == ""):
            return {}
        seen = (run.invocation for run in runs(execution.witness))
        comparison = evidence.compare(expectation, seen, by_outcome=True)
        if comparison.missing or comparison.other_route:
            return {}
        return {match.argument: match.found for match in comparison.matches if match.state is MatchState.WRONG}

    def after(self, evidence: AnswerEvidence, execution: Execution) -> Verdict:
        """Decide from the witnessed runs, the outcome and the way it ended."""
        expectation = evidence.in_a_run
        assert expectation is not None
        timed_out = execution.ending is ExitKind.TIMEOUT or execution.seconds > self.limit
        if not timed_out and not exited_well(execution):
            return self._verdict(False, Stage.EXECUTION, ended_reason(execution), describe(execution), execution)
        if execution.witness is None:
            return self._unwitnessed(evidence, execution, timed_out)
        if tampering := [line for process in execution.witness.processes for line in process.tampering]:
            return self._verdict(
                False, Stage.WITNESS, Reason.TAMPERING, joined([*tampering, describe(execution)]), execution
            )
        if excess := execution.witness.excess:
            lines = joined([excess, describe(execution)])
            return self._verdict(False, Stage.EXECUTION, Reason.PROCESS_LIMIT, lines, execution)
        if evidence.expected is not None:
            return self._by_outcome(evidence, evidence.expected, expectation, execution, timed_out)
        return self._by_claim(evidence, expectation, execution, timed_out)

    def _by_outcome(
        self,
        evidence: AnswerEvidence,
        expected: Expected,
        expectation: Expectation,
        execution: Execution,
        timed_out: bool,
    ) -> Verdict:
        assert execution.witness is not None
        seen = runs(execution.witness)
        comparison = evidence.compare(expectation, (run.invocation for run in seen), by_outcome=True)
        if timed_out:
            return self._at_the_limit(evidence, expected, expectation, execution, comparison)
        states = {run.state for run in seen if expectation.concerns(run.invocation)}
        left = evidence.left
        assert left is not None
        differences = left.differences
        replayed = f"held against a replay of: {' '.join(evidence.replayed.split())[:300]}" if evidence.replayed else ""
        lines = [*map(str, differences), replayed, comparison.evidence(), describe(execution)]
        if left.harm:
            return self._verdict(False, Stage.OUTCOME, Reason.OUTCOME_DESTROYED, joined(lines), execution)
        if comparison.right and not expectation.fault:
            if RunState.FAILED in states:
                return self._verdict(False, Stage.WITNESS, Reason.PROGRAM_FAILED, joined(lines), execution)
            if differences:
                return self._verdict(False, Stage.OUTCOME, _lacking(differences), joined(lines), execution)
            if evidence.proof:
                return self._verdict(
                    False, Stage.OUTCOME, Reason.NOT_PROVEN, joined([evidence.proof, *lines]), execution
                )
            return self._verdict(True, Stage.OUTCOME, Reason.RIGHT, joined(lines), execution)
        if (
            not differences
            and not evidence.proof
            and is_other_route(evidence, expectation, left, comparison, execution)
        ):
            return self._verdict(True, Stage.OUTCOME, Reason.OTHER_ROUTE, joined(lines), execution)
        reason = comparison.reason
        if comparison.right:
            reason = _lacking(differences) if differences else Reason.NOT_WITNESSED
        return self._verdict(False, Stage.WITNESS, reason, joined([expectation.fault, *lines]), execution)

    def _at_the_limit(
        self,
        evidence: AnswerEvidence,
        expected: Expected,
        expectation: Expectation,
        execution: Execution,
        comparison: Comparison,
    ) -> Verdict:
        """Judge a run stopped at the limit: right if the reference still runs and was no further."""
        assert execution.witness is not None
        states = {run.state for run in runs(execution.witness) if expectation.concerns(run.invocation)}
        behind = expected.progress_lacking(execution)
        lines = [behind, comparison.evidence(), describe(execution)]
        if not expected.running:
            lines = [f"the reference ends after {expected.seconds:.1f} s", *lines]
        running = expected.running and comparison.right and not behind and not execution.absent
        running = running and states <= {RunState.FINISHED, RunState.WORKING} and RunState.WORKING in states
        if running:
            return self._verdict(True, Stage.EXECUTION, Reason.RUNNING, joined(lines), execution)
        reason = Reason.TIMEOUT if comparison.right else comparison.reason
        return self._verdict(False, Stage.EXECUTION, reason, joined(lines), execution)

    def _by_claim(
        self, evidence: AnswerEvidence, expectation: Expectation, execution: Execution, timed_out: bool
    ) -> Verdict:
        """Judge without a declared outcome: by the witnessed configuration and the exit."""
        assert execution.witness is not None
        seen = runs(execution.witness)
        comparison = evidence.compare(expectation, (run.invocation for run in seen))
        states = {run.state for run in seen if expectation.concerns(run.invocation)}
        lines = [expectation.fault, *(f"not there: {glob}" for glob in execution.absent), comparison.evidence()]
        text = joined([*lines, describe(execution)])
        if timed_out:
            running = comparison.right and not expectation.fault and not execution.absent
            running = running and states <= {RunState.FINISHED, RunState.WORKING} and RunState.WORKING in states
            reason = Reason.RUNNING if running else Reason.TIMEOUT
            return self._verdict(running, Stage.EXECUTION, reason, text, execution)
        if not comparison.right or expectation.fault:
            reason = Reason.NOT_WITNESSED if comparison.right else comparison.reason
            return self._verdict(False, Stage.WITNESS, reason, text, execution)
        if states - {RunState.FINISHED}:
            return self._verdict(False, Stage.WITNESS, Reason.PROGRAM_FAILED, text, execution)
        return self._verdict(True, Stage.EXECUTION, Reason.EXIT_0, text, execution)

    def _unwitnessed(self, evidence: AnswerEvidence, execution: Execution, timed_out: bool) -> Verdict:
        """Judge without a witness: the interface check must have decided. The evidence says so."""
        lines = f"no witness in this sandbox\n{describe(execution)}"
        if timed_out:
            return self._verdict(False, Stage.EXECUTION, Reason.TIMEOUT, lines, execution)
        comparison = evidence.comparison
        decided = (
            evidence.check is not None and evidence.check.status is CheckStatus.ACCEPTED and comparison is not None
        )
        if decided and comparison is not None and not comparison.right:
            return self._verdict(False, Stage.INTERFACE, comparison.reason, comparison.evidence(), execution)
        left, spec = evidence.left, evidence.expected.spec if evidence.expected else None
        if decided and comparison is not None and left is not None and spec is not None:
            differences = "\n".join(map(str, left.differences))
            if left.harm or (left.differences and not comparison.extras):
                reason = Reason.OUTCOME_DESTROYED if left.harm else _lacking(left.differences)
                return self._verdict(False, Stage.OUTCOME, reason, f"{differences}\n{lines}", execution)
            if not left.differences and not spec.weak:
                return self._verdict(True, Stage.OUTCOME, Reason.RIGHT_UNWITNESSED, lines, execution)
        reason = Reason.EXIT_0_UNWITNESSED if decided else Reason.NOT_WITNESSED
        return self._verdict(decided, Stage.EXECUTION, reason, lines, execution)

    def _verdict(
        self, passed: bool, stage: Stage, reason: Reason, evidence: str, execution: Execution | None = None
    ) -> Verdict:
        return Verdict(self.policy, passed, stage, reason, evidence, execution.seconds if execution else 0.0)


def _lacking(differences: Sequence[Difference]) -> Reason:
    """The reason for the gravest difference."""
    lacks = {each.lack for each in differences}
    if Lack.CONTENT in lacks:
        return Reason.WRONG_OUTCOME
    return Reason.OUTCOME_MISSING if Lack.FILE in lacks else Reason.FIGURES_MISSING
