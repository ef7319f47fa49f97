"""One long table of results: one record for each figure of each group of a run.

The terminal, the report, JSON, CSV, Markdown and the leaderboard are views of these records. No view computes a rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from mlbench.records import Policy
from mlbench.results.statistics import Interval


class Metric(StrEnum):
    """What a figure measures. Rates are between 0 and 1."""

    PASS_AT_K = "pass@k"
    PHP_PARAMETER = "php-parameter"  # the share of required values in the answers' text
    PHP_ANSWER = "php-answer"  # the share of answers that have all required values in their text
    PHP_CONFIGURATION = "php-configuration"  # the mean share of required values in the parsed configuration
    SUCCESS = "success"  # of agents: the share of attempts that pass
    SOLVED = "solved"  # of agents: how many attempts pass
    DOLLARS_PER_SOLVED = "dollars-per-solved"  # of agents: dollars of the whole run for each attempt that passes


PHP_METRICS = (Metric.PHP_PARAMETER, Metric.PHP_ANSWER, Metric.PHP_CONFIGURATION)
"""Parameter Hit Precision in the order in which it is shown."""


class Estimator(StrEnum):
    """How a figure is computed from attempts."""

    FIRST_K = "first-k"  # one of the first k attempts passes, as in the paper
    UNBIASED = "unbiased"  # 1 - C(n-c, k) / C(n, k)
    MEAN = "mean"
    SUM = "sum"


class GroupKind(StrEnum):
    """By what a run's rows are grouped."""

    ALL = "all"
    TYPE = "type"
    REPOSITORY = "repository"
    DOMAIN = "domain"
    DOCUMENTATION = "documentation"


class ResultSource(StrEnum):
    """Where a figure comes from."""

    MEASURED = "measured"
    PUBLISHED = "published"


@dataclass(frozen=True)
class ResultRecord:
    """One figure of one group of one run, or one published figure.

    Attributes:
        log: file name of the log; of a published figure, the paper and its table.
        model: empty if an agent asked no model.
        agent: empty if a model answered.
        suite_version: empty in old logs and in the papers.
        policy: None if the metric does not depend on a policy.
        k: attempts that count for pass@k; 1 for other metrics.
        group: the name within its kind; `all` for all rows.
        n: what the value is a share of: rows, answers or parameters; None if a paper does not say it.
        total: the same count, also of what was not scored or has fewer than k scored attempts.
        value: a share between 0 and 1, a count, or dollars; None if there is none.
        low, high: the 95 % interval; None if there is none.
        interval: how the interval was made.
        tokens_in, tokens_out, dollars: of the group's attempts; None if unknown.
        seconds: the sum of the attempts' working time; None if unknown.
        doubt: why a published figure cannot be right as printed, or why a measured one has no value.
    """

    source: ResultSource
    log: str
    model: str
    agent: str
    suite: str
    suite_version: str
    task_version: str
    split: str
    setting: str
    policy: Policy | None
    metric: Metric
    k: int
    estimator: Estimator
    group_kind: GroupKind
    group: str
    n: int | None
    total: int | None
    value: float | None
    low: float | None = None
    high: float | None = None
    interval: Interval = Interval.NONE
    tokens_in: int | None = None
    tokens_out: int | None = None
    dollars: float | None = None
    seconds: float | None = None
    doubt: str = ""
