"""Find the logs to read in a folder; of a resumed run, only the last log counts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mlbench.records import UsageError
from mlbench.results.load_log import read_run
from mlbench.results.models import RunRecord


def read_runs(paths: Sequence[Path]) -> list[RunRecord]:
    """Read logs and folders of logs, oldest first. Logs of other tasks in a folder are skipped.

    Raises:
        UsageError: a path does not exist, a named log cannot be read, or there is no run at all.
    """
    runs: dict[str, RunRecord] = {}
    for path in paths:
        if path.is_dir():
            for file in sorted(path.glob("*.eval")):
                try:
                    run = read_run(file)
                except UsageError:
                    continue
                _keep(runs, run)
        elif path.exists():
            _keep(runs, read_run(path))
        else:
            raise UsageError(f"{path}: no such log or folder")
    if not runs:
        raise UsageError(f"no log of mlbench in {', '.join(map(str, paths))}; `mlbench eval` writes one")
    return sorted(runs.values(), key=lambda run: run.started)


def _keep(runs: dict[str, RunRecord], run: RunRecord) -> None:
    known = runs.get(run.task_id)
    if known is None or (run.scored, run.started) >= (known.scored, known.started):
        runs[run.task_id] = run
