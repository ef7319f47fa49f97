"""Checks every reference with the interface check, as an answer is checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlbench.interface_check.checker_pool import Checkers
from mlbench.judging.evidence import AnswerEvidence
from mlbench.judging.policy import Interface
from mlbench.records import Candidate, CheckStatus, Sample
from mlbench.scoring.reference_calls import Expectations
from mlbench.scoring.runtime import SuiteRuntime
from mlbench.suite_builder.parallel import each
from mlbench.suite_builder.quality.findings import QualityFinding


class ReferenceCheck:
    """Checks the references of a suite on this machine, with warm checkers.

    Args:
        place: the runtime of the suite.
    """

    def __init__(self, place: SuiteRuntime) -> None:
        self._place, self._rule = place, Interface()
        self._checkers, self._standards = Checkers(place), Expectations(place.suite)

    async def finding(self, row: Sample) -> QualityFinding:
        """The finding on the reference of a row.

        Raises:
            SandboxUnavailableError: the machine failed.
        """
        name = self._place.suite.repository_of(row.github_id).name
        checker = self._checkers.of(name)  # it caches the check: the reference is also the candidate
        candidate = Candidate(row.output, row.kind, "reference")
        standard = await self._standards.of(row, checker)
        check = await checker.check(candidate, row.path, row.prefix_code)
        accepted = check.status is CheckStatus.ACCEPTED
        evidence = AnswerEvidence(row, candidate, check, standard)
        verdict = self._rule.before(evidence) if accepted else self._rule.refused(check)
        unbound = tuple(
            tie.argument for tie in standard.bindings if tie.wanted and not tie.destinations and not tie.written
        )
        said = verdict.evidence[:500]
        return QualityFinding(row.id, name, verdict.passed, verdict.reason, said, unbound, check.seconds)

    async def close(self) -> None:
        """End the check servers."""
        await self._checkers.close()


async def references(
    rows: Sequence[Sample], place: SuiteRuntime, told: Callable[[int], None] = lambda done: None
) -> list[QualityFinding]:
    """The findings on the references of all rows, in the rows' order.

    Args:
        rows: the rows.
        place: the runtime of their suite.
        told: called with the number of rows that are done.

    Raises:
        SandboxUnavailableError: the machine failed.
    """
    check = ReferenceCheck(place)
    found: dict[int, QualityFinding] = {}
    by_repository = sorted(range(len(rows)), key=lambda position: rows[position].github_id)  # keeps servers warm

    async def look(position: int) -> None:
        found[position] = await check.finding(rows[position])
        told(len(found))

    try:
        await each(by_repository, look, place.workers)
    finally:
        await check.close()
    return [found[position] for position in range(len(rows))]
