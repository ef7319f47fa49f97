"""Compute the records of one group of a run's attempts; no other module computes these figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from mlbench.records import Policy
from mlbench.results.models import AttemptRecord, RunRecord
from mlbench.results.pass_at_k import Tally, any_of_first, estimated
from mlbench.results.prices import NoPrice, price_of
from mlbench.results.result_records import Estimator, GroupKind, Metric, ResultRecord, ResultSource
from mlbench.results.statistics import Rate
from mlbench.results.usage import total_usage

PUBLISHED_KS = (1, 2, 5)
"""The k of pass@k that the paper reports."""


def ks_of(attempts: int) -> list[int]:
    """Return the k of pass@k to show: 1, the number of attempts, and the paper's k between them."""
    return sorted({k for k in (*PUBLISHED_KS, attempts) if 1 <= k <= attempts})


@dataclass(frozen=True)
class AttemptGroup:
    """Attempts of a run that have one thing in common.

    Attributes:
        samples, total: rows and attempts, also those that an interrupted run never began.
    """

    run: RunRecord
    policy: Policy
    kind: GroupKind
    name: str
    attempts: Sequence[AttemptRecord]
    samples: int
    total: int


def group_records(group: AttemptGroup, counted: Sequence[Tally]) -> Iterator[ResultRecord]:
    """Yield every figure of a group: pass@k, Parameter Hit Precision, and, of agents, success and dollars.

    Args:
        group: the attempts.
        counted: which of each row's scored attempts passed.
    """
    run = group.run
    usage = total_usage(attempt.usage for attempt in group.attempts)
    shared = ResultRecord(
        source=ResultSource.MEASURED,
        log=PurePath(run.location).name,
        model=run.model if run.asks_model else "",
        agent=run.agent,
        suite=run.suite,
        suite_version=run.suite_version,
        task_version=run.version.partition(",")[0],
        split=run.split,
        setting=run.setting,
        policy=group.policy,
        metric=Metric.PASS_AT_K,
        k=1,
        estimator=Estimator.UNBIASED,
        group_kind=group.kind,
        group=group.name,
        n=0,
        total=group.samples,
        value=None,
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        dollars=usage.cost,
        seconds=sum(attempt.seconds for attempt in group.attempts),
    )
    ks = ks_of(run.each)
    means = estimated(counted, ks)
    for k in ks:
        yield _rate(replace(shared, k=k, estimator=Estimator.FIRST_K), any_of_first(counted, k))
        yield _rate(replace(shared, k=k), means[k])
    yield from hit_records(shared, group.attempts, group.total)
    if run.agent:
        if 1 in means:  # one attempt a row is the mean over attempts
            yield _rate(replace(shared, metric=Metric.SUCCESS, estimator=Estimator.MEAN), means[1])
        yield from _of_agents(replace(shared, estimator=Estimator.SUM, total=group.total), group, counted)


def _rate(record: ResultRecord, rate: Rate) -> ResultRecord:
    return replace(record, n=rate.samples, value=rate.value, low=rate.low, high=rate.high, interval=rate.interval)


def hit_records(shared: ResultRecord, attempts: Iterable[AttemptRecord], total: int) -> Iterator[ResultRecord]:
    """Yield Parameter Hit Precision over the scored answers (ML-Bench v1), from the share that each score records.

    It has no policy, because it looks for values and does not judge.

    Args:
        shared: what the records have in common.
        attempts: the attempts.
        total: attempts, also those without a score.
    """
    scored = [attempt for attempt in attempts if attempt.php is not None]
    counts = [len(attempt.required) for attempt in scored]
    parameters, answers = sum(counts), len(scored)
    hit = sum(round((attempt.php or 0.0) * count) for attempt, count in zip(scored, counts, strict=True))
    complete = sum(attempt.php == 1.0 for attempt in scored)
    semantic = sum(attempt.semantic or 0.0 for attempt in scored)
    for metric, amount, n, of in (
        (Metric.PHP_PARAMETER, hit, parameters, parameters),
        (Metric.PHP_ANSWER, complete, answers, total),
        (Metric.PHP_CONFIGURATION, semantic, answers, total),
    ):
        value = amount / n if n else None
        yield replace(shared, policy=None, metric=metric, estimator=Estimator.MEAN, n=n, total=of, value=value)


def _of_agents(shared: ResultRecord, group: AttemptGroup, counted: Sequence[Tally]) -> Iterator[ResultRecord]:
    solved, scored = sum(tally.c for tally in counted), sum(tally.n for tally in counted)
    yield replace(shared, metric=Metric.SOLVED, n=scored, value=solved)
    if group.kind is GroupKind.ALL:
        price = price_of(group.run, [attempt.usage for attempt in group.run.attempts], solved)
        yield replace(
            shared,
            metric=Metric.DOLLARS_PER_SOLVED,
            n=solved,
            total=scored,
            value=None if isinstance(price, NoPrice) else price,
            doubt=price.value if isinstance(price, NoPrice) else "",
        )


def tallies(attempts: Iterable[AttemptRecord], policy: Policy) -> list[Tally]:
    """Return for each row which of its scored attempts passed, in order.

    Rows without a scored attempt are left out.
    """
    passes: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    for attempt in attempts:
        if (verdict := attempt.verdict(policy)) is not None:
            passes[attempt.row].append((attempt.number, verdict.passed))
    return [Tally(tuple(passed for _, passed in sorted(passes[row]))) for row in sorted(passes)]
