"""Checks of rows that need no program: their instructions, and test rows that are also training rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlbench.records import Sample
from mlbench.suite_builder.quality.duplicates import ComparedText, twins
from mlbench.suite_builder.quality.findings import QualityFinding
from mlbench.suite_builder.quality.instructions import faults, masked
from mlbench.suites.rows import Origin
from mlbench.suites.suite import Suite
from mlbench.suites.wording.numbers import shares, spellings

TEST = "full"
QUARTER = "quarter"


def rows(suite: Suite, splits: Mapping[str, Sequence[Sample]]) -> list[QualityFinding]:
    """The faults of instructions, and the test rows that are (nearly) the same as a training row.

    Args:
        suite: the suite that the rows are from.
        splits: rows by split; `quarter` is a part of `full` and is not checked again.
    """
    repositories = {each.github_id: each.name for each in suite.repositories}
    findings: list[QualityFinding] = []
    texts: dict[str, list[ComparedText]] = {}
    for split, part in splits.items():
        if split == QUARTER:
            continue
        for row in part:
            said = said_of(suite, row)
            for fault in faults(row.instruction, said, row.output):
                findings.append(
                    QualityFinding(row.id, repositories[row.github_id], False, fault.reason, fault.evidence[:500])
                )
            wording = masked(row.instruction, said)
            group = (row.github_id, row.type, row.path, row.oracle)
            texts.setdefault(split, []).append(ComparedText(row.id, group, wording, f"{row.prefix_code}\n{row.output}"))
    names = {row.id: repositories[row.github_id] for row in splits.get(TEST, ())}
    train = [text for split, part in texts.items() if split != TEST for text in part]
    for twin in twins(texts.get(TEST, []), train):
        evidence = f"row {twin.other}: {twin.likeness:.2f}"
        findings.append(QualityFinding(twin.row, names[twin.row], False, twin.reason, evidence))
    return findings


def said_of(suite: Suite, row: Sample) -> dict[str, list[str]]:
    """By argument, the ways in which an instruction may say its value; without a recipe, the value itself.

    A composed instruction may spell a number otherwise: `1e-4` as `0.0001`, `0.2` as `20 %`.

    Raises:
        UsageError: the suite has no such row.
        ValueError: the row has no recipe, and its column `arguments` is malformed.
    """
    if origin := suite.row(row.id).origin:
        ways = {name: origin.recipe.said[name][words] for name, words in origin.combination.items()}
        return {name: [other for way in each for other in _spelled(origin, way)] for name, each in ways.items()}
    return {name: [value] for name, value in row.required().items()}


def _spelled(origin: Origin, way: str) -> list[str]:
    if origin.recipe.wording is None:
        return [way]
    return list(dict.fromkeys((*spellings(way, counted=True), *shares(way))))
