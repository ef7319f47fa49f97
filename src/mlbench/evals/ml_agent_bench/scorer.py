"""The scorer of ML-Agent-Bench: run the submission afresh and compare with the reference."""

from __future__ import annotations

from dataclasses import replace

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import SandboxEnvironment, SandboxUnavailableError, concurrency, sandbox, store_as

from mlbench.agents.agent_run import AgentRun
from mlbench.judging.agent_policy import AgentInterface, AgentPaper, AgentStrict, operational
from mlbench.judging.entry_file import Started, started_file, through
from mlbench.judging.evidence import AnswerEvidence
from mlbench.judging.extract import candidate_of
from mlbench.judging.policy import Rule
from mlbench.judging.process_evidence import runs
from mlbench.package_index.process_server import failure
from mlbench.reasons import Reason
from mlbench.records import Candidate, Check, CheckStatus, Execution, Policy, Sample, UsageError
from mlbench.repositories.agent_env import Rebuilt
from mlbench.sandbox.execute import RIDE
from mlbench.sandbox.limits import Limits, bounds
from mlbench.sandbox.mounts import WORKSPACE
from mlbench.sandbox.submission import Submission, file_left, left, trial
from mlbench.sandbox.wheels import environment_of
from mlbench.score_records import ScoredAgent, ScoreRecord
from mlbench.scoring.build_record import score_of
from mlbench.scoring.reference_calls import Expectations
from mlbench.scoring.runtime import SuiteRuntime, machine
from mlbench.scoring.scorer_core import ScorerCore, decided_by_interface
from mlbench.suites.suite import load_suite

_MOST_SCRIPT = 20_000  # characters of run.sh, kept in the record


@scorer(metrics={"*": [mean(), stderr()]}, name="judge")
def judge_agent(
    suite: str,
    agent: str,
    limits: dict[str, float] | None = None,
    workers: int | None = None,
    policy: Policy | None = None,
    repo: str | None = None,
) -> Scorer:
    """Judge what an agent left. The value has the same keys as for answers.

    Args:
        suite: the suite of the samples.
        agent: the agent's name, for the record.
        limits: bounds of the trial, by name; `seconds` is the wall time of `run.sh`.
        workers: parallel trials (default: number of CPUs).
        policy: see `agent_runtime`.
        repo: the one repository whose rows are judged; None for all.
    """
    runtime = agent_runtime(suite, bounds(limits), workers, Policy(policy) if policy else None, (repo,) if repo else ())
    core = AgentScorer(runtime)

    async def score(state: TaskState, target: Target) -> Score:
        sample = runtime.suite.row(state.metadata["row"]).sample
        work = store_as(AgentRun)
        submission = await left(sandbox(), work.since)
        record = await core.judged(sample, state.metadata["repository"], sandbox(), submission, work, agent)
        if not record.verdicts[0].passed and (why := failure(work.started)):
            raise SandboxUnavailableError(f"the package index failed while the agent worked: {why}")
        return Score(**record.parts())

    return score


def agent_runtime(
    suite: str,
    limits: Limits,
    workers: int | None = None,
    policy: Policy | None = None,
    repositories: tuple[str, ...] = (),
) -> SuiteRuntime:
    """Prepare this machine to judge what agents leave.

    Args:
        suite: the suite's name or folder.
        limits: bounds of the trial.
        workers: parallel trials; None for the number of CPUs.
        policy: `interface` runs nothing. `strict` runs those rows of a suite without an environment that can run here.
            None is `strict` for a suite with an environment, else `interface`.
        repositories: those that are needed; none for all.

    Raises:
        UsageError: an unknown suite, a repository is not fetched, or the policy has no place to run in.
        RunError: a checkout or the environment cannot be made.
    """
    if policy is Policy.PAPER and not load_suite(suite).executable:
        raise UsageError(f"--policy paper: {suite} has no environment in which every run.sh could run: use strict")
    execute = policy is not Policy.INTERFACE
    return machine("bubblewrap", suite, limits, workers, policy, execute=execute, repositories=repositories)


class AgentScorer(ScorerCore):
    """Judge what agents left for one suite's samples on one machine.

    Args:
        runtime: the machine; it says which policies judge.
    """

    def __init__(self, runtime: SuiteRuntime) -> None:
        strict = AgentStrict(runtime.limits.seconds)
        rules: dict[Policy, Rule] = {
            Policy.STRICT: strict,
            Policy.INTERFACE: AgentInterface(),
            Policy.PAPER: AgentPaper(runtime.limits.seconds),
        }
        own = runtime.execute and runtime.suite.executable
        policies = (Policy.STRICT, Policy.PAPER) if own else runtime.policies
        super().__init__(runtime, strict, [rules[policy] for policy in policies])
        self._submitted = Expectations(runtime.suite, as_file=True)

    async def judged(
        self,
        sample: Sample,
        repository: str,
        box: SandboxEnvironment,
        submission: Submission,
        work: AgentRun,
        agent: str,
    ) -> ScoreRecord:
        """Score one submission.

        Args:
            sample: the sample.
            repository: the repository's name.
            box: the agent's sandbox.
            submission: what the agent left in it.
            work: how the agent worked.
            agent: the agent's name.

        Raises:
            SandboxUnavailableError: the machine failed, not the agent.
            RunError: the environment that it installed cannot be built because the index is not there.
        """
        started = None
        if sample.kind == "python" and submission.script:
            started = started_file(submission.script.decode(errors="replace"))
        candidate, content = await self._candidate(sample, repository, box, submission, started)
        evidence = AnswerEvidence(sample, candidate)
        if Policy.INTERFACE in self.policies and candidate.code:
            async with concurrency("candidates", self.place.workers):
                evidence = await self._checked(evidence, repository, submission)
        runs_here = self.place.executes(sample.id)
        early = self.before(evidence) if runs_here else decided_by_interface(AgentInterface(), evidence, self.policies)
        rebuilt: Rebuilt | None = None
        if not all(early):
            setup = self.place.setups.get(repository)
            rebuilt = Rebuilt(setup.environment) if setup else await environment_of(submission.packages)
            async with concurrency("candidates", self.place.workers):
                evidence = await self._tried(evidence, repository, rebuilt, submission, started, content)
        about = ScoredAgent(
            name=agent,
            outcome=work.outcome,
            detail=work.detail,
            steps=work.steps,
            seconds=round(work.seconds, 3),
            packages=tuple(map(str, submission.packages)),
            left_out=tuple(map(str, rebuilt.left_out)) if rebuilt else (),
            earlier=tuple(map(str, rebuilt.earlier)) if rebuilt else (),
            script=(submission.script or b"").decode(errors="replace")[:_MOST_SCRIPT],
        )
        more = operational(candidate.source, work.outcome, work.last_words)
        record = score_of(evidence, self.verdicts(evidence, early), more, about)
        return record if runs_here else record.model_copy(update={"decided_by": Policy.INTERFACE})

    async def _checked(self, evidence: AnswerEvidence, repository: str, submission: Submission) -> AnswerEvidence:
        """Add the expectation, and the interface check of `run.sh` among the other files of the submission."""
        checker = self.checkers.of(repository)
        expectation = await self._submitted.of(evidence.sample, checker)
        script = candidate_of((submission.script or b"").decode(errors="replace"), "shell", "run.sh")
        check = await checker.check(script, files=submission.archive)
        return replace(evidence, check=check, expectation=expectation)

    async def _candidate(
        self, sample: Sample, repository: str, box: SandboxEnvironment, submission: Submission, started: Started | None
    ) -> tuple[Candidate, bytes]:
        """The script, or the agent's own Python file that it starts; without either, the reason why."""
        if submission.script is None:
            return Candidate("", None, Reason.NO_RUN_SCRIPT, "there is no file /workspace/run.sh"), b""
        if submission.fault:
            return Candidate("", None, Reason.WORKSPACE_NOT_CARRIED, submission.fault), b""
        if sample.kind == "shell":
            return candidate_of(submission.script.decode(errors="replace"), "shell", "run.sh"), b""
        own = started and not (self.place.checkouts[repository] / started.path).exists()
        content = await file_left(box, started.path) if started and own else None
        if started is None or content is None:  # its calls are not recorded, but its files are compared
            return candidate_of(submission.script.decode(errors="replace"), "shell", "run.sh"), b""
        return candidate_of(content.decode(errors="replace"), "python", started.path), content

    async def _tried(
        self,
        evidence: AnswerEvidence,
        repository: str,
        rebuilt: Rebuilt,
        submission: Submission,
        started: Started | None,
        content: bytes,
    ) -> AnswerEvidence:
        """Run the submission in a fresh sandbox; add expectation, execution and check."""
        checker = self.checkers.of(repository)
        expectation = await self.expectations.of(evidence.sample, checker)
        script = submission.script or b""
        answer = None
        if started and content:
            script = through(script.decode(errors="replace"), started, RIDE).encode()
            answer = (f"{WORKSPACE}/{started.path}", content)
        config = self.place.jail(repository).model_copy(update={"environment": str(rebuilt.folder)})
        folder = evidence.sample.folder
        outputs, claims = self.wanted_outputs(evidence.sample)
        wanted = expectation.artefacts
        execution = await trial(config, submission.archive, script, answer, wanted, folder, outputs, claims)
        check = _observed(execution) or evidence.check
        if check is None and evidence.candidate.code.strip():
            check = await checker.check(evidence.candidate, "." if answer is None else folder, "")
        evidence = replace(evidence, check=check, expectation=expectation, execution=execution)
        return await self.with_outcome(evidence, repository, None if repository in self.place.setups else config)


def _observed(execution: Execution) -> Check | None:
    """The witnessed invocations as a check; None if no trusted invocation was witnessed."""
    if execution.witness is None:
        return None
    seen = tuple(run.invocation for run in runs(execution.witness))
    return Check(CheckStatus.ACCEPTED, invocations=seen, seconds=execution.seconds) if seen else None
