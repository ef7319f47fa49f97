"""Complete the evidence for `strict`: reference outcomes, replays, proofs of work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from mlbench.interface_check.checker import Checker
from mlbench.judging.call_sites import call_sites
from mlbench.judging.claimed import claimed_calls, claimed_script
from mlbench.judging.compare_config import Expectation
from mlbench.judging.evidence import AnswerEvidence
from mlbench.judging.outcomes import Expected, compared
from mlbench.judging.policy import Strict
from mlbench.judging.process_evidence import runs
from mlbench.records import Candidate, CheckStatus, Execution, ExitKind, RunError, Sample
from mlbench.sandbox.bubblewrap import BubblewrapConfig
from mlbench.scoring.input_relations import unproven
from mlbench.scoring.reference_calls import of_run
from mlbench.scoring.reference_runs import References
from mlbench.suites.suite import Suite


class Outcomes:
    """Complete the evidence on the answers to one suite's samples.

    Args:
        suite: the suite that the samples are from.
        strict: the rule that says what it needs.
    """

    def __init__(self, suite: Suite, strict: Strict) -> None:
        self._suite, self._strict = suite, strict
        self._references = References(suite)

    def globs(self, sample: Sample) -> list[str] | None:
        """Globs of the declared output files; None if no outcome is declared."""
        spec = self._references.spec_of(sample)
        return Expected(spec, folder=sample.path).globs() if spec else None

    def wants_claims(self, sample: Sample) -> bool:
        """Whether an answer's calls must leave the arrays that they take and return."""
        spec = self._references.spec_of(sample)
        return spec is not None and spec.weak

    async def completed(
        self,
        evidence: AnswerEvidence,
        config: BubblewrapConfig,
        own: BubblewrapConfig | None = None,
        checker: Checker | None = None,
    ) -> AnswerEvidence:
        """Add to the evidence what the rule needs.

        Args:
            evidence: with the answer's execution.
            config: the sandbox in which the reference runs.
            own: the same with the packages that an agent installed; other versions may lead to other figures.
            checker: of the repository; without one no claim is replayed.

        Raises:
            SandboxUnavailableError: the sandbox failed.
            RunError: the reference fails here, so there is nothing to compare with.
        """
        execution = evidence.execution
        if execution is None or not self._strict.wants_outcome(evidence):
            return evidence
        if execution.witness is None and execution.outcome is None:
            return evidence
        expected = await self._references.of(evidence.sample, config)
        if expected is None:
            return evidence
        evidence = replace(evidence, expected=expected)
        if own is not None and _differs(evidence):
            with_own = await self._references.of(evidence.sample, own)
            if with_own is not None and not with_own.fault:
                other = replace(evidence, expected=with_own)
                if not _differs(other):
                    evidence, config = other, own
        assert evidence.expected is not None
        if evidence.expected.fault:
            raise RunError(f"row {evidence.sample.id}: {evidence.expected.fault}; see `mlbench suites check`")
        if execution.witness is None:
            return evidence  # its calls were not recorded
        if evidence.expectation is not None:
            evidence = replace(
                evidence, of_run=of_run(evidence.expectation, self._required(evidence.sample), evidence.expected)
            )
        assert evidence.expected is not None
        if expected.spec.weak:
            proof = await unproven(evidence.sample, evidence.expected, execution, config)
            evidence = replace(evidence, proof=proof)
        elif checker is not None and self._strict.wants_replay(evidence):
            evidence = await self._replayed(evidence, own or config, checker)
        claimed = self._strict.wants_variants(evidence)
        shows = [name for name, value in claimed.items() if await self._shows(evidence, name, value, config)]
        return replace(evidence, shows=frozenset(shows)) if shows else evidence

    def _required(self, sample: Sample) -> Mapping[str, str]:
        origin = self._suite.row(sample.id).origin
        return origin.required() if origin else sample.required()

    async def _replayed(self, evidence: AnswerEvidence, config: BubblewrapConfig, checker: Checker) -> AnswerEvidence:
        """Replay the claimed invocation, and expect its outcome if the answer left the same.

        The recorder's report is a claim: the invocation is rewritten and checked against the reference first.
        """
        sample, expectation, expected = evidence.sample, evidence.in_a_run, evidence.expected
        assert expectation is not None and expected is not None
        code = self._claimed(evidence, expectation, config)
        if not code:
            return evidence
        check = await checker.check(Candidate(code, sample.kind, "replay"), sample.path, sample.prefix_code)
        if check.status is not CheckStatus.ACCEPTED:
            return evidence
        if not evidence.compare_claim(expectation, check.invocations).right:
            return evidence
        replay = await self._references.of(sample, config, code)
        if replay is None or replay.fault or replay.running or not expected.is_matched_by(replay):
            return evidence
        other = replace(evidence, expected=replay, replayed=code)
        return evidence if _differs(other) else other

    def _claimed(self, evidence: AnswerEvidence, expectation: Expectation, config: BubblewrapConfig) -> str:
        """The claimed invocation as our own text; empty if there is none."""
        assert evidence.execution is not None and evidence.execution.witness is not None
        sample = evidence.sample
        seen = [run for run in runs(evidence.execution.witness) if expectation.concerns(run.invocation)]
        if sample.kind == "shell":
            scripts = {file.name for file in Path(config.tools).iterdir()} if config.tools else set()
            return claimed_script(seen, scripts)
        return claimed_calls(sample.output, expectation.call_sites, call_sites(run.invocation for run in seen))

    async def _shows(self, evidence: AnswerEvidence, argument: str, value: str, config: BubblewrapConfig) -> bool:
        """Whether the claimed value of an argument changes the reference's outcome.

        If it does not, the answer went the reference's way with a wrong value that does not matter.
        """
        origin = self._suite.row(evidence.sample.id).origin
        if origin is None or evidence.expected is None:
            return False
        words = {**origin.combination, argument: (value.strip("'\""),)}
        code = origin.recipe.render_reference(words)
        if evidence.expected.spec.weak and evidence.execution is not None:
            variant = replace(evidence.sample, output=code)
            return bool(await unproven(variant, evidence.expected, evidence.execution, config))
        other = await self._references.of(evidence.sample, config, code)
        if other is None or other.fault:
            return other is not None
        execution = Execution(ExitKind.EXITED, 0, 0.0, stdout=other.printed, outcome=other.outcome)
        return other.figures != evidence.expected.figures or bool(compared(evidence.expected, execution).differences)


def _differs(evidence: AnswerEvidence) -> bool:
    return evidence.left is not None and bool(evidence.left.differences)
