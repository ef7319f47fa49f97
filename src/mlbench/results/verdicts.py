"""Write verdicts as JSON Lines, for other programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mlbench.records import Policy, RunError
from mlbench.results.explanations import not_compared
from mlbench.results.models import RunRecord

_NOT_WRITTEN: Any = {"total": True, "items": {"__all__": {"digits"}}}


def write_verdicts(run: RunRecord, policy: Policy, file: Path) -> None:
    """Write one JSON object per scored attempt.

    Keys: id, github_id, attempt, policy, passed, stage, reason, evidence, seconds, and:

    - `hits`: of each required argument its state (hit, wrong, absent, unbound), its place, and the value found there;
    - `errors`: class, reason and evidence of each error;
    - `php`, `semantic_php`: shares of the required arguments, in the text and in the configuration;
    - `decided_by`: the policy that decided the headline; see `ScoreRecord`;
    - `outcome`: what the run left behind, compared with the reference (`ScoredOutcome`);
    - `not_compared`: why nothing was compared; empty if something was.

    Args:
        run: the run.
        policy: whose verdicts are written.
        file: the target.

    Raises:
        RunError: the file cannot be written.
    """
    lines = []
    for attempt in sorted(run.attempts, key=lambda a: (a.row, a.number)):
        verdict = attempt.verdict(policy)
        if verdict is None:
            continue
        record = {
            "id": attempt.row,
            "github_id": attempt.github_id,
            "attempt": attempt.number,
            "policy": verdict.policy.value,
            "decided_by": attempt.decided_by.value if attempt.decided_by else None,
            "passed": verdict.passed,
            "stage": verdict.stage.value,
            "reason": verdict.reason,
            "evidence": verdict.evidence,
            "hits": {
                name: {"state": match.state, "place": match.destination, "value": match.found}
                for name, match in attempt.matches.items()
            },
            "php": attempt.php,
            "semantic_php": attempt.semantic,
            "errors": [error.model_dump(mode="json", by_alias=True) for error in attempt.faults],
            "seconds": round(verdict.seconds, 4),
            "outcome": attempt.outcome and attempt.outcome.model_dump(mode="json", exclude=_NOT_WRITTEN),
            "not_compared": not_compared(attempt),
        }
        lines.append(json.dumps(record) + "\n")
    try:
        file.write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise RunError(f"cannot write {file}: {error.strerror}") from error
