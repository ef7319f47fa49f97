"""Findings on rows: their record, how they are written, and how they are counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mlbench.records import RunError


@dataclass(frozen=True)
class QualityFinding:
    """The result of one rule for one row.

    Attributes:
        reason: a stable code. Of the reference: as in the interface policy's verdict. Of the instruction:
            `value-missing` `value-ambiguous` `option-string` `program-called` `code-quoted`. Across splits:
            `same-reference` `near-duplicate`.
        unbound: required arguments that were not found in the reference; answers need not have them.
        seconds: wall time of the interface check; 0 without one.
    """

    row: int
    repository: str
    passed: bool
    reason: str
    evidence: str
    unbound: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def undecided(self) -> bool:
        return self.reason.startswith("undecided")


def write_findings(findings: Sequence[QualityFinding], file: Path) -> None:
    """Write one JSON object per finding.

    Raises:
        RunError: the file cannot be written.
    """
    lines = [
        {
            "id": each.row,
            "repository": each.repository,
            "passed": each.passed,
            "reason": each.reason,
            "evidence": each.evidence,
            "unbound": list(each.unbound),
        }
        for each in findings
    ]
    try:
        file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise RunError(f"cannot write {file}: {error.strerror}") from error


def by_repository(findings: Sequence[QualityFinding]) -> dict[str, Counter[str]]:
    """Counts by repository: rows, `passed`, `undecided`, `unbound`, and reasons."""
    counts: dict[str, Counter[str]] = {}
    for each in findings:
        found = counts.setdefault(each.repository, Counter())
        found.update(["rows", *(["passed"] if each.passed else [each.reason])])
        found.update(["undecided"] if each.undecided else [])
        found.update(["unbound"] if each.unbound else [])
    return counts
