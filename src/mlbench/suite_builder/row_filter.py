"""Step 7 of a build: makes the rows, checks them, and takes refused ones out of the recipes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlbench.sandbox.limits import Limits
from mlbench.scoring.runtime import machine
from mlbench.suite_builder.quality.findings import QualityFinding, write_findings
from mlbench.suite_builder.quality.references import references
from mlbench.suite_builder.quality.rows import rows as instruction_findings
from mlbench.suite_builder.review.editing import with_exclusion
from mlbench.suite_builder.types import BuildDecision
from mlbench.suites.rows import Origin, SuiteRow
from mlbench.suites.suite import forget

ROUNDS = 3
"""How often single rows are taken out and replaced by others; after that, whole tasks are removed."""


@dataclass(frozen=True)
class Round:
    """All rows of a suite (`quarter` is a part of `full`) and the findings on them.

    Attributes:
        refused: by row id, the finding that refuses the row.
    """

    rows: tuple[SuiteRow, ...]
    findings: tuple[QualityFinding, ...]
    refused: dict[int, QualityFinding]


Noted = tuple[str, BuildDecision]
"""A decision with the name of its repository."""


async def look(folder: Path, workers: int, show: Callable[[int, int], None] = lambda done, of: None) -> Round:
    """Make the rows from the present recipes, and check each by the row rules and the interface check.

    Args:
        folder: the suite's folder.
        workers: references checked in parallel.
        show: called with the number of checked rows and of all rows.

    Raises:
        SandboxUnavailableError: the machine failed.
        UsageError: a recipe is malformed, or there are too few combinations.
    """
    forget()
    machine.cache_clear()
    runtime = machine("bubblewrap", str(folder.resolve()), Limits(), workers)
    suite = runtime.suite
    rows = tuple(row for split, part in suite.splits.items() if split != "quarter" for row in part)
    findings = (
        *instruction_findings(suite, suite.samples()),
        *await references([row.sample for row in rows], runtime, lambda done: show(done, len(rows))),
    )
    return Round(rows, findings, {each.row: each for each in findings if not each.passed})


def take_out(folder: Path, looked: Round, attempt: int) -> list[Noted]:
    """Exclude refused rows from their recipes, and remove the recipes that have too many.

    A recipe is removed if more than half of its rows were refused, or any row after `ROUNDS` attempts.

    Args:
        folder: the suite's folder.
        looked: the rows and the findings on them.
        attempt: how often rows were taken out before.

    Returns:
        What was taken out, and why.
    """
    all_of: Counter[Path] = Counter()
    refused: dict[Path, list[SuiteRow]] = defaultdict(list)
    for row in looked.rows:
        recipe = _origin(row).recipe
        file = folder / "recipes" / recipe.repository / f"{recipe.task}.yaml"
        all_of[file] += 1
        if row.id in looked.refused:
            refused[file].append(row)
    decisions = [_decision(row, looked.refused[row.id]) for rows in refused.values() for row in rows]
    for file, rows in refused.items():
        if attempt >= ROUNDS or 2 * len(rows) > all_of[file]:
            reasons = Counter(looked.refused[row.id].reason for row in rows).most_common(3)
            why = ", ".join(f"{count} x {reason}" for reason, count in reasons)
            gone = BuildDecision("quality", file.stem, False, reasons[0][0], f"rows refused: {why}")
            decisions.append((file.parent.name, gone))
            file.unlink()
        else:
            _exclude(file, rows, looked.refused)
    return decisions


def settled(folder: Path, looked: Round) -> list[Noted]:
    """Write the findings on references into `references.jsonl`; returns the decisions on the rows that stay."""
    write_findings(looked.findings, folder / "references.jsonl")
    return [_decision(row) for row in looked.rows]


def _exclude(file: Path, rows: Sequence[SuiteRow], refused: dict[int, QualityFinding]) -> None:
    text = file.read_text(encoding="utf-8")
    for row in rows:
        text = with_exclusion(text, _origin(row).combination, refused[row.id].reason)
    file.write_text(text, encoding="utf-8")


def _decision(row: SuiteRow, fault: QualityFinding | None = None) -> Noted:
    recipe = _origin(row).recipe
    reason, why = (fault.reason, fault.evidence) if fault else ("", "")
    return recipe.repository, BuildDecision(
        "quality", f"{recipe.task}: {row.sample.arguments}", fault is None, reason, why
    )


def _origin(row: SuiteRow) -> Origin:
    assert row.origin is not None  # every row of a suite that is being built has a recipe
    return row.origin
