"""Paths of logs, checked before anything that reads logs is imported."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mlbench.records import UsageError


def refuse_missing(paths: Iterable[Path]) -> None:
    """Check that every log, or folder of logs, exists.

    Raises:
        UsageError: one does not.
    """
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path}: no such log or folder; logs end in .eval or .json, by default in logs/")
