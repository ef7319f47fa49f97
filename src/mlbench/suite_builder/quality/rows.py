"""All rules that look at rows alone: no program is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlbench.records import Sample
from mlbench.suite_builder.quality.duplicates import ComparedText, twins
from mlbench.suite_builder.quality.findings import QualityFinding
from mlbench.suite_builder.quality.instructions import faults, masked
from mlbench.suites.origins import origin_of
from mlbench.suites.suite import load_suite

TEST = "full"
QUARTER = "quarter"


def rows(suite: str, splits: Mapping[str, Sequence[Sample]]) -> list[QualityFinding]:
    """What is wrong with a suite's rows: their instructions, and what stands in the test set and in training too.

    Args:
        suite: the suite's name, as its rows are asked for.
        splits: as `load_rows` gives them; `quarter` is a part of `full` and not looked at again.
    """
    repositories = {each.github_id: each.name for each in load_suite(suite).repositories}
    found: list[QualityFinding] = []
    texts: dict[str, list[ComparedText]] = {}
    for split, part in splits.items():
        if split == QUARTER:
            continue
        for row in part:
            said = said_of(suite, row)
            for fault in faults(row.instruction, said, row.output):
                found.append(
                    QualityFinding(row.id, repositories[row.github_id], False, fault.reason, fault.evidence[:500])
                )
            wording = masked(row.instruction, said)
            group = (row.github_id, row.type, row.path, row.oracle)
            texts.setdefault(split, []).append(ComparedText(row.id, group, wording, f"{row.prefix_code}\n{row.output}"))
    names = {row.id: repositories[row.github_id] for row in splits.get(TEST, ())}
    train = [text for split, part in texts.items() if split != TEST for text in part]
    for twin in twins(texts.get(TEST, []), train):
        evidence = f"row {twin.other}: {twin.likeness:.2f}"
        found.append(QualityFinding(twin.row, names[twin.row], False, twin.reason, evidence))
    return found


def said_of(suite: str, row: Sample) -> dict[str, list[str]]:
    """For each argument of a row the ways in which its value may be said; as it is wanted where there is no recipe.

    Raises:
        ValueError: there is no recipe, and the cell `arguments` is malformed.
    """
    if origin := origin_of(suite, row.id):
        return {name: origin.recipe.said[name][words] for name, words in origin.combination.items()}
    return {name: [value] for name, value in row.required().items()}
