"""The scorer of every bench: extract, check against the reference, execute at most once, each policy's verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import sandbox

from mlbench.evals.ml_llm_bench.solver import context_overflow
from mlbench.interface_check.verdict_cache import VerdictCache
from mlbench.judging.evidence import AnswerEvidence
from mlbench.judging.extract import extract
from mlbench.judging.policy import VERSION
from mlbench.records import Candidate, CheckStatus, ExitKind, Policy, Sample, Stage, UsageError, Verdict
from mlbench.sandbox.limits import bounds
from mlbench.scoring.runtime import machine
from mlbench.scoring.scorer_core import ScorerCore, described, score_of

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
    court = ScorerCore(place, paper_timeout, remember=remember)
    memory = VerdictCache(VERSION, sandbox_type, str(place.environment), place.limits.model_dump(), paper_timeout)

    async def score(state: TaskState, target: Target) -> Score:
        sample = place.suite.row(state.metadata["row"]).sample
        stopped = {"stop_reason": state.output.stop_reason}
        overflow = context_overflow(state.output)
        if overflow is not None:
            judged_by = list(Policy) if place.suite.executable else [Policy.INTERFACE]
            result = overflowed(sample, overflow, judged_by)
            about = {**result["metadata"], **stopped, "remembered": False}
            return Score(value=result["value"], answer="", explanation=result["explanation"], metadata=about)
        candidate = read(state.output.completion)
        folder = place.checkouts[state.metadata["repository"]]
        asked = asdict(replace(sample, instruction=""))  # what the oracle shows may be set without being asked
        what = [asked, court.rules_of(sample), folder.name, candidate.code.strip(), candidate.kind, candidate.file]
        what += [] if candidate.code.strip() else [candidate.source]  # no answer, or one without code

        async def judged() -> dict[str, Any]:
            box = sandbox() if place.suite.executable else None
            return await court.judged(sample, candidate, state.metadata["repository"], box)

        if remember:
            result, remembered = await memory.once(what, judged, _comes_out_the_same)
        else:
            result, remembered = await judged(), False
        # another reply may have held the same code in another way
        own = {"candidate": described(candidate), **stopped, "remembered": remembered}
        metadata = {**result["metadata"], **own}
        return Score(value=result["value"], answer=candidate.code, explanation=result["explanation"], metadata=metadata)

    return score


def overflowed(sample: Sample, message: str, policies: Sequence[Policy]) -> dict[str, Any]:
    """The score of a row whose prompt the endpoint refused as too long: not passed, and no error of an answer."""
    verdicts = [Verdict(policy, False, Stage.EXTRACTION, "context-overflow", message) for policy in policies]
    result = score_of(AnswerEvidence(sample, Candidate("", None, "none", message)), verdicts)
    result["metadata"]["errors"] = []
    return result


def read(reply: str) -> Candidate:
    """The candidate in a reply.

    A reply that breaks a parser is an answer without code: were it an error, a model could leave the denominator.
    """
    try:
        return extract(reply)
    except Exception as error:
        return Candidate("", None, "none", f"the reply cannot be read: {type(error).__name__}")


def _comes_out_the_same(result: dict[str, Any]) -> bool:
    """Not what a bound ended, nor what could not be decided: the next time may be another."""
    execution, check = result["metadata"]["execution"], result["metadata"]["check"]
    ended = execution is None or execution["ending"] == ExitKind.EXITED
    return ended and (check is None or check["status"] != CheckStatus.UNDECIDED)
