"""The protocol of a rule: what it decides before an execution, and what after."""

from __future__ import annotations

from typing import Protocol

from mlbench.judging.evidence import AnswerEvidence
from mlbench.reasons import Reason
from mlbench.records import Candidate, Execution, Policy, Stage, Verdict

VERSION = 7
"""Part of the verdict cache's key. Raise it when the same evidence can lead to another verdict or other errors."""


class Rule(Protocol):
    """One policy's rule."""

    @property
    def policy(self) -> Policy:
        """The policy that the rule decides."""
        ...

    def before(self, evidence: AnswerEvidence) -> Verdict | None:
        """The verdict if no execution is needed for it; else None."""
        ...

    def after(self, evidence: AnswerEvidence, execution: Execution) -> Verdict:
        """The verdict after the execution."""
        ...


def form_fault(candidate: Candidate, policy: Policy) -> Verdict | None:
    """The verdict on an answer that is empty, has no code, or is of no language; else None.

    Args:
        candidate: the answer.
        policy: the policy of the verdict.
    """
    if not candidate.code.strip():
        reason = Reason.NO_ANSWER if candidate.source == Reason.NO_ANSWER else Reason.NO_CODE
        return Verdict(policy, False, Stage.EXTRACTION, reason, candidate.fault)
    if candidate.kind is None:
        return Verdict(policy, False, Stage.KIND, Reason.SYNTAX, candidate.fault)
    return None
