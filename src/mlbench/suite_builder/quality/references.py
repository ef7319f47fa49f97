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
    checkers, standards, rule = Checkers(place), Expectations(place.suite), Interface()
    found: dict[int, QualityFinding] = {}
    by_repository = sorted(range(len(rows)), key=lambda position: rows[position].github_id)  # keeps servers warm

    async def look(position: int) -> None:
        row = rows[position]
        name = place.suite.repository_of(row.github_id).name
        checker = checkers.of(name)  # it caches the check: the reference is also the candidate
        candidate = Candidate(row.output, row.kind, "reference")
        standard = await standards.of(row, checker)
        check = await checker.check(candidate, row.path, row.prefix_code)
        accepted = check.status is CheckStatus.ACCEPTED
        verdict = rule.before(AnswerEvidence(row, candidate, check, standard)) if accepted else rule.refused(check)
        unbound = tuple(
            tie.argument for tie in standard.bindings if tie.wanted and not tie.destinations and not tie.written
        )
        found[position] = QualityFinding(
            row.id, name, verdict.passed, verdict.reason, verdict.evidence[:500], unbound, check.seconds
        )
        told(len(found))

    try:
        await each(by_repository, look, place.workers)
    finally:
        await checkers.close()
    return [found[position] for position in range(len(rows))]
