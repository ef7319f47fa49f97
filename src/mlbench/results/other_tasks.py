"""Read the log of any Inspect task: a value from 0 to 1 for each sample."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, PARTIAL

from mlbench.records import UsageError
from mlbench.results.read_samples import read_log

_WORDS = {CORRECT: 1.0, PARTIAL: 0.5, INCORRECT: 0.0, NOANSWER: 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""Inspect's names of values."""


@dataclass(frozen=True)
class TaskRun:
    """The log of any task.

    Attributes:
        task: its name and its data set.
        scorer: which score the values are, and which part of it.
        values: the mean value of each sample over its epochs, by id; samples without a score are left out.
        asked: what each sample asked, and the target.
        sampling: settings of the generation, such as temperature and longest reply.
    """

    location: str
    task: str
    version: str
    model: str
    started: str
    scorer: str
    values: Mapping[str, float]
    asked: Mapping[str, str]
    sampling: Mapping[str, object]


def read_task_run(path: Path, scorer: str | None = None, part: str | None = None) -> TaskRun:
    """Read a log.

    Args:
        path: the log (`.eval` or `.json`).
        scorer: name of the score; None for the first.
        part: which entry, if the score is a mapping.

    Raises:
        UsageError: the file is no finished log of another task, or has no such score, or one that is not from 0 to 1.
    """
    try:
        log = read_log(path)
    except Exception as error:  # a broken archive shows itself in many ways
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise UsageError(f"{path}: not an Inspect log, or a half-written one ({first:.120})") from error
    if "suite" in (log.eval.metadata or {}):
        raise UsageError(f"{path}: a log of mlbench; `mlbench results --paired` compares such logs")
    if log.status == "started" or not log.samples:
        raise UsageError(f"{path}: the run is not finished, or has no samples (status {log.status}); run it again")
    scorer = scorer or next((name for sample in log.samples for name in sample.scores or {}), None)
    if scorer is None:
        raise UsageError(f"{path}: no sample has a score; `inspect score` adds one")
    values: dict[str, list[float]] = defaultdict(list)
    for sample in log.samples:
        if (value := _value(path, sample, scorer, part)) is not None:
            values[str(sample.id)].append(value)
    if not values:
        known = ", ".join(dict.fromkeys(name for sample in log.samples for name in sample.scores or {}))
        raise UsageError(f"{path}: no sample has the score {scorer}; there are: {known}")
    return TaskRun(
        location=str(path),
        task=" · ".join(dict.fromkeys(filter(None, (log.eval.task, log.eval.dataset.name)))),
        version=str(log.eval.task_version),
        model=log.eval.model,
        started=str(log.eval.created),
        scorer=f"{scorer}.{part}" if part else scorer,
        values={id: fmean(some) for id, some in values.items()},
        asked={str(sample.id): _asked(sample) for sample in log.samples},
        sampling=_sampling(log),
    )


def _value(path: Path, sample: EvalSample, scorer: str, part: str | None) -> float | None:
    """The value of a sample; None if it was not scored.

    Raises:
        UsageError: it is no share.
    """
    score = (sample.scores or {}).get(scorer)
    if sample.error or score is None:
        return None
    value: object = score.value
    if isinstance(value, Mapping):
        if part not in value:
            raise UsageError(f"{path}: the score {scorer} has parts; choose one with --part: {', '.join(value)}")
        value = value[part]
    number = _WORDS.get(value, value) if isinstance(value, str) else value
    try:
        found = float(number)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        found = math.inf
    if math.isnan(found):  # how Inspect says that a sample could not be scored
        return None
    if not 0 <= found <= 1:
        raise UsageError(
            f"{path}: sample {sample.id} has the score {value!r:.40}; only shares from 0 to 1 are compared"
        )
    return found


def _asked(sample: EvalSample) -> str:
    texts = [sample.input] if isinstance(sample.input, str) else [f"{m.role}: {m.text}" for m in sample.input]
    return "\n".join([*texts, *(sample.choices or ()), "target:", *sample.target])


def _sampling(log: EvalLog) -> dict[str, object]:
    """The settings that a reply depends on, without those of the connection."""
    names = ("temperature", "top_p", "top_k", "max_tokens", "seed", "system_message", "stop_seqs", "reasoning_effort")
    configs = (log.eval.model_generate_config, log.plan.config)
    return {name: value for config in configs for name in names if (value := getattr(config, name)) is not None}
