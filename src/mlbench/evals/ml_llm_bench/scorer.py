"""The scorer of ML-LLM-Bench: extract, check, execute at most once, apply every policy."""

from __future__ import annotations

from collections.abc import Sequence

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import sandbox

from mlbench.evals.ml_llm_bench.solver import context_overflow
from mlbench.judging.evidence import AnswerEvidence
from mlbench.judging.extract import read_reply
from mlbench.reasons import Reason
from mlbench.records import Candidate, Policy, Sample, Stage, UsageError, Verdict
from mlbench.sandbox.limits import bounds
from mlbench.score_records import ScoreRecord
from mlbench.scoring.build_record import score_of, scored_candidate
from mlbench.scoring.runtime import machine
from mlbench.scoring.stored_scorer import StoredScorer


@scorer(metrics={"*": [mean(), stderr()]})
def judge(
    suite: str,
    sandbox_type: str = "bubblewrap",
    paper_timeout: float = 10.0,
    limits: dict[str, float] | None = None,
    workers: int | None = None,
    remember: bool = True,
    policy: Policy | None = None,
    gpus: bool = False,
    execute: bool = True,
    repositories: Sequence[str] = (),
) -> Scorer:
    """Judge a reply under every policy.

    The value holds 1 or 0 per policy, and both shares of Parameter Hit Precision.

    Args:
        suite: the suite of the samples.
        sandbox_type: the sandbox provider of the candidates.
        paper_timeout: seconds after which a running program passes under `paper`.
        limits: bounds of one candidate, by name. Under `strict` it must end within `seconds` of wall time. It is
            stopped then, or at `paper_timeout` if that is later.
        workers: parallel candidates (default: number of CPUs).
        remember: whether to use the verdict cache.
        policy, gpus, execute, repositories: see `machine`.

    Raises:
        UsageError: `paper_timeout` is not positive.
    """
    if not paper_timeout > 0:
        raise UsageError(f"--paper-timeout {paper_timeout}: more than 0 seconds are needed")
    runtime = machine(sandbox_type, suite, bounds(limits), workers, policy, gpus, execute, tuple(repositories))
    stored = StoredScorer(runtime, paper_timeout, remember=remember)

    async def score(state: TaskState, target: Target) -> Score:
        sample = runtime.suite.row(state.metadata["row"]).sample
        stop_reason = state.output.stop_reason
        overflow = context_overflow(state.output)
        if overflow is not None:
            record = overflowed(sample, overflow, runtime.policies)
            return Score(**record.model_copy(update={"stop_reason": stop_reason}).parts())
        candidate = read_reply(state.output.completion)
        repository = state.metadata["repository"]
        parts, remembered = await stored.parts(
            sample, candidate, repository, lambda: sandbox() if runtime.executes(sample.id) else None
        )
        # another reply may hold the same code in another form
        own = {
            "answer": candidate.code,
            "candidate": scored_candidate(candidate),
            "stop_reason": stop_reason,
            "remembered": remembered,
        }
        return Score(**ScoreRecord.of_parts(parts).model_copy(update=own).parts())

    return score


def overflowed(sample: Sample, message: str, policies: Sequence[Policy]) -> ScoreRecord:
    """Score a row whose prompt the endpoint refused as too long: neither pass nor error.

    Args:
        sample: the sample.
        message: the endpoint's message.
        policies: the policies, the headline first.
    """
    verdicts = [Verdict(policy, False, Stage.EXTRACTION, Reason.CONTEXT_OVERFLOW, message) for policy in policies]
    record = score_of(AnswerEvidence(sample, Candidate("", None, "none", message)), verdicts)
    return record.model_copy(update={"errors": ()})
