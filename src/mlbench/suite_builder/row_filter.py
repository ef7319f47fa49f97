"""Step 7: rows are made and looked at, and what is refused among them is taken out of the recipes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mlbench.records import Sample
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.runtime import machine
from mlbench.suite_builder.quality.findings import QualityFinding, write_findings
from mlbench.suite_builder.quality.references import references
from mlbench.suite_builder.quality.rows import rows as looked_at
from mlbench.suite_builder.review.editing import with_exclusion
from mlbench.suite_builder.types import BuildDecision
from mlbench.suites.origins import origin_of
from mlbench.suites.suite import forget, load_rows

ROUNDS = 3
"""How often single rows are taken out and others come in their place; after that, whole tasks go."""


@dataclass(frozen=True)
class Round:
    """All rows of a suite, `quarter` being in `full`, and what was found.

    Attributes:
        refused: by the row's id, for those that are at fault.
    """

    rows: tuple[Sample, ...]
    findings: tuple[QualityFinding, ...]
    refused: dict[int, QualityFinding]


async def look(folder: Path, workers: int) -> Round:
    """Make the rows from the recipes as they stand, and hold each against the rules and the interface check."""
    name = str(folder.resolve())
    forget()
    machine.cache_clear()
    splits = load_rows(name)
    rows = tuple(row for split, part in splits.items() if split != "quarter" for row in part)
    place = machine("bubblewrap", name, Limits(), workers)
    findings = (*looked_at(name, splits), *await references(name, rows, place))
    return Round(rows, findings, {each.row: each for each in findings if not each.passed})


def take_out(folder: Path, looked: Round, attempt: int) -> list[BuildDecision]:
    """Rows that were refused make no row any more; a task most of whose rows were, or any at last, goes as a whole.

    Args:
        attempt: how often rows were taken out before.

    Returns:
        What was taken out, and why.
    """
    name = str(folder.resolve())
    all_of: Counter[Path] = Counter()
    lost: dict[Path, list[Sample]] = defaultdict(list)
    for row in looked.rows:
        file = _recipe(folder, name, row)
        all_of[file] += 1
        if row.id in looked.refused:
            lost[file].append(row)
    decisions = [_decision(name, row, looked.refused[row.id]) for rows in lost.values() for row in rows]
    for file, rows in lost.items():
        if attempt >= ROUNDS or 2 * len(rows) > all_of[file]:
            reasons = Counter(looked.refused[row.id].reason for row in rows).most_common(3)
            why = ", ".join(f"{count} x {reason}" for reason, count in reasons)
            decisions.append(BuildDecision("quality", file.stem, False, reasons[0][0], f"rows refused: {why}"))
            file.unlink()
        else:
            _exclude(name, file, rows, looked.refused)
    return decisions


def settled(folder: Path, looked: Round) -> list[BuildDecision]:
    """The decisions on the rows that stay; what was found on their references goes into `references.jsonl`."""
    name = str(folder.resolve())
    write_findings(looked.findings, folder / "references.jsonl")
    return [_decision(name, row) for row in looked.rows]


def _exclude(name: str, file: Path, rows: Sequence[Sample], refused: dict[int, QualityFinding]) -> None:
    text = file.read_text(encoding="utf-8")
    for row in rows:
        origin = origin_of(name, row.id)
        assert origin is not None
        text = with_exclusion(text, origin.combination, refused[row.id].reason)
    file.write_text(text, encoding="utf-8")


def _recipe(folder: Path, name: str, row: Sample) -> Path:
    origin = origin_of(name, row.id)
    assert origin is not None  # all rows are made from recipes
    return folder / "recipes" / origin.recipe.repository / f"{origin.recipe.task}.yaml"


def _decision(name: str, row: Sample, fault: QualityFinding | None = None) -> BuildDecision:
    origin = origin_of(name, row.id)
    assert origin is not None
    subject = f"{origin.recipe.task}: {row.arguments}"
    return BuildDecision(
        "quality", subject, fault is None, fault.reason if fault else "", fault.evidence if fault else ""
    )
