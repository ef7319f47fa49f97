"""Judge a model's answer: check it, execute it at most once, and apply every rule."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from inspect_ai.util import SandboxEnvironment, concurrency

from mlbench.judging.documented import leaves_the_rest
from mlbench.judging.evidence import AnswerEvidence
from mlbench.judging.policy import Interface, Paper, Rule, Strict, form_fault
from mlbench.reasons import Reason
from mlbench.records import Candidate, Policy, Sample, Stage, Verdict
from mlbench.sandbox.bubblewrap import BubblewrapSandbox
from mlbench.sandbox.execute import execute
from mlbench.score_records import ScoreRecord
from mlbench.scoring.build_record import score_of
from mlbench.scoring.reference_calls import unused_word
from mlbench.scoring.runtime import SuiteRuntime
from mlbench.scoring.scorer_core import ScorerCore, decided_by_interface

_FILE_NAME = re.compile(r"[A-Za-z_][\w-]*\.py")


class AnswerScorer(ScorerCore):
    """Judge models' answers to one suite's samples on one machine.

    Args:
        place: the machine.
        paper_timeout: seconds after which a running program passes under `paper`.
        remember: whether the interface check may take its results from the cache.
    """

    def __init__(self, place: SuiteRuntime, paper_timeout: float, *, remember: bool = True) -> None:
        strict = Strict(place.limits.seconds)
        every: dict[Policy, Rule] = {
            Policy.STRICT: strict,
            Policy.INTERFACE: Interface(),
            Policy.PAPER: Paper(paper_timeout),
        }
        super().__init__(place, strict, [every[policy] for policy in place.policies], remember=remember)
        strict_runs = Policy.STRICT in place.policies
        self._seconds = max(place.limits.seconds, paper_timeout) if strict_runs else paper_timeout
        self._fails: dict[int, str] = {}  # of published rows: why the reference fails under `paper`, or an empty text

    def rules_of(self, sample: Sample) -> list[object]:
        """Further inputs of the verdict's cache key, JSON-serialisable."""
        origin = self.place.suite.row(sample.id).origin
        repository = self.place.suite.repository_of(sample.github_id)
        rest = leaves_the_rest(sample.instruction)
        setup = self.place.setups.get(repository.name) if self.place.executes(sample.id) else None
        where = [setup.environment.name, setup.checkout.name] if setup else []
        if self.place.setups and Policy.PAPER in self.place.policies:
            where.append(Policy.PAPER.value)
        return [origin.recipe.model_dump() if origin else None, repository.model_dump(), rest, where]

    async def judged(
        self, sample: Sample, candidate: Candidate, repository: str, box: SandboxEnvironment | None
    ) -> ScoreRecord:
        """Score one candidate.

        Args:
            sample: the sample.
            candidate: its answer.
            repository: the repository's name.
            box: the sandbox in which it runs if it must; None if answers to this sample are not executed.

        Raises:
            SandboxUnavailableError: the machine failed, not the candidate.
        """
        candidate = replace(candidate, file=self._own_name(candidate.file, sample, repository))
        async with concurrency("candidates", self.place.workers):
            evidence = await self.checked(sample, candidate, repository)
            if box is None and self.place.setups:
                record = score_of(evidence, decided_by_interface(Interface(), evidence, self.place.policies))
                return record.model_copy(update={"decided_by": Policy.INTERFACE})
            if self._is_published(sample) and (fault := await self._reference_fault(evidence, repository)):
                unscored = Verdict(Policy.PAPER, False, Stage.EXECUTION, Reason.UNDECIDED_REFERENCE, fault)
                return score_of(evidence, [unscored, Interface().before(evidence)])
            early = self.before(evidence)
            if box is not None and not all(early):
                evidence = await self._executed(evidence, repository, box)
        return score_of(evidence, self.verdicts(evidence, early))

    async def _executed(self, evidence: AnswerEvidence, repository: str, box: SandboxEnvironment) -> AnswerEvidence:
        env = partial(self.place.outside_env, repository)
        wanted = evidence.expectation.artefacts if evidence.expectation else ()
        outputs, claims = self.wanted_outputs(evidence.sample)
        pristine = str(self.place.checkouts[repository]) if self.place.provider == "local" else ""
        execution = await execute(
            box, evidence.sample, evidence.candidate, self._seconds, env, True, wanted, outputs, claims, pristine
        )
        evidence = replace(evidence, execution=execution)
        compared = Policy.STRICT in self.place.policies
        if not compared or (execution.witness is None and execution.outcome is None):
            return evidence
        return await self.with_outcome(evidence, repository)

    def _is_published(self, sample: Sample) -> bool:
        """Whether a row has no recipe, so that nobody knows whether its reference runs here."""
        return bool(self.place.setups) and self.place.suite.row(sample.id).origin is None

    async def _reference_fault(self, evidence: AnswerEvidence, repository: str) -> str:
        """Why a published row's reference fails under `paper` here; empty if it passes. It is run once."""
        sample = evidence.sample
        if sample.id not in self._fails:
            reference = Candidate(sample.output, sample.kind, "reference")
            box = BubblewrapSandbox(self.place.jail(repository))
            try:
                own = AnswerEvidence(sample, reference, expectation=evidence.expectation)
                execution = (await self._executed(own, repository, box)).execution
            finally:
                await box.close()
            assert execution is not None  # `_executed` adds it
            verdict = Paper(self._seconds).after(own, execution)
            words = " ".join(verdict.evidence.split())[:300]
            self._fails[sample.id] = "" if verdict.passed else f"the reference fails here: {words}"
        return self._fails[sample.id]

    def _own_name(self, name: str, sample: Sample, repository: str) -> str:
        """The file name that an answer asks for.

        Empty if it has none or names a file of the repository.
        """
        taken = (self.place.checkouts[repository] / sample.path / name).exists()
        return name if _FILE_NAME.fullmatch(name) and not taken else ""

    async def checked(self, sample: Sample, candidate: Candidate, repository: str) -> AnswerEvidence:
        """Find what is expected, and run the interface check if the answer has a form that can be checked.

        Args:
            sample: the sample.
            candidate: its answer.
            repository: the repository's name.
        """
        checker = self.checkers.of(repository)
        expectation = await self.expectations.of(sample, checker)
        if form_fault(candidate, Policy.INTERFACE):
            return AnswerEvidence(sample, candidate, expectation=expectation)
        asked = in_a_shell(candidate) if sample.kind == "shell" and candidate.kind == "python" else candidate
        check = await checker.check(asked, sample.path, sample.prefix_code)
        return AnswerEvidence(sample, candidate, check, expectation)


def in_a_shell(candidate: Candidate) -> Candidate:
    """Wrap a Python answer in a shell script that runs it."""
    end = unused_word(candidate.code)
    return replace(candidate, code=f"python - <<'{end}'\n{candidate.code}\n{end}", kind="shell")
