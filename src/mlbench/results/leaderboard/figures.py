"""The figures of a submission as they are stored: result records without what its metadata says already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from mlbench.reasons import ErrorClass, ErrorSubclass
from mlbench.records import Policy
from mlbench.results.aggregate import summarise
from mlbench.results.leaderboard.metadata import SubmissionMetadata
from mlbench.results.models import RunRecord
from mlbench.results.result_records import Estimator, GroupKind, Metric, ResultRecord, ResultSource
from mlbench.results.statistics import Interval

Count = Annotated[int, Field(ge=0, le=10**9)]
Finite = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]
_ERRORS = {*ErrorClass, *(f"{ErrorClass.KNOWLEDGE}/{kind}" for kind in ErrorSubclass)}


def _known_error(name: str) -> str:
    if name not in _ERRORS:
        raise ValueError("is no error class")
    return name


ErrorName = Annotated[str, AfterValidator(_known_error)]
"""An error class as a log writes it: `E1`, `E2/choices`."""
_MOST_FIGURES = 5_000
"""Figures of one submission; a hostile one could fill the page."""
_KINDS = (GroupKind.ALL, GroupKind.TYPE, GroupKind.REPOSITORY)


class StoredFigure(BaseModel):
    """The part of a `ResultRecord` that differs between the records of one submission."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    policy: Policy | None
    metric: Metric
    k: Annotated[int, Field(ge=1, le=1000)]
    estimator: Estimator
    group_kind: GroupKind
    group: Annotated[str, Field(max_length=200)]
    n: Count | None
    total: Count | None
    value: Finite | None
    low: Finite | None = None
    high: Finite | None = None
    interval: Interval = Interval.NONE

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.metric is Metric.PASS_AT_K and max(self.value or 0, self.low or 0, self.high or 0) > 1:
            raise ValueError("a rate over 1")
        if self.n is not None and self.total is not None and self.n > self.total:
            raise ValueError("n is more than total")
        return self

    @property
    def key(self) -> tuple[str, ...]:
        """What the figure is of, as text."""
        policy = self.policy.value if self.policy else ""
        return policy, self.metric.value, str(self.k), self.estimator.value, self.group_kind.value, self.group

    @property
    def label(self) -> str:
        """What the figure is of, for people."""
        metric = f"pass@{self.k} {self.estimator.value}" if self.metric is Metric.PASS_AT_K else self.metric.value
        group = "all rows" if self.group_kind is GroupKind.ALL else f"{self.group_kind.value} {self.group}"
        return ", ".join(filter(None, (self.policy.value if self.policy else "", metric, group)))


class JudgedFigures(BaseModel):
    """What one judging gives.

    Attributes:
        figures: pass@k of all rows, by type and by repository, and Parameter Hit Precision of all rows.
        passed: by policy and row, whether each attempt passed; None if it has no verdict.
        errors: by policy and error class, the failed attempts; an attempt can have several classes.
        failed: by policy, the failed attempts.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    figures: Annotated[tuple[StoredFigure, ...], Field(max_length=_MOST_FIGURES)]
    passed: dict[Policy, dict[int, tuple[bool | None, ...]]]
    errors: dict[Policy, dict[ErrorName, Count]]
    failed: dict[Policy, Count]


def judged_figures(run: RunRecord, policies: Iterable[Policy]) -> JudgedFigures:
    """Return what is stored of a judged run.

    Args:
        run: the run.
        policies: those that judged it.
    """
    figures: dict[StoredFigure, None] = {}
    passed: dict[Policy, dict[int, tuple[bool | None, ...]]] = {}
    errors: dict[Policy, dict[str, int]] = {}
    failed: dict[Policy, int] = {}
    for policy in policies:
        summary = summarise(run, policy)
        kept = [record for record in summary.records if _is_kept(record)]
        figures |= dict.fromkeys(_stored(record) for record in kept)  # those without a policy come with each
        found: dict[int, list[bool | None]] = {}
        for attempt in sorted(run.attempts, key=lambda attempt: (attempt.row, attempt.number)):
            verdict = attempt.verdict(policy)
            found.setdefault(attempt.row, []).append(None if verdict is None else verdict.passed)
        passed[policy] = {row: tuple(each) for row, each in found.items()}
        errors[policy] = dict(summary.faults)
        failed[policy] = summary.overall.scored - summary.overall.passed
    return JudgedFigures(figures=tuple(figures), passed=passed, errors=errors, failed=failed)


def records(figures: Sequence[StoredFigure], metadata: SubmissionMetadata) -> list[ResultRecord]:
    """Return stored figures as result records of the submission."""
    return [
        ResultRecord(
            source=ResultSource.MEASURED,
            log="",
            model=metadata.model,
            agent=metadata.agent,
            suite=metadata.suite,
            suite_version=metadata.suite_version,
            task_version="",
            split=metadata.split,
            setting=metadata.setting,
            **dict(figure),
        )
        for figure in figures
    ]


def _is_kept(record: ResultRecord) -> bool:
    if record.metric is Metric.PASS_AT_K:
        return record.group_kind in _KINDS
    return record.group_kind is GroupKind.ALL and record.metric is not Metric.DOLLARS_PER_SOLVED


def _stored(record: ResultRecord) -> StoredFigure:
    return StoredFigure(**{name: getattr(record, name) for name in StoredFigure.model_fields})
