"""The score record of one answer, built from the evidence and the verdicts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlbench.judging.arguments import published_hits
from mlbench.judging.error_taxonomy import ErrorFinding
from mlbench.judging.errors import classify
from mlbench.judging.evidence import AnswerEvidence
from mlbench.reasons import Reason
from mlbench.records import Candidate, Check, Execution, Verdict
from mlbench.score_records import (
    PHP,
    SEMANTIC_PHP,
    ScoredAgent,
    ScoredArgument,
    ScoredCandidate,
    ScoredCheck,
    ScoredError,
    ScoredExecution,
    ScoredItem,
    ScoredOutcome,
    ScoreRecord,
)

_MOST_ITEMS = 100  # of an outcome, kept in a record
_MOST_MESSAGE = 500  # characters of a check's message


def score_of(
    evidence: AnswerEvidence,
    verdicts: Sequence[Verdict],
    more: Sequence[ErrorFinding] = (),
    agent: ScoredAgent | None = None,
) -> ScoreRecord:
    """Build the record of one answer.

    Args:
        evidence: everything that is known of the answer.
        verdicts: one per policy; the first is the headline.
        more: further errors, recorded only if the headline verdict is not a pass.
        agent: an agent's work before it was scored.
    """
    required = evidence.sample.required()
    comparison = evidence.comparison
    value = {
        v.policy.value: math.nan if v.unscored else float(v.passed) for v in verdicts
    }  # NaN: not scored, in Inspect
    value[PHP] = published_hits(evidence.candidate.code, required).share
    value[SEMANTIC_PHP] = comparison.share if comparison else float(not required)
    first = verdicts[0]
    # without code, `more` already says that there is no answer; without its packages, the answer did not run
    silent = (more and not evidence.candidate.code) or first.reason == Reason.MISSING_PACKAGE
    own = () if silent else _errors(evidence)
    errors = [] if first.passed or first.unscored else [*more, *own]
    matches = comparison.matches if comparison else ()
    return ScoreRecord(
        value=value,
        explanation=f"{first.policy}: {first.stage}: {first.reason}",
        answer=evidence.candidate.code,
        verdicts=tuple(verdicts),
        decided_by=first.policy,
        candidate=scored_candidate(evidence.candidate),
        matches=tuple(
            ScoredArgument(
                argument=match.argument,
                state=match.state.value,
                destination=match.destination,
                expected=match.expected,
                found=match.found,
            )
            for match in matches
        ),
        extras=comparison.extras if comparison else (),
        check=_check(evidence.check) if evidence.check else None,
        errors=tuple(ScoredError(error_class=str(e.error), reason=e.reason, evidence=e.evidence) for e in errors),
        execution=_execution(evidence.execution) if evidence.execution else None,
        outcome=_outcome(evidence),
        agent=agent,
    )


def scored_candidate(candidate: Candidate) -> ScoredCandidate:
    """The record of a candidate, without its code."""
    return ScoredCandidate(
        kind=candidate.kind,
        source=candidate.source,
        fault=candidate.fault,
        file=candidate.file,
        left=candidate.left,
    )


def _errors(evidence: AnswerEvidence) -> Sequence[ErrorFinding]:
    calls = evidence.expectation.call_sites if evidence.expectation else ()
    return classify(evidence.sample, evidence.candidate, evidence.check, calls, evidence.comparison, evidence.execution)


def _check(check: Check) -> ScoredCheck:
    return ScoredCheck(
        status=check.status,
        reason=check.reason,
        message=check.message[:_MOST_MESSAGE],
        seconds=round(check.seconds, 4),
        unchecked=tuple(sorted({text for invocation in check.invocations for text in invocation.unchecked})),
    )


def _outcome(evidence: AnswerEvidence) -> ScoredOutcome | None:
    """The compared items, the gravest first; None if nothing was compared."""
    left = evidence.left
    if evidence.expected is None or left is None:
        return None
    items = left.by_gravity
    return ScoredOutcome(
        fault=evidence.expected.fault,
        items=tuple(
            ScoredItem(
                kind=item.kind,
                what=item.what,
                expected=item.expected,
                found=item.found,
                difference=str(item.difference) if item.difference else "",
                digits=item.digits,
            )
            for item in items[:_MOST_ITEMS]
        ),
        total=len(items),
        proof=evidence.proof,
    )


def _execution(execution: Execution) -> ScoredExecution:
    return ScoredExecution(
        ending=execution.ending,
        exit_code=execution.exit_code,
        seconds=round(execution.seconds, 4),
        peak_memory=execution.peak_memory,
        dropped_bytes=execution.dropped_bytes,
    )
