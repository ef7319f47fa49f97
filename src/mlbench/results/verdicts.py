"""Verdicts as JSON Lines, for other programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from mlbench.results.explanations import not_compared
from mlbench.results.nouns import Run
from mlbench.types import Policy, RunError


def write_verdicts(run: Run, policy: Policy, file: Path) -> None:
    """One object an attempt: id, github_id, attempt, policy, passed, stage, reason, seconds. Unscored ones have none.

    `outcome` holds what the reference left behind beside what the answer left (`OutcomeRecord`); `not_compared` says
    why nothing was compared, and is empty if something was.

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
            "passed": verdict.passed,
            "stage": verdict.stage.value,
            "reason": verdict.reason,
            "seconds": round(verdict.seconds, 4),
            "outcome": None if attempt.outcome is None else asdict(attempt.outcome),
            "not_compared": not_compared(attempt),
        }
        lines.append(json.dumps(record) + "\n")
    try:
        file.write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise RunError(f"cannot write {file}: {error.strerror}") from error
