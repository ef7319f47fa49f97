"""The Python API: typed records, without the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mlbench
from mlbench.records import Policy, UsageError
from mlbench.suites.selection import select
from mlbench.suites.suite import load_suite


def test_evaluate_verify_report(tmp_path: Path) -> None:
    config = mlbench.RunConfig(log_dir=tmp_path / "logs", display="none")
    run = mlbench.evaluate("pocket", "mlbench/gold", split="quarter", limit=1, k=2, config=config)
    assert (run.scored, run.expected, run.each) == (2, 2, 2)
    assert all(attempt.verdicts[Policy.STRICT].passed for attempt in run.attempts)
    row = select(load_suite("pocket"), "quarter", limit=1)[0]
    (tmp_path / "outputs.jsonl").write_text(
        json.dumps({"id": row.id, "github_id": row.github_id, "output": ["nothing"]}) + "\n{"
    )
    with pytest.warns(UserWarning, match="line 2: not JSON"):
        judged = mlbench.verify(tmp_path / "outputs.jsonl", config=config)
    assert [attempt.verdicts[Policy.STRICT].reason for attempt in judged.attempts] == ["no-code"]
    assert mlbench.report(run.location, tmp_path / "page").read_text().startswith("<!")


def test_what_cannot_be_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no suite 'nosuch'"):
        mlbench.evaluate("nosuch", "mlbench/gold")
    with pytest.raises(UsageError, match="no such log or folder"):
        mlbench.report(tmp_path / "nosuch")
