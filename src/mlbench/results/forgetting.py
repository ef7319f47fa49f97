"""Compare models on other tasks, sample by sample: what does a tuned model do worse than its base?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

from mlbench.records import UsageError
from mlbench.results.analyses.tables import Cell, Sheet
from mlbench.results.format import p_value, printable
from mlbench.results.logs import logs_in
from mlbench.results.other_tasks import TaskRun, read_task_run
from mlbench.results.paired import PairedRate, paired_values

_COLUMNS = ("A", "B", "samples", "A %", "B %", "points", "low", "high", "p", "worse", "better")
_NOTE = (
    "Mean score in per cent, over samples that both logs scored. points: B - A, with its 95 % interval (Newcombe's if"
    " every score is 0 or 1, else a bootstrap over samples); p: exact McNemar, for scores of 0 and 1. worse, better:"
    " samples with a lower or higher score in B. Something is shown to be forgotten if the interval is below 0 and"
    " p < 0.05."
)


def task_runs(paths: Sequence[Path], scorer: str | None, part: str | None) -> tuple[list[TaskRun], list[str]]:
    """Read logs in the order in which they are named, those of a folder by their time; also say what was skipped.

    Raises:
        UsageError: a log that is named cannot be used.
    """
    runs, skipped = [], []
    for path in paths:
        if not path.is_dir():
            runs.append(read_task_run(path, scorer, part))
            continue
        found = []
        for file in logs_in(path):
            try:
                found.append(read_task_run(file, scorer, part))
            except UsageError as error:
                skipped.append(str(error))
        runs += sorted(found, key=lambda run: run.started)
    return runs, skipped


def forgetting(runs: Sequence[TaskRun]) -> tuple[list[Sheet], list[str]]:
    """Return a sheet for each task, with every two models that did it; and notes about what may mislead.

    Raises:
        UsageError: no two logs are of one task, or two of one task cannot be compared.
    """
    tasks: dict[tuple[str, str], list[TaskRun]] = {}
    for run in runs:
        tasks.setdefault((run.task, run.scorer), []).append(run)
    sheets, notes = [], []
    for (task, scorer), some in tasks.items():
        pairs = list(combinations(some, 2))
        if not pairs:
            notes.append(f"{some[0].location}: the only log of {task}; name one of another model")
            continue
        lines: list[tuple[Cell, ...]] = []
        for first, second in pairs:
            notes += _notes(first, second)
            lines.append((printable(first.model), printable(second.model), *_cells(paired_task(first, second))))
        title = f"{printable(task)}, score {printable(scorer)}"
        sheets.append(Sheet(title, _COLUMNS, tuple(lines), _NOTE, about={"task": task, "score": scorer}))
    if not sheets:
        raise UsageError("no two logs are of one task; name the logs of two models, such as a raw and a tuned one")
    return sheets, list(dict.fromkeys(notes))


def paired_task(first: TaskRun, second: TaskRun) -> PairedRate:
    """The difference of two models in one task, over the samples that both scored.

    Raises:
        UsageError: the logs are of two versions, their samples differ, or they have none in common.
    """
    if first.version != second.version:
        raise UsageError(
            f"{first.location} has version {first.version} of {first.task}, {second.location} version"
            f" {second.version}; run one of them again"
        )
    shared = sorted(first.values.keys() & second.values.keys())
    if not shared:
        raise UsageError(f"{first.location} and {second.location} have no scored sample in common")
    if other := next((id for id in shared if first.asked[id] != second.asked[id]), None):
        raise UsageError(
            f"sample {other} is another one in {first.location} than in {second.location}: give both runs the same"
            " data, without shuffling choices"
        )
    return paired_values(shared, [first.values[id] for id in shared], [second.values[id] for id in shared])


def _notes(first: TaskRun, second: TaskRun) -> Iterator[str]:
    for run, other in ((first, second), (second, first)):
        if alone := len(run.values.keys() - other.values.keys()):
            yield f"{alone} samples are scored only in {run.location}, and do not count"
    for name in sorted(first.sampling.keys() | second.sampling.keys()):
        values = [run.sampling.get(name, "not set") for run in (first, second)]
        if values[0] != values[1]:
            yield f"{name} is {values[0]} in {first.location}, {values[1]} in {second.location}"


def _cells(found: PairedRate) -> tuple[Cell, ...]:
    rates = (found.first, found.second, found.difference, found.low, found.high)
    return (found.n, *(100 * rate for rate in rates), p_value(found.p), len(found.only_first), len(found.only_second))
