"""Read experiments from the samples of a log."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspect_ai.log import EvalSample
from inspect_ai.scorer import Score
from pydantic import TypeAdapter

from mlbench.evals.mlagentbench.problem import Metric
from mlbench.results.mlagentbench.models import ClaimRecord, Experiment, Point, ProblemRecord, Starter
from mlbench.results.usage import paid, usage_of

SCORE = "experiment"
"""The score's name in a sample."""

NAME = r"[a-z][a-z0-9-]*"

_COUNTS = TypeAdapter(dict[str, int])
_SHARES = TypeAdapter(dict[str, float])
_NUMBER = TypeAdapter(float | None)


def read_experiments(samples: Sequence[EvalSample]) -> tuple[Experiment, ...]:
    """Return the experiments by problem and attempt; attempts that never began are left out.

    Raises:
        KeyError, TypeError, ValueError: a sample is not as the task writes it.
    """
    found = [_experiment(sample) for sample in samples]
    return tuple(sorted(found, key=lambda each: (each.problem.name, each.number)))


def _experiment(sample: EvalSample) -> Experiment:
    about = sample.metadata
    texts = [sample.input] if isinstance(sample.input, str) else [message.text for message in sample.input]
    if not re.fullmatch(NAME, name := str(about["problem"])):
        raise ValueError(f"{name:.40} is no problem's name")
    problem = ProblemRecord(
        name=name,
        title=str(about["title"]),
        domain=str(about["domain"]),
        metric=Metric.model_validate(about["metric"]),
        lite=str(about.get("lite") or ""),
        published=_SHARES.validate_python(about.get("published") or {}),
    )
    experiment = Experiment(
        problem=problem,
        number=sample.epoch,
        prompt="\n\n".join(filter(None, texts)),
        last_words=sample.output.completion,
        usage=usage_of(paid(sample)),
        error=sample.error.message if sample.error else "",
    )
    score = (sample.scores or {}).get(SCORE)
    if sample.error or score is None:
        return replace(experiment, error=experiment.error or "not graded")
    return _graded(experiment, score, about)


def _graded(experiment: Experiment, score: Score, sample: Mapping[str, Any]) -> Experiment:
    """Add the grade. Baselines are in the score or, in older logs, in the sample."""
    value = _SHARES.validate_python(score.value)
    said = {**{key: sample.get(key) for key in ("starter", "reference", "trivial")}, **(score.metadata or {})}
    measured = _finite(said["score"])
    starter, reference = _starter(said["starter"]), _finite(said["reference"])
    return replace(
        experiment,
        graded=True,
        success=value["success"] == 1.0 and measured is not None,
        score=measured,
        invalid=str(said["invalid"] or ""),
        improvement=_finite(said["improvement"]) if measured is not None else None,
        normalised=None if measured is None or reference is None else _finite(value["normalised"]),
        starter=starter,
        reference=reference,
        trivial=_finite(said["trivial"]),
        claims=tuple(
            ClaimRecord(str(text), float(given), _finite(is_), bool(no)) for text, given, is_, no in said["claims"]
        ),
        outcome=str(said["outcome"]),
        detail=str(said.get("detail") or ""),
        steps=int(said["steps"]),
        seconds=float(said["seconds"]),
        errors=_COUNTS.validate_python(said.get("errors") or {}),
        actions=_COUNTS.validate_python(said.get("actions") or {}),
        folder=str(said.get("folder") or ""),
        progress=tuple(Point(int(step), _finite(at)) for step, at in said.get("progress") or ()),
        last_words=experiment.last_words or score.answer or "",
    )


def _starter(said: Mapping[str, Any] | None) -> Starter | None:
    return Starter(float(said["mean"]), float(said["spread"]), int(said["n"])) if said else None


def _finite(value: object) -> float | None:
    """A finite number or None: the improvement over a starter of zero is infinite."""
    number = _NUMBER.validate_python(value)
    return number if number is not None and math.isfinite(number) else None
