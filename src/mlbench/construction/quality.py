"""Is every reference right? Each row's goes through the interface check, as an answer does."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

from mlbench.invocations.checkers import Checkers
from mlbench.invocations.standards import Standards
from mlbench.sandbox.machines import Machine
from mlbench.types import Candidate, RunError, Sample
from mlbench.verdict.policy import Evidence, Interface


@dataclass(frozen=True)
class Finding:
    """What the interface policy says of one row's reference.

    Attributes:
        unbound: required arguments that the reference carries nowhere; no answer is held to them.
    """

    row: int
    repository: str
    passed: bool
    reason: str
    evidence: str
    unbound: tuple[str, ...]
    seconds: float

    @property
    def undecided(self) -> bool:
        return self.reason.startswith("undecided")


async def references(
    suite: str, rows: Sequence[Sample], place: Machine, told: Callable[[int], None] = lambda done: None
) -> list[Finding]:
    """The findings of all rows, in their order.

    Args:
        suite: the suite's name, as its rows are asked for.
        told: is told how many are done.

    Raises:
        SandboxUnavailableError: the machine failed.
    """
    checkers, standards, rule = Checkers(place), Standards(suite), Interface()
    found: dict[int, Finding] = {}
    by_repository = sorted(range(len(rows)), key=lambda position: rows[position].github_id)  # warm servers stay warm
    waiting = iter(by_repository)

    async def work() -> None:
        for position in waiting:
            row = rows[position]
            name = place.suite.repository_of(row.github_id).name
            checker = checkers.of(name)
            candidate = Candidate(row.output, row.kind, "reference")
            standard = await standards.of(row, checker)
            check = await checker.check(candidate, row.path, row.prefix_code)
            verdict = rule.before(Evidence(row, candidate, check, standard))
            unbound = tuple(tie.argument for tie in standard.ties if tie.wanted and not tie.places and not tie.written)
            found[position] = Finding(
                row.id, name, verdict.passed, verdict.reason, verdict.evidence[:500], unbound, check.seconds
            )
            told(len(found))

    try:
        async with anyio.create_task_group() as group:
            for _ in range(place.workers):
                group.start_soon(work)
    finally:
        await checkers.close()
    return [found[position] for position in range(len(rows))]


def write_findings(findings: Sequence[Finding], file: Path) -> None:
    """One JSON object a row.

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


def by_repository(findings: Sequence[Finding]) -> dict[str, Counter[str]]:
    """For each repository: rows, `passed`, `undecided`, `unbound`, and each reason of those that do not pass."""
    counts: dict[str, Counter[str]] = {}
    for each in findings:
        found = counts.setdefault(each.repository, Counter())
        found.update(["rows", *(["passed"] if each.passed else [each.reason])])
        found.update(["undecided"] if each.undecided else [])
        found.update(["unbound"] if each.unbound else [])
    return counts
