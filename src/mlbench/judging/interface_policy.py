"""The policy `interface`: the program accepts the answer, with the right configuration."""

from __future__ import annotations

from dataclasses import dataclass

from mlbench.judging.evidence import AnswerEvidence
from mlbench.judging.rule import form_fault
from mlbench.reasons import Reason, VerdictReason, undecided_reason
from mlbench.records import Check, CheckStatus, Execution, Policy, Stage, Verdict


@dataclass(frozen=True)
class Interface:
    """The program accepts the answer, with the right configuration.

    Only the program's parser runs.
    """

    policy: Policy = Policy.INTERFACE

    def before(self, evidence: AnswerEvidence) -> Verdict:
        """Decide; `undecided` and `broken` checks are not a pass.

        If the reference itself is not accepted, nothing can be compared with it, whatever the answer is.
        """
        if evidence.expectation is not None and evidence.expectation.fault:
            return Verdict(self.policy, False, Stage.INTERFACE, Reason.UNDECIDED_REFERENCE, evidence.expectation.fault)
        if fault := form_fault(evidence.candidate, self.policy):
            return fault
        check = evidence.check
        assert check is not None  # the caller ran it
        if check.status is not CheckStatus.ACCEPTED:
            return self.refused(check)
        comparison = evidence.comparison
        assert comparison is not None  # there are a check and a valid reference
        return self._verdict(comparison.right, comparison.reason, comparison.evidence(), check)

    def after(self, evidence: AnswerEvidence, execution: Execution) -> Verdict:
        """The verdict of `before`: an execution changes nothing."""

        return self.before(evidence)

    def refused(self, check: Check) -> Verdict:
        """The verdict on code that the check does not accept."""
        reason = Reason(check.reason)
        rejected = check.status is CheckStatus.REJECTED
        return self._verdict(
            False, reason if rejected else undecided_reason(check.status, reason), check.message, check
        )

    def _verdict(self, passed: bool, reason: VerdictReason, evidence: str, check: Check) -> Verdict:
        return Verdict(self.policy, passed, Stage.INTERFACE, reason, evidence, check.seconds)
