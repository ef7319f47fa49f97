"""Figures over a run: pass@k, Parameter Hit Precision, what was scored, where answers ended, what it cost.

What was not scored leaves the denominator and stays in sight: every group says scored/total.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mlbench.records import Policy, Stage
from mlbench.results.models import AttemptRecord, RunRecord, types_of
from mlbench.results.statistics import Rate, Tally, any_of_first, estimated

PUBLISHED_KS = (1, 2, 5)
"""The k of pass@k that the paper reports."""


def ks_of(attempts: int) -> list[int]:
    """The k of pass@k that are shown for so many attempts a sample: 1, this number, and the paper's between them."""
    return sorted({k for k in (*PUBLISHED_KS, attempts) if 1 <= k <= attempts})


@dataclass(frozen=True)
class PassAt:
    """pass@k, both ways: `first` is the paper's "any of the first k attempts passes", `unbiased` is
    1 - C(n-c, k) / C(n, k). Of `total` samples, `scored` have at least k scored attempts and count."""

    k: int
    first: Rate
    unbiased: Rate
    scored: int
    total: int


@dataclass(frozen=True)
class HitPrecision:
    """Parameter Hit Precision (ML-Bench v1), over the scored answers.

    `per_parameter`: the share of required arguments whose value stands in the answer; `per_generation`: the
    share of answers in which all do. `semantic`: the mean share of those that the answer's configuration has at the
    right place. None where there is nothing to count.
    """

    per_parameter: float | None
    per_generation: float | None
    semantic: float | None
    parameters: int
    generations: int


@dataclass(frozen=True)
class Group:
    """Some attempts of a run under one policy: all, one kind of answer, or one repository."""

    name: str
    samples: int
    total: int
    scored: int
    passed: int
    at: tuple[PassAt, ...]
    hits: HitPrecision

    def pass_at(self, k: int) -> PassAt | None:
        """None where there are not k attempts a sample."""
        return next((at for at in self.at if at.k == k), None)


@dataclass(frozen=True)
class Summary:
    """A run under one policy.

    `outcomes` counts the scored attempts by (stage, reason, passed), most frequent first; `faults` counts those that do
    not pass by kind of error, of which an answer may have several. Tokens and dollars are those of the whole run,
    `seconds` its wall time, `working` the sum over attempts. `cut` counts the scored answers that ended at the limit of
    tokens.
    """

    run: RunRecord
    policy: Policy
    overall: Group
    by_type: tuple[Group, ...]
    by_repository: tuple[Group, ...]
    outcomes: tuple[RowOutcome, ...]
    faults: Mapping[str, int]
    tokens_in: int
    tokens_out: int
    cost: float | None
    seconds: float
    working: float
    cut: int

    def stages(self) -> dict[Stage, int]:
        """How many scored attempts were decided at each stage."""
        counts: Counter[Stage] = Counter()
        for outcome in self.outcomes:
            counts[outcome.stage] += outcome.count
        return {stage: counts[stage] for stage in Stage}


@dataclass(frozen=True)
class RowOutcome:
    """How many scored attempts ended so."""

    stage: Stage
    reason: str
    passed: bool
    count: int


def summarise(run: RunRecord, policy: Policy) -> Summary:
    """All figures of a run under one policy. The same run gives the same figures, intervals included."""
    attempts = run.attempts
    by_repository: dict[str, list[AttemptRecord]] = defaultdict(list)
    for attempt in attempts:
        by_repository[attempt.repository].append(attempt)
    overall = _group("all", attempts, policy, run.each, run.expected)
    by_type = [(kind, [attempt for attempt in attempts if attempt.type == kind]) for kind in types_of(run)]
    return Summary(
        run=run,
        policy=policy,
        overall=overall,
        by_type=tuple(_group(kind, some, policy, run.each) for kind, some in by_type),
        by_repository=tuple(_group(name, by_repository[name], policy, run.each) for name in sorted(by_repository)),
        outcomes=tuple(outcomes(attempts, policy)),
        faults=faults(attempts, policy),
        tokens_in=run.usage.tokens_in,
        tokens_out=run.usage.tokens_out,
        cost=run.usage.cost,
        seconds=run.seconds,
        working=sum(attempt.seconds for attempt in attempts),
        cut=sum(attempt.cut for attempt in attempts),
    )


def _group(
    name: str, attempts: Sequence[AttemptRecord], policy: Policy, each: int, expected: int | None = None
) -> Group:
    counted = tallies(attempts, policy)
    total = expected or len(attempts)
    # rows that a broken-off run never came to are known by their number only
    samples = max(len({attempt.row for attempt in attempts}), total // each if expected else 0)
    ks = ks_of(each)
    estimates = estimated(counted, ks)
    return Group(
        name=name,
        samples=samples,
        total=total,
        scored=sum(tally.n for tally in counted),
        passed=sum(tally.c for tally in counted),
        at=tuple(
            PassAt(k, any_of_first(counted, k), estimates[k], sum(tally.n >= k for tally in counted), samples)
            for k in ks
        ),
        hits=hit_precision(attempts),
    )


def tallies(attempts: Iterable[AttemptRecord], policy: Policy) -> list[Tally]:
    """For each row, in order, whether its scored attempts passed, by their number; rows without any are left out."""
    passes: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    for attempt in attempts:
        if (verdict := attempt.verdict(policy)) is not None:
            passes[attempt.row].append((attempt.number, verdict.passed))
    return [Tally(tuple(passed for _, passed in sorted(passes[row]))) for row in sorted(passes)]


def hit_precision(attempts: Iterable[AttemptRecord]) -> HitPrecision:
    """Parameter Hit Precision, from each score's share of the published rule."""
    scored = [attempt for attempt in attempts if attempt.php is not None]
    counts = [len(attempt.required) for attempt in scored]
    hit = sum(round((attempt.php or 0.0) * count) for attempt, count in zip(scored, counts, strict=True))
    complete = sum(attempt.php == 1.0 for attempt in scored)
    return HitPrecision(
        per_parameter=hit / sum(counts) if sum(counts) else None,
        per_generation=complete / len(scored) if scored else None,
        semantic=sum(attempt.semantic or 0.0 for attempt in scored) / len(scored) if scored else None,
        parameters=sum(counts),
        generations=len(scored),
    )


def outcomes(attempts: Iterable[AttemptRecord], policy: Policy) -> list[RowOutcome]:
    """Stages and reasons by frequency, the stages' order where equal."""
    stages = list(Stage)
    counts: Counter[tuple[Stage, str, bool]] = Counter()
    for attempt in attempts:
        if (verdict := attempt.verdict(policy)) is not None:
            counts[verdict.stage, verdict.reason, verdict.passed] += 1
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], stages.index(entry[0][0]), entry[0][1]))
    return [RowOutcome(stage, reason, passed, count) for (stage, reason, passed), count in ordered]


def faults(attempts: Iterable[AttemptRecord], policy: Policy) -> dict[str, int]:
    """How many of the attempts that do not pass have an error of each kind (E1, E2/choices, ...), by its name."""
    counts: Counter[str] = Counter()
    for attempt in attempts:
        if (verdict := attempt.verdict(policy)) is not None and not verdict.passed:
            counts.update({fault.kind for fault in attempt.faults})
    return dict(sorted(counts.items()))
