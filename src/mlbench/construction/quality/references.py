"""Is every reference right? Each row's goes through the interface check, as an answer does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import anyio

from mlbench.construction.quality.findings import Finding
from mlbench.invocations.check import Checker
from mlbench.invocations.checkers import Checkers
from mlbench.invocations.standards import Standards
from mlbench.sandbox.machines import Machine
from mlbench.types import Candidate, Check, Sample
from mlbench.verdict.policy import Evidence, Interface


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
            checker = Once(checkers.of(name))
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


class Once(Checker):
    """A row's checker: what it said of a candidate holds when the same is asked again.

    The row's standard is made from its reference, which is then judged as a candidate: one check serves both.
    """

    def __init__(self, checker: Checker) -> None:
        self.subject = checker.subject
        self._checker = checker
        self._said: dict[tuple[Candidate, str, str], Check] = {}

    async def check(self, candidate: Candidate, cwd: str = ".", prefix: str = "") -> Check:
        asked = (candidate, cwd, prefix)
        if asked not in self._said:
            self._said[asked] = await self._checker.check(candidate, cwd, prefix)
        return self._said[asked]

    async def close(self) -> None:
        await self._checker.close()
