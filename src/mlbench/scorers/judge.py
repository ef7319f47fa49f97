"""The scorer of every bench: extract, ask the policies, run at most once, give each policy's verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import concurrency, sandbox

from mlbench.samples.suites import sample_of
from mlbench.sandbox.candidates import execute
from mlbench.sandbox.limits import bounds
from mlbench.sandbox.machines import machine
from mlbench.types import Candidate, Execution, Policy, Sample, UsageError, Verdict
from mlbench.verdict.arguments import published_hits, token_hits
from mlbench.verdict.extract import extract
from mlbench.verdict.policy import Paper, Rule, Strict

PHP = "php"
"""The score's entry for Parameter Hit Precision."""


@scorer(metrics={"*": [mean(), stderr()]})
def judge(
    suite: str,
    sandbox_type: str = "bubblewrap",
    paper_timeout: float = 10.0,
    limits: dict[str, float] | None = None,
    workers: int | None = None,
) -> Scorer:
    """Judge a reply under every policy. The value holds 1 or 0 per policy, and the Parameter Hit Precision.

    Args:
        suite: the suite that the samples are from.
        paper_timeout: seconds after which the published rule takes a running program for a success.
        sandbox_type: where candidates run.
        limits: bounds of one candidate, by name. `strict` wants it to end within `seconds` of wall time; it is ended
            then, or at `paper_timeout`.
        workers: how many candidates run at the same time; as a rule the processors.
    """
    if not paper_timeout > 0:
        raise UsageError(f"--paper-timeout {paper_timeout}: more than 0 seconds are needed")
    place = machine(sandbox_type, suite, bounds(limits), workers)
    seconds = place.limits.seconds
    rules: tuple[Rule, ...] = (Strict(seconds), Paper(paper_timeout))

    async def score(state: TaskState, target: Target) -> Score:
        sample = sample_of(suite, state.metadata["row"])
        candidate, early = _look(rules, sample, state.output.completion)
        execution = None
        if any(verdict is None for verdict in early.values()):
            env = partial(place.outside_env, state.metadata["repository"])
            async with concurrency("candidates", place.workers):
                execution = await execute(sandbox(), sample, candidate.code, max(seconds, paper_timeout), env)
        verdicts = _verdicts(rules, early, sample, candidate, execution)
        return _score(sample, candidate, verdicts, execution)

    return score


def _look(rules: Sequence[Rule], sample: Sample, reply: str) -> tuple[Candidate, dict[Policy, Verdict | None]]:
    """The candidate, and what each policy says of it before it runs.

    A reply that breaks a parser is an answer without code: were it an error, a model could leave the denominator.
    """
    try:
        candidate = extract(reply)
        return candidate, {rule.policy: rule.before(sample, candidate) for rule in rules}
    except Exception as error:
        candidate = Candidate("", None, "none", f"the reply cannot be read: {type(error).__name__}")
        return candidate, {rule.policy: rule.before(sample, candidate) for rule in rules}


def _verdicts(
    rules: Sequence[Rule],
    early: dict[Policy, Verdict | None],
    sample: Sample,
    candidate: Candidate,
    execution: Execution | None,
) -> list[Verdict]:
    verdicts = []
    for rule in rules:
        verdict = early[rule.policy]
        if verdict is None:
            assert execution is not None  # some rule asked for it
            verdict = rule.after(sample, candidate, execution)
        verdicts.append(verdict)
    return verdicts


def _score(sample: Sample, candidate: Candidate, verdicts: list[Verdict], execution: Execution | None) -> Score:
    required = sample.required()
    hits = token_hits(candidate, required)
    value: dict[str, float] = {verdict.policy.value: float(verdict.passed) for verdict in verdicts}
    value[PHP] = published_hits(candidate.code, required).share
    first = verdicts[0]
    return Score(
        value=value,
        answer=candidate.code,
        explanation=f"{first.policy}: {first.stage}: {first.reason}",
        metadata={
            "verdicts": [asdict(verdict) for verdict in verdicts],
            "candidate": {"kind": candidate.kind, "source": candidate.source, "fault": candidate.fault},
            "hits": hits.by_name,
            "execution": _figures(execution),
        },
    )


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
