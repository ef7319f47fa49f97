"""What a verdict under `strict` hangs on beside the answer's own run: what the reference leaves, and proofs of work."""

from __future__ import annotations

from dataclasses import replace

from mlbench.samples.origins import origin_of
from mlbench.sandbox.bubblewrap import BubblewrapConfig
from mlbench.scorers.references import References
from mlbench.scorers.relations import unproven
from mlbench.types import Ending, Execution, RunError, Sample
from mlbench.verdict.outcomes import Expected, compared
from mlbench.verdict.policy import Evidence, Strict


class Outcomes:
    """Completes the evidence of the answers to one suite's samples.

    Args:
        suite: the suite's name.
        strict: the rule that says what it needs.
    """

    def __init__(self, suite: str, strict: Strict) -> None:
        self._suite, self._strict = suite, strict
        self._references = References(suite)

    def globs(self, sample: Sample) -> list[str] | None:
        """The files that matter most among those that an answer leaves; None where no outcome is declared."""
        spec = self._references.spec_of(sample)
        return Expected(spec, folder=sample.path).globs() if spec else None

    def wants_claims(self, sample: Sample) -> bool:
        """Whether an answer's calls have to leave the arrays that they take and return."""
        spec = self._references.spec_of(sample)
        return spec is not None and spec.weak

    async def completed(
        self, evidence: Evidence, config: BubblewrapConfig, own: BubblewrapConfig | None = None
    ) -> Evidence:
        """The evidence, with whatever the rule asks for.

        Args:
            config: the jail in which the reference is run.
            own: the same with the packages that an agent has installed: other versions may come to other figures.

        Raises:
            SandboxUnavailableError: the sandbox failed.
            RunError: the reference fails here, so there is nothing to compare with.
        """
        execution = evidence.execution
        if execution is None or execution.witness is None or not self._strict.wants_outcome(evidence):
            return evidence
        expected = await self._references.of(evidence.sample, config)
        if own is not None and expected is not None and compared(expected, execution).differences:
            with_own = await self._references.of(evidence.sample, own)
            if with_own is not None and not with_own.fault and not compared(with_own, execution).differences:
                expected, config = with_own, own
        if expected is not None and expected.fault:
            raise RunError(f"row {evidence.sample.id}: {expected.fault}; see `mlbench suites check`")
        proof = None
        if expected is not None and expected.spec.relation is not None:
            proof = await unproven(evidence.sample, expected, execution, config)
        evidence = replace(evidence, expected=expected, proof=proof)
        claimed = self._strict.wants_variants(evidence)
        shows = [name for name, value in claimed.items() if await self._shows(evidence, name, value, config)]
        return replace(evidence, shows=frozenset(shows))

    async def _shows(self, evidence: Evidence, argument: str, value: str, config: BubblewrapConfig) -> bool:
        """Whether the reference leaves something else with the value of an argument that an answer claims.

        If it leaves the same, the answer has gone the reference's way with a wrong value that happens not to matter.
        """
        origin = origin_of(self._suite, evidence.sample.id)
        if origin is None or evidence.expected is None:
            return False
        words = {**origin.combination, argument: (value.strip("'\""),)}
        code = origin.recipe.render_reference(words)
        other = await self._references.of(evidence.sample, config, code)
        if other is None or other.fault:
            return other is not None
        execution = Execution(Ending.EXITED, 0, 0.0, stdout=other.printed, outcome=other.outcome)
        return other.figures != evidence.expected.figures or bool(compared(evidence.expected, execution).differences)
