"""The court: what an answer is held against, and what is written down of it, whichever bench it comes from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from inspect_ai.util import SandboxEnvironment, concurrency

from mlbench.interface_check.checker_pool import Checkers
from mlbench.judging.arguments import published_hits
from mlbench.judging.documented import leaves_the_rest
from mlbench.judging.error_taxonomy import ErrorFinding
from mlbench.judging.errors import classify
from mlbench.judging.evidence import AnswerEvidence
from mlbench.judging.policy import Interface, Paper, Rule, Strict, form_fault
from mlbench.records import Candidate, Execution, Policy, Sample, Verdict
from mlbench.sandbox.execute import execute
from mlbench.scoring.reference_calls import Expectations
from mlbench.scoring.reference_outcomes import Outcomes
from mlbench.scoring.runtime import SuiteRuntime

PHP, SEMANTIC_PHP = "php", "semantic_php"
"""The score's entries for Parameter Hit Precision: as published, and over the parsed configuration."""
_MOST_ITEMS = 100  # of an outcome, kept in a score
_FILE_NAME = re.compile(r"[A-Za-z_][\w-]*\.py")


class ScorerCore:
    """Judges the answers to one suite's samples on one machine.

    Args:
        remember: whether what the interface check found for one command is taken over for the same command.
    """

    def __init__(self, place: SuiteRuntime, paper_timeout: float, *, remember: bool = True) -> None:
        self._place = place
        self._checkers = Checkers(place, remember=remember)
        self._standards = Expectations(place.suite)
        self._seconds = max(place.limits.seconds, paper_timeout)
        strict = Strict(place.limits.seconds)
        self._outcomes = Outcomes(place.suite, strict)
        executed: tuple[Rule, ...] = (strict, Interface(), Paper(paper_timeout))
        self._rules = executed if place.suite.executable else (Interface(),)

    def rules_of(self, sample: Sample) -> list[object]:
        """What a verdict hangs on beside the sample, the candidate and the repository's files, as JSON can write it."""
        origin = self._place.suite.row(sample.id).origin
        repository = self._place.suite.repository_of(sample.github_id)
        rest = leaves_the_rest(sample.instruction)
        return [origin.recipe.model_dump() if origin else None, repository.model_dump(), rest]

    async def judged(
        self, sample: Sample, candidate: Candidate, repository: str, box: SandboxEnvironment | None
    ) -> dict[str, Any]:
        """One candidate's score, as JSON.

        Args:
            box: where it runs, if it has to; None in a suite in which nothing is executed.

        Raises:
            SandboxUnavailableError: the machine failed, not the candidate.
        """
        candidate = replace(candidate, file=self._own_name(candidate.file, sample, repository))
        async with concurrency("candidates", self._place.workers):
            evidence = await self.checked(sample, candidate, repository)
            early = {rule.policy: rule.before(evidence) for rule in self._rules}
            if box is not None and any(verdict is None for verdict in early.values()):
                env = partial(self._place.outside_env, repository)
                wanted = evidence.standard.artefacts if evidence.standard else ()
                outputs, claims = self._outcomes.globs(sample), self._outcomes.wants_claims(sample)
                pristine = str(self._place.checkouts[repository]) if self._place.provider == "local" else ""
                seconds = self._seconds
                execution = await execute(box, sample, candidate, seconds, env, True, wanted, outputs, claims, pristine)
                evidence = replace(evidence, execution=execution)
                if execution.witness is not None or execution.outcome is not None:
                    jail, checker = self._place.jail(repository), self._checkers.of(repository)
                    evidence = await self._outcomes.completed(evidence, jail, checker=checker)
        verdicts = [early[rule.policy] or _after(rule, evidence) for rule in self._rules]
        return score_of(evidence, [verdict for verdict in verdicts if verdict is not None])

    def _own_name(self, name: str, sample: Sample, repository: str) -> str:
        """The name under which an answer wants its file saved; empty where it is none, or stands for another file."""
        taken = (self._place.checkouts[repository] / sample.path / name).exists()
        return name if _FILE_NAME.fullmatch(name) and not taken else ""

    async def close(self) -> None:
        """End what checking has started."""
        await self._checkers.close()

    async def checked(self, sample: Sample, candidate: Candidate, repository: str) -> AnswerEvidence:
        """What the interface check says, and what is right; neither where the answer's form rules it out."""
        if form_fault(sample, candidate, Policy.INTERFACE):
            return AnswerEvidence(sample, candidate)
        checker = self._checkers.of(repository)
        standard = await self._standards.of(sample, checker)
        asked = in_a_shell(candidate) if sample.kind == "shell" and candidate.kind == "python" else candidate
        check = await checker.check(asked, sample.path, sample.prefix_code)
        return AnswerEvidence(sample, candidate, check, standard)


def in_a_shell(candidate: Candidate) -> Candidate:
    """A Python answer as the shell would run it."""
    end = "END_OF_PYTHON"
    while end in candidate.code:
        end += "_"
    return replace(candidate, code=f"python - <<'{end}'\n{candidate.code}\n{end}", kind="shell")


def _after(rule: Rule, evidence: AnswerEvidence) -> Verdict:
    assert evidence.execution is not None  # some rule asked for it
    return rule.after(evidence, evidence.execution)


def score_of(
    evidence: AnswerEvidence,
    verdicts: Sequence[Verdict],
    more: Sequence[ErrorFinding] = (),
    agent: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """What is written down of an answer: the first of the verdicts is the headline.

    Args:
        more: errors beyond those that the evidence shows, if it does not pass.
        agent: what is known of an agent's work.
    """
    required = evidence.sample.required()
    comparison = evidence.comparison
    value: dict[str, float] = {verdict.policy.value: float(verdict.passed) for verdict in verdicts}
    value[PHP] = published_hits(evidence.candidate.code, required).share
    value[SEMANTIC_PHP] = comparison.share if comparison else float(not required)
    first = verdicts[0]
    told = () if more and not evidence.candidate.code else _errors(evidence)  # that nothing is there has been said
    errors = [] if first.passed else [*more, *told]
    return {
        "value": value,
        "explanation": f"{first.policy}: {first.stage}: {first.reason}",
        "metadata": {
            "verdicts": [asdict(verdict) for verdict in verdicts],
            "candidate": described(evidence.candidate),
            "matches": [asdict(match) for match in comparison.matches] if comparison else [],
            "extras": list(comparison.extras) if comparison else [],
            "check": _checked(evidence),
            "errors": [{"class": str(e.error), "reason": e.reason, "evidence": e.evidence} for e in errors],
            "execution": _figures(evidence.execution),
            "outcome": _outcome(evidence),
            "agent": agent,
        },
    }


def described(candidate: Candidate) -> dict[str, object]:
    """What the record says of a candidate beside its code: how it was found, and what of the reply was left."""
    return {
        "kind": candidate.kind,
        "source": candidate.source,
        "fault": candidate.fault,
        "file": candidate.file,
        "left": list(candidate.left),
    }


def _errors(evidence: AnswerEvidence) -> Sequence[ErrorFinding]:
    acts = evidence.standard.acts if evidence.standard else ()
    return classify(evidence.sample, evidence.candidate, evidence.check, acts, evidence.comparison, evidence.execution)


def _checked(evidence: AnswerEvidence) -> dict[str, object] | None:
    if evidence.check is None:
        return None
    return {
        "status": evidence.check.status.value,
        "reason": evidence.check.reason,
        "message": evidence.check.message[:500],
        "seconds": round(evidence.check.seconds, 4),
        "unchecked": sorted({text for each in evidence.check.invocations for text in each.unchecked}),
    }


def _outcome(evidence: AnswerEvidence) -> dict[str, object] | None:
    """What was expected to be left behind, each thing beside what was; None where nothing was compared."""
    left = evidence.left
    if evidence.expected is None or left is None:
        return None
    return {
        "fault": evidence.expected.fault,
        "items": [
            {**asdict(item), "difference": str(item.difference) if item.difference else ""}
            for item in left.by_gravity[:_MOST_ITEMS]
        ],
        "total": len(left.by_gravity),
        "proof": evidence.proof,
    }


def _figures(execution: Execution | None) -> dict[str, object] | None:
    if execution is None:
        return None
    return {
        "ending": execution.ending.value,
        "exit_code": execution.exit_code,
        "seconds": round(execution.seconds, 4),
        "peak_memory": execution.peak_memory,
        "dropped_bytes": execution.dropped_bytes,
    }
