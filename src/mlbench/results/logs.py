"""Find the logs to read in a folder; of a resumed run, only the last log counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mlbench.records import UsageError
from mlbench.results.load_log import read_run
from mlbench.results.log_paths import refuse_missing
from mlbench.results.models import RunRecord
from mlbench.results.shards import merge_shards

_MOST_REASONS = 3
"""For how many skipped logs an error says why they were skipped."""


def read_runs(paths: Sequence[Path]) -> list[RunRecord]:
    """Read logs and folders of logs, oldest first. Logs of other tasks in a folder are skipped; shards are merged.

    Raises:
        UsageError: a path does not exist, a named log cannot be read, shards do not make one run, or there is no run.
    """
    runs: dict[str, RunRecord] = {}
    skipped: list[SkippedLog] = []
    refuse_missing(paths)
    for path in paths:
        if path.is_dir():
            for file in sorted(path.glob("*.eval")):
                try:
                    run = read_run(file)
                except UsageError as error:
                    skipped.append(_skipped(file, error))
                    continue
                _keep(runs, run)
        else:
            _keep(runs, read_run(path))
    if not runs:
        raise _no_log(paths, skipped)
    return sorted(merge_shards([*runs.values()]), key=lambda run: run.started)


@dataclass(frozen=True)
class SkippedLog:
    """A log that could not be read, and why."""

    name: str
    why: str


@dataclass(frozen=True)
class GatheredRuns:
    """The runs that could be read, and the logs that could not."""

    runs: tuple[RunRecord, ...]
    skipped: tuple[SkippedLog, ...]


def gather_runs(paths: Sequence[Path], as_named: bool = False) -> GatheredRuns:
    """Read logs and folders of logs; a log that is cut off, unfinished or of another program is skipped by name.

    Args:
        paths: the logs and folders.
        as_named: keep the order of the paths; otherwise the oldest run is first.

    Raises:
        UsageError: a path does not exist, or no log is left; says why each log was skipped.
    """
    runs: dict[str, RunRecord] = {}
    skipped: list[SkippedLog] = []
    refuse_missing(paths)
    files = {file.resolve(): file for path in paths for file in logs_in(path)}
    for file in files.values():
        try:
            run = read_run(file)
            if run.experiments:
                raise UsageError(f"{file}: a log of experiments; `mlbench report` shows it")
        except UsageError as error:
            skipped.append(_skipped(file, error))
            continue
        _keep(runs, run)
    if not runs:
        raise _no_log(paths, skipped)
    merged = merge_shards([*runs.values()])
    ordered = merged if as_named else sorted(merged, key=lambda run: run.started)
    return GatheredRuns(tuple(ordered), tuple(skipped))


def _skipped(file: Path, error: UsageError) -> SkippedLog:
    return SkippedLog(file.name, str(error).removeprefix(f"{file}: "))


def _no_log(paths: Sequence[Path], skipped: Sequence[SkippedLog]) -> UsageError:
    why = "".join(f"; {log.name}: {log.why}" for log in skipped[:_MOST_REASONS])
    more = f"; and {len(skipped) - _MOST_REASONS} more" if len(skipped) > _MOST_REASONS else ""
    return UsageError(f"no log of mlbench in {', '.join(map(str, paths))}; `mlbench eval` writes one{why}{more}")


def logs_in(path: Path) -> list[Path]:
    """The logs of a folder, or the path itself."""
    if not path.is_dir():
        return [path]
    return sorted(each for each in path.iterdir() if each.suffix in (".eval", ".json") and each.is_file())


def _keep(runs: dict[str, RunRecord], run: RunRecord) -> None:
    known = runs.get(run.task_id)
    if known is None or (run.scored, run.started) >= (known.scored, known.started):
        runs[run.task_id] = run
