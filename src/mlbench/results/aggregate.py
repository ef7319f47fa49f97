"""Statistics of a run: the records of its groups, and counts of verdicts and errors.

Attempts without a score are left out of every rate. Every group therefore states `scored` and `total`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from mlbench.reasons import VerdictReason
from mlbench.records import Completeness, Policy, Stage
from mlbench.results.group_records import AttemptGroup, group_records, tallies
from mlbench.results.models import AttemptRecord, RunRecord, types_of
from mlbench.results.result_records import Estimator, GroupKind, Metric, ResultRecord


@dataclass(frozen=True)
class PassAt:
    """pass@k of a group as two records, made in two ways.

    Attributes:
        first: the paper's rule: one of the first k attempts passes.
        unbiased: 1 - C(n-c, k) / C(n, k), for c passes in n attempts.
    """

    first: ResultRecord
    unbiased: ResultRecord

    @property
    def k(self) -> int:
        return self.unbiased.k

    @property
    def scored(self) -> int:
        """Samples that have at least k scored attempts; only these count."""
        return self.unbiased.n or 0

    @property
    def total(self) -> int:
        """All samples."""
        return self.unbiased.total or 0


@dataclass(frozen=True)
class Group:
    """Attempts of a run under one policy: all, one answer type, one repository or one domain.

    Attributes:
        records: every figure of these attempts.
    """

    name: str
    samples: int
    total: int
    scored: int
    passed: int
    records: tuple[ResultRecord, ...]

    @cached_property
    def at(self) -> tuple[PassAt, ...]:
        """pass@k for each k."""
        rates = [record for record in self.records if record.metric is Metric.PASS_AT_K]
        of = {(record.k, record.estimator): record for record in rates}
        ks = dict.fromkeys(record.k for record in rates)
        return tuple(PassAt(of[k, Estimator.FIRST_K], of[k, Estimator.UNBIASED]) for k in ks)

    def figure(self, metric: Metric) -> ResultRecord:
        """Return the record of a metric that has only one.

        Raises:
            KeyError: this group has none.
        """
        for record in self.records:
            if record.metric is metric:
                return record
        raise KeyError(metric)

    def pass_at(self, k: int) -> PassAt | None:
        """Return pass@k, or None if the samples do not have k attempts."""
        return next((at for at in self.at if at.k == k), None)


@dataclass(frozen=True)
class Summary:
    """Statistics of one run under one policy.

    Attributes:
        by_documentation: rows whose oracle is complete, and undocumented ones; empty if there are none of these.
        outcomes: scored attempts by (stage, reason, passed), most frequent first.
        faults: failed attempts by error class; an attempt can have several.
        cost: US dollars of the whole run; None if a price is unknown.
        seconds: wall time of the run.
        working: sum of the attempts' working time, in seconds.
        cut: scored answers that ended at the token limit.
    """

    run: RunRecord
    policy: Policy
    overall: Group
    by_type: tuple[Group, ...]
    by_repository: tuple[Group, ...]
    by_domain: tuple[Group, ...]
    by_documentation: tuple[Group, ...]
    outcomes: tuple[RowOutcome, ...]
    faults: Mapping[str, int]
    tokens_in: int
    tokens_out: int
    cost: float | None
    seconds: float
    working: float
    cut: int

    @property
    def records(self) -> list[ResultRecord]:
        """Every figure: all rows, then the groups by kind."""
        grouped = (self.by_type, self.by_repository, self.by_domain, self.by_documentation)
        return [record for groups in ((self.overall,), *grouped) for group in groups for record in group.records]

    @property
    def undocumented(self) -> int:
        """The number of samples whose oracle does not show all that their reference needs."""
        return sum(group.samples for group in self.by_documentation if group.name == Completeness.UNDOCUMENTED)

    def stages(self) -> dict[Stage, int]:
        """Count the scored attempts by the stage that decided."""
        counts: Counter[Stage] = Counter()
        for outcome in self.outcomes:
            counts[outcome.stage] += outcome.count
        return {stage: counts[stage] for stage in Stage}


@dataclass(frozen=True)
class RowOutcome:
    """How many scored attempts have one stage, reason and result."""

    stage: Stage
    reason: VerdictReason
    passed: bool
    count: int


def summarise(run: RunRecord, policy: Policy) -> Summary:
    """Compute all statistics of a run under one policy; deterministic, intervals included."""
    attempts = run.attempts
    by_repository: dict[str, list[AttemptRecord]] = defaultdict(list)
    by_domain: dict[str, list[AttemptRecord]] = defaultdict(list)
    for attempt in attempts:
        by_repository[attempt.repository].append(attempt)
        by_domain[attempt.domain].append(attempt)
    by_type = [(kind, [attempt for attempt in attempts if attempt.type == kind]) for kind in types_of(run)]
    by_documentation = [
        (known, [attempt for attempt in attempts if attempt.completeness is known]) for known in Completeness
    ]
    if not any(some for known, some in by_documentation if known is Completeness.UNDOCUMENTED):
        by_documentation = []

    def groups(kind: GroupKind, found: Iterable[tuple[str, Sequence[AttemptRecord]]]) -> tuple[Group, ...]:
        return tuple(_group(run, policy, kind, name, some) for name, some in found)

    return Summary(
        run=run,
        policy=policy,
        overall=overall_group(run, policy),
        by_type=groups(GroupKind.TYPE, by_type),
        by_repository=groups(GroupKind.REPOSITORY, sorted(by_repository.items())),
        by_domain=groups(GroupKind.DOMAIN, sorted(by_domain.items())),
        by_documentation=groups(GroupKind.DOCUMENTATION, [(known, some) for known, some in by_documentation if some]),
        outcomes=tuple(outcomes(attempts, policy)),
        faults=faults(attempts, policy),
        tokens_in=run.usage.tokens_in,
        tokens_out=run.usage.tokens_out,
        cost=run.usage.cost,
        seconds=run.seconds,
        working=sum(attempt.seconds for attempt in attempts),
        cut=sum(attempt.cut for attempt in attempts),
    )


def result_records(run: RunRecord, policy: Policy) -> list[ResultRecord]:
    """Return every figure of one run under one policy; a run of experiments has none.

    The order is: all rows, then the groups by kind; in each group pass@k, Parameter Hit Precision, and, of agents,
    success and dollars.
    """
    return summarise(run, policy).records if not run.experiments else []


def overall_group(run: RunRecord, policy: Policy) -> Group:
    """Return the group of all attempts of a run."""
    return _group(run, policy, GroupKind.ALL, "all", run.attempts, run.expected)


def _group(
    run: RunRecord,
    policy: Policy,
    kind: GroupKind,
    name: str,
    attempts: Sequence[AttemptRecord],
    expected: int | None = None,
) -> Group:
    """Compute a group.

    Args:
        run: the run.
        policy: the policy.
        kind: by what the attempts are grouped.
        name: the group's name.
        attempts: those of the group.
        expected: attempts that the run was to make, of the group of all.
    """
    total = expected or len(attempts)
    # an interrupted run states only the number of the rows that it never began
    samples = max(len({attempt.row for attempt in attempts}), total // run.each if expected else 0)
    counted = tallies(attempts, policy)
    made = AttemptGroup(run, policy, kind, name, attempts, samples, total)
    return Group(
        name=name,
        samples=samples,
        total=total,
        scored=sum(tally.n for tally in counted),
        passed=sum(tally.c for tally in counted),
        records=tuple(group_records(made, counted)),
    )


def outcomes(attempts: Iterable[AttemptRecord], policy: Policy) -> list[RowOutcome]:
    """Count stages and reasons, most frequent first, then in the order of the stages."""
    stages = list(Stage)
    counts: Counter[tuple[Stage, VerdictReason, bool]] = Counter()
    for attempt in attempts:
        if (verdict := attempt.verdict(policy)) is not None:
            counts[verdict.stage, verdict.reason, verdict.passed] += 1
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], stages.index(entry[0][0]), entry[0][1]))
    return [RowOutcome(stage, reason, passed, count) for (stage, reason, passed), count in ordered]


def counts_by_outcome(summaries: Iterable[Summary]) -> dict[tuple[Stage, VerdictReason, bool], list[int]]:
    """Count the attempts of each run by stage, reason and result.

    Most frequent first, then in the order of the stages and reasons, so that a page is the same each time.
    """
    stages = list(Stage)
    by_run = [{(o.stage, o.reason, o.passed): o.count for o in summary.outcomes} for summary in summaries]
    found = {key: [counts.get(key, 0) for counts in by_run] for run in by_run for key in run}
    return dict(sorted(found.items(), key=lambda entry: (-sum(entry[1]), stages.index(entry[0][0]), *entry[0][1:])))


def faults(attempts: Iterable[AttemptRecord], policy: Policy) -> dict[str, int]:
    """Count the failed attempts that have an error of each class (`E1`, `E2/choices`)."""
    counts: Counter[str] = Counter()
    for attempt in attempts:
        if (verdict := attempt.verdict(policy)) is not None and not verdict.passed:
            counts.update({fault.error_class for fault in attempt.faults})
    return dict(sorted(counts.items()))
