"""The shared part of the scorers of answers and of agents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mlbench.interface_check.checker_pool import Checkers
from mlbench.judging.evidence import AnswerEvidence
from mlbench.judging.policy import Interface, Rule, Strict
from mlbench.reasons import Reason
from mlbench.records import Execution, Policy, Sample, Stage, Verdict
from mlbench.sandbox.bubblewrap import BubblewrapConfig
from mlbench.scoring.reference_calls import Expectations
from mlbench.scoring.reference_outcomes import Outcomes
from mlbench.scoring.runtime import SuiteRuntime


class ScorerCore:
    """Judge the answers to one suite's samples on one machine.

    Args:
        place: the machine.
        strict: the strict rule; it says what has to be known of the reference's outcome.
        rules: the rules, the headline first.
        remember: whether the interface check may take its results from the cache.
    """

    def __init__(self, place: SuiteRuntime, strict: Strict, rules: Sequence[Rule], *, remember: bool = True) -> None:
        self.place, self.rules = place, tuple(rules)
        self.checkers = Checkers(place, remember=remember)
        self.expectations = Expectations(place.suite)
        self.outcomes = Outcomes(place.suite, strict)

    @property
    def policies(self) -> list[Policy]:
        """The policies of the rules, the headline first."""
        return [rule.policy for rule in self.rules]

    def before(self, evidence: AnswerEvidence) -> list[Verdict | None]:
        """One verdict per rule; None if the rule needs an execution."""
        return [rule.before(evidence) for rule in self.rules]

    def verdicts(self, evidence: AnswerEvidence, early: Sequence[Verdict | None]) -> list[Verdict]:
        """The verdicts of all rules, after the execution if there was one.

        Args:
            evidence: with its execution, if any rule needs one.
            early: the verdicts of `before`.
        """
        return [
            verdict or rule.after(evidence, _executed(evidence))
            for verdict, rule in zip(early, self.rules, strict=True)
        ]

    async def with_outcome(
        self, evidence: AnswerEvidence, repository: str, own: BubblewrapConfig | None = None
    ) -> AnswerEvidence:
        """Add the reference's outcome to the evidence of an executed answer.

        Args:
            evidence: with its execution.
            repository: the repository's name.
            own: the sandbox with the packages that an agent installed, if it did.

        Raises:
            SandboxUnavailableError: the sandbox failed.
            RunError: the reference fails here, so there is nothing to compare with.
        """
        jail, checker = self.place.jail(repository), self.checkers.of(repository)
        return await self.outcomes.completed(evidence, jail, own, checker)

    def wanted_outputs(self, sample: Sample) -> tuple[list[str] | None, bool]:
        """The globs of declared output files, and whether calls have to leave their arrays."""
        return self.outcomes.globs(sample), self.outcomes.wants_claims(sample)

    async def close(self) -> None:
        """End the check servers."""
        await self.checkers.close()


def decided_by_interface(rule: Interface, evidence: AnswerEvidence, policies: Sequence[Policy]) -> list[Verdict]:
    """The verdicts of a sample that is not run: `strict` rests on the interface check, `paper` has none.

    Args:
        rule: the rule for the check.
        evidence: with the check.
        policies: the policies, the headline first.
    """
    verdict = rule.before(evidence)
    why = "the repository has no environment here (`mlbench repos list`), or its recipe does not say `runs: cpu`"
    not_run = Verdict(Policy.PAPER, False, Stage.EXECUTION, Reason.NOT_RUN, why)
    return [not_run if policy is Policy.PAPER else replace(verdict, policy=policy) for policy in policies]


def _executed(evidence: AnswerEvidence) -> Execution:
    assert evidence.execution is not None  # a rule needed it
    return evidence.execution
