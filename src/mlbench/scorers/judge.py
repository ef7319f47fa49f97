"""The scorer of every bench: extract, check against the reference, execute at most once, each policy's verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import SandboxEnvironment, concurrency, sandbox

from mlbench.invocations.checkers import Checkers
from mlbench.invocations.memory import Memory
from mlbench.invocations.standards import Standards
from mlbench.samples.origins import origin_of
from mlbench.samples.suites import sample_of
from mlbench.sandbox.candidates import execute
from mlbench.sandbox.limits import bounds
from mlbench.sandbox.machines import Machine, machine
from mlbench.types import Candidate, Ending, Execution, Policy, Sample, Status, UsageError, Verdict
from mlbench.verdict.arguments import published_hits
from mlbench.verdict.errors import classify
from mlbench.verdict.extract import extract
from mlbench.verdict.policy import VERSION, Evidence, Interface, Paper, Rule, Strict, form_fault
from mlbench.verdict.reasons import Finding

PHP, SEMANTIC_PHP = "php", "semantic_php"
"""The score's entries for Parameter Hit Precision: as published, and over the parsed configuration."""


@scorer(metrics={"*": [mean(), stderr()]})
def judge(
    suite: str,
    sandbox_type: str = "bubblewrap",
    paper_timeout: float = 10.0,
    limits: dict[str, float] | None = None,
    workers: int | None = None,
    remember: bool = True,
) -> Scorer:
    """Judge a reply under every policy. The value holds 1 or 0 per policy, and both Parameter Hit Precisions.

    Args:
        suite: the suite that the samples are from.
        paper_timeout: seconds after which the published rule takes a running program for a success.
        sandbox_type: where candidates run.
        limits: bounds of one candidate, by name. `strict` wants it to end within `seconds` of wall time; it is ended
            then, or at `paper_timeout`.
        workers: how many candidates are checked or run at the same time; as a rule the processors.
        remember: whether a verdict of the same candidate in the same place is taken from the cache.
    """
    if not paper_timeout > 0:
        raise UsageError(f"--paper-timeout {paper_timeout}: more than 0 seconds are needed")
    place = machine(sandbox_type, suite, bounds(limits), workers)
    court = Court(suite, place, paper_timeout, remember=remember)
    memory = Memory(VERSION, sandbox_type, str(place.environment), place.limits.model_dump(), paper_timeout)

    async def score(state: TaskState, target: Target) -> Score:
        sample = sample_of(suite, state.metadata["row"])
        candidate = read(state.output.completion)
        folder = place.checkouts[state.metadata["repository"]]
        asked = asdict(replace(sample, instruction="", oracle=""))
        what = [asked, court.rules_of(sample), folder.name, candidate.code.strip(), candidate.kind]

        async def judged() -> dict[str, Any]:
            box = sandbox() if place.suite.executable else None
            return await court.judged(sample, candidate, state.metadata["repository"], box)

        if remember:
            result, remembered = await memory.once(what, judged, _comes_out_the_same)
        else:
            result, remembered = await judged(), False
        metadata = {**result["metadata"], "remembered": remembered}
        return Score(value=result["value"], answer=candidate.code, explanation=result["explanation"], metadata=metadata)

    return score


def read(reply: str) -> Candidate:
    """The candidate in a reply.

    A reply that breaks a parser is an answer without code: were it an error, a model could leave the denominator.
    """
    try:
        return extract(reply)
    except Exception as error:
        return Candidate("", None, "none", f"the reply cannot be read: {type(error).__name__}")


class Court:
    """Judges the answers to one suite's samples on one machine.

    Args:
        remember: whether what the interface check found for one command is taken over for the same command.
    """

    def __init__(self, suite: str, place: Machine, paper_timeout: float, *, remember: bool = True) -> None:
        self._suite, self._place = suite, place
        self._checkers = Checkers(place, remember=remember)
        self._standards = Standards(suite)
        self._seconds = max(place.limits.seconds, paper_timeout)
        executed: tuple[Rule, ...] = (Strict(place.limits.seconds), Interface(), Paper(paper_timeout))
        self._rules = executed if place.suite.executable else (Interface(),)

    def rules_of(self, sample: Sample) -> list[object]:
        """What a verdict hangs on beside the sample, the candidate and the repository's files, as JSON can write it."""
        origin = origin_of(self._suite, sample.id)
        repository = self._place.suite.repository_of(sample.github_id)
        return [origin.recipe.model_dump() if origin else None, repository.model_dump()]

    async def judged(
        self, sample: Sample, candidate: Candidate, repository: str, box: SandboxEnvironment | None
    ) -> dict[str, Any]:
        """One candidate's score, as JSON.

        Args:
            box: where it runs, if it has to; None in a suite in which nothing is executed.

        Raises:
            SandboxUnavailableError: the machine failed, not the candidate.
        """
        async with concurrency("candidates", self._place.workers):
            evidence = await self.checked(sample, candidate, repository)
            early = {rule.policy: rule.before(evidence) for rule in self._rules}
            if box is not None and any(verdict is None for verdict in early.values()):
                env = partial(self._place.outside_env, repository)
                wanted = evidence.standard.artefacts if evidence.standard else ()
                execution = await execute(box, sample, candidate.code, self._seconds, env, True, wanted)
                evidence = replace(evidence, execution=execution)
        verdicts = [early[rule.policy] or _after(rule, evidence) for rule in self._rules]
        return _score(evidence, [verdict for verdict in verdicts if verdict is not None])

    async def close(self) -> None:
        """End what checking has started."""
        await self._checkers.close()

    async def checked(self, sample: Sample, candidate: Candidate, repository: str) -> Evidence:
        """What the interface check says, and what is right; neither where the answer's form rules it out."""
        if form_fault(sample, candidate, Policy.INTERFACE):
            return Evidence(sample, candidate)
        checker = self._checkers.of(repository)
        standard = await self._standards.of(sample, checker)
        check = await checker.check(candidate, sample.path, sample.prefix_code)
        return Evidence(sample, candidate, check, standard)


def _after(rule: Rule, evidence: Evidence) -> Verdict:
    assert evidence.execution is not None  # some rule asked for it
    return rule.after(evidence, evidence.execution)


def _comes_out_the_same(result: dict[str, Any]) -> bool:
    """Not what a bound ended, nor what could not be decided: the next time may be another."""
    execution, check = result["metadata"]["execution"], result["metadata"]["check"]
    ended = execution is None or execution["ending"] == Ending.EXITED
    return ended and (check is None or check["status"] != Status.UNDECIDED)


def _score(evidence: Evidence, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    required = evidence.sample.required()
    comparison = evidence.comparison
    value: dict[str, float] = {verdict.policy.value: float(verdict.passed) for verdict in verdicts}
    value[PHP] = published_hits(evidence.candidate.code, required).share
    value[SEMANTIC_PHP] = comparison.share if comparison else float(not required)
    first = verdicts[0]
    errors = [] if first.passed else _errors(evidence)
    return {
        "value": value,
        "explanation": f"{first.policy}: {first.stage}: {first.reason}",
        "metadata": {
            "verdicts": [asdict(verdict) for verdict in verdicts],
            "candidate": {
                "kind": evidence.candidate.kind,
                "source": evidence.candidate.source,
                "fault": evidence.candidate.fault,
            },
            "matches": [asdict(match) for match in comparison.matches] if comparison else [],
            "extras": list(comparison.extras) if comparison else [],
            "check": _checked(evidence),
            "errors": [{"class": str(e.error), "reason": e.reason, "evidence": e.evidence} for e in errors],
            "execution": _figures(evidence.execution),
        },
    }


def _errors(evidence: Evidence) -> Sequence[Finding]:
    acts = evidence.standard.acts if evidence.standard else ()
    return classify(evidence.sample, evidence.candidate, evidence.check, acts, evidence.comparison, evidence.execution)


def _checked(evidence: Evidence) -> dict[str, object] | None:
    if evidence.check is None:
        return None
    return {
        "status": evidence.check.status.value,
        "reason": evidence.check.reason,
        "message": evidence.check.message[:500],
        "seconds": round(evidence.check.seconds, 4),
        "unchecked": sorted({text for each in evidence.check.invocations for text in each.unchecked}),
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
