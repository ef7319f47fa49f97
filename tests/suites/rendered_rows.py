"""The rows of all splits, rendered."""

from __future__ import annotations

from typing import Any

from mlbench.records import Sample
from mlbench.suites.rows import plan_rows


def build_rows(*arguments: Any, **options: Any) -> dict[str, list[Sample]]:
    """Return the samples of all splits; arguments and errors are those of `plan_rows`."""
    return {split: [row.sample for row in rows] for split, rows in plan_rows(*arguments, **options).items()}
