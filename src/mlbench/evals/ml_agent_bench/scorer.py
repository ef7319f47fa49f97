"""The scorer of the agent bench: what the agent left is run afresh, and what ran is held against what is right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import SandboxEnvironment, SandboxUnavailableError, concurrency, sandbox, store_as

from mlbench.agents.agent_run import AgentRun
from mlbench.interface_check.checker_pool import Checkers
from mlbench.judging.agent_policy import NO_SCRIPT, TOO_LARGE, AgentPaper, AgentStrict, operational
from mlbench.judging.entry_file import Started, started_file, through
from mlbench.judging.evidence import AnswerEvidence
from mlbench.judging.extract import candidate_of
from mlbench.judging.policy import Rule
from mlbench.judging.process_evidence import runs
from mlbench.package_index.server import failure
from mlbench.records import Candidate, Check, CheckStatus, Execution, Sample, Verdict
from mlbench.repositories.agent_env import Rebuilt
from mlbench.sandbox.execute import RIDE
from mlbench.sandbox.limits import bounds
from mlbench.sandbox.mounts import WORKSPACE
from mlbench.sandbox.submission import Submission, file_left, left, trial
from mlbench.sandbox.wheels import environment_of
from mlbench.scoring.reference_calls import Expectations
from mlbench.scoring.reference_outcomes import Outcomes
from mlbench.scoring.runtime import SuiteRuntime, machine
from mlbench.scoring.scorer_core import score_of


@scorer(metrics={"*": [mean(), stderr()]}, name="judge")
def judge_agent(
    suite: str,
    agent: str,
    limits: dict[str, float] | None = None,
    workers: int | None = None,
) -> Scorer:
    """Judge what an agent left under `strict` and `paper`; the value is that of the other benches.

    Args:
        limits: bounds of the trial, by name; `seconds` is how long `run.sh` may take.
        workers: trials at the same time; as a rule the processors.
    """
    place = machine("bubblewrap", suite, bounds(limits), workers)
    bench = AgentScorer(place)

    async def score(state: TaskState, target: Target) -> Score:
        sample = place.suite.row(state.metadata["row"]).sample
        work = store_as(AgentRun)
        found = await left(sandbox(), work.since)
        result = await bench.judged(sample, state.metadata["repository"], sandbox(), found, work, agent)
        if not result["value"]["strict"] and (why := failure(work.started)):
            raise SandboxUnavailableError(f"the package index failed while the agent worked: {why}")
        return Score(
            value=result["value"],
            answer=result["answer"],
            explanation=result["explanation"],
            metadata=result["metadata"],
        )

    return score


class AgentScorer:
    """Judges what agents left for one suite's samples on one machine."""

    def __init__(self, place: SuiteRuntime) -> None:
        self._place = place
        self._checkers = Checkers(place)
        self._standards = Expectations(place.suite)
        strict = AgentStrict(place.limits.seconds)
        self._outcomes = Outcomes(place.suite, strict)
        self._rules: tuple[Rule, ...] = (strict, AgentPaper(place.limits.seconds))

    async def judged(
        self, sample: Sample, repository: str, box: SandboxEnvironment, found: Submission, work: AgentRun, agent: str
    ) -> dict[str, Any]:
        """One sample's score, as JSON.

        Raises:
            SandboxUnavailableError: the machine failed, not the agent.
            RunError: the environment that it installed cannot be built because the index is not there.
        """
        started = None
        if sample.kind == "python" and found.script:
            started = started_file(found.script.decode(errors="replace"))
        candidate, content = await self._candidate(sample, repository, box, found, started)
        evidence = AnswerEvidence(sample, candidate)
        early = [rule.before(evidence) for rule in self._rules]
        rebuilt: Rebuilt | None = None
        if not all(early):
            rebuilt = await environment_of(found.packages)
            async with concurrency("candidates", self._place.workers):
                evidence = await self._tried(evidence, repository, rebuilt, found, started, content)
        verdicts = [verdict or _after(rule, evidence) for verdict, rule in zip(early, self._rules, strict=True)]
        more = operational(candidate.source, work.outcome, work.last_words)
        left_out = [str(pin) for pin in rebuilt.left_out] if rebuilt else []
        about = {
            "name": agent,
            "outcome": work.outcome,
            "detail": work.detail,
            "steps": work.steps,
            "seconds": round(work.seconds, 3),
            "packages": [str(pin) for pin in found.packages],
            "left_out": left_out,
            "earlier": [str(pin) for pin in rebuilt.earlier] if rebuilt else [],
            "script": (found.script or b"").decode(errors="replace")[:20_000],
        }
        result = score_of(evidence, verdicts, more, about)
        return {**result, "answer": candidate.code}

    async def _candidate(
        self, sample: Sample, repository: str, box: SandboxEnvironment, found: Submission, started: Started | None
    ) -> tuple[Candidate, bytes]:
        """What is judged: the script, or the agent's own file that it starts; where there is none, why."""
        if found.script is None:
            return Candidate("", None, NO_SCRIPT, "there is no file /workspace/run.sh"), b""
        if found.fault:
            return Candidate("", None, TOO_LARGE, found.fault), b""
        if sample.kind == "shell":
            return candidate_of(found.script.decode(errors="replace"), "shell", "run.sh"), b""
        own = started and not (self._place.checkouts[repository] / started.path).exists()
        content = await file_left(box, started.path) if started and own else None
        if started is None or content is None:  # its calls are not seen, but what it leaves behind is
            return candidate_of(found.script.decode(errors="replace"), "shell", "run.sh"), b""
        return candidate_of(content.decode(errors="replace"), "python", started.path), content

    async def _tried(
        self,
        evidence: AnswerEvidence,
        repository: str,
        rebuilt: Rebuilt,
        found: Submission,
        started: Started | None,
        content: bytes,
    ) -> AnswerEvidence:
        """With what is right, and what ran."""
        checker = self._checkers.of(repository)
        standard = await self._standards.of(evidence.sample, checker)
        script = found.script or b""
        answer = None
        if started and content:
            script = through(script.decode(errors="replace"), started, RIDE).encode()
            answer = (f"{WORKSPACE}/{started.path}", content)
        config = self._place.jail(repository).model_copy(update={"environment": str(rebuilt.folder)})
        folder = evidence.sample.path.removeprefix("./").rstrip("/") or "."
        outputs, claims = self._outcomes.globs(evidence.sample), self._outcomes.wants_claims(evidence.sample)
        wanted = standard.artefacts
        execution = await trial(config, found.archive, script, answer, wanted, folder, outputs, claims)
        check = _observed(execution)
        if check is None and evidence.candidate.code.strip():
            check = await checker.check(evidence.candidate, "." if answer is None else folder, "")
        evidence = replace(evidence, check=check, standard=standard, execution=execution)
        return await self._outcomes.completed(evidence, self._place.jail(repository), config, checker)


def _observed(execution: Execution) -> Check | None:
    """What was seen to run, as a check says it; None where nothing was seen that can be believed."""
    if execution.witness is None:
        return None
    seen = tuple(run.invocation for run in runs(execution.witness))
    return Check(CheckStatus.ACCEPTED, invocations=seen, seconds=execution.seconds) if seen else None


def _after(rule: Rule, evidence: AnswerEvidence) -> Verdict:
    assert evidence.execution is not None  # some rule asked for it
    return rule.after(evidence, evidence.execution)
