"""What all exports of submissions need: the figures that count, and names that are safe in paths."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mlbench.results.leaderboard.boards import BoardEntry
from mlbench.results.leaderboard.check_record import CheckRecord
from mlbench.results.leaderboard.submission import BoardSubmission
from mlbench.results.result_records import Estimator, GroupKind, Metric, ResultRecord


@dataclass(frozen=True)
class ExportNames:
    """What other leaderboards want to know and a submission does not say.

    Attributes:
        dataset: id of the suite's dataset on the Hub.
        repository: address of the repository that holds this package.
        commit: its commit.
    """

    dataset: str = ""
    repository: str = ""
    commit: str = ""


Found = list[tuple[BoardSubmission, CheckRecord | None]]

Files = Iterator[tuple[str, str]]


def pass_rates(entry: BoardEntry) -> list[ResultRecord]:
    """The unbiased pass@k of all rows, with a value."""
    return [
        record
        for record in entry.records
        if record.policy is entry.policy
        and (record.metric, record.estimator) == (Metric.PASS_AT_K, Estimator.UNBIASED)
        and record.group_kind is GroupKind.ALL
        and record.value is not None
    ]


def two_names(model: str) -> tuple[str, str]:
    """Developer and model as safe folder names: the last two words between slashes."""
    *before, name = model.split("/")
    return safe_name(before[-1] if before else "unknown"), safe_name(name)


def safe_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-")[:100] or "unnamed"
