"""Read experiments from the samples of a log."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalSample
from inspect_ai.scorer import Score
from pydantic import TypeAdapter

from mlbench.evals.mlagentbench.problem import SUCCESS, ProblemMetric
from mlbench.results.mlagentbench.models import ClaimRecord, Experiment, Point, ProblemRecord
from mlbench.results.mlagentbench.reviews import SuspectReview, read_reviews, review_key
from mlbench.results.usage import paid, usage_of
from mlbench.score_records import ExperimentScoreRecord

SCORE = "experiment"
"""The score's name in a sample."""

NAME = r"[a-z][a-z0-9-]*"

_SHARES = TypeAdapter(dict[str, float])


def read_experiments(samples: Sequence[EvalSample], location: str = "") -> tuple[Experiment, ...]:
    """Return the experiments by problem and attempt; attempts that never began are left out.

    Args:
        samples: of the log.
        location: of the log: what a person said of suspect scores stands beside it.

    Raises:
        KeyError, TypeError, ValueError: a sample is not as the task writes it.
    """
    reviewed = read_reviews(Path(location)) if location else {}
    found = [_reviewed(_experiment(sample), reviewed) for sample in samples]
    return tuple(sorted(found, key=lambda each: (each.problem.name, each.number)))


def _reviewed(each: Experiment, reviews: Mapping[str, SuspectReview]) -> Experiment:
    """Add what a person said of a suspect score: no success before that, and none if it was rejected."""
    if not each.is_suspect:
        return each
    said = reviews.get(review_key(each))
    accepted = said.accepted if said else None
    better = each.improvement is not None and each.improvement > SUCCESS
    return replace(each, accepted=accepted, success=bool(accepted) and better)


def _experiment(sample: EvalSample) -> Experiment:
    about = sample.metadata
    texts = [sample.input] if isinstance(sample.input, str) else [message.text for message in sample.input]
    if not re.fullmatch(NAME, name := str(about["problem"])):
        raise ValueError(f"{name:.40} is no problem's name")
    problem = ProblemRecord(
        name=name,
        title=str(about["title"]),
        domain=str(about["domain"]),
        metric=ProblemMetric.model_validate(about["metric"]),
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
    """Add what the score record says; earlier logs hold the baselines in the sample instead.

    Raises:
        KeyError, TypeError, ValueError: it is not a score record of this package.
    """
    baselines = {key: sample.get(key) for key in ("starter", "reference", "trivial")}
    parts = score.model_dump(include={"value", "answer", "explanation", "metadata"})
    record = ExperimentScoreRecord.of_parts({**parts, "metadata": {**baselines, **(parts["metadata"] or {})}})
    measured, reference = _finite(record.score), _finite(record.reference)
    on_scale = measured is not None and record.floor is not None
    return replace(
        experiment,
        graded=True,
        success=record.value["success"] == 1.0 and measured is not None,
        score=measured,
        invalid=record.invalid or "",
        improvement=_finite(record.improvement) if measured is not None else None,
        scale=_finite(record.value.get("scale")) if on_scale else None,
        mark=record.mark,
        suspect=record.value.get("suspect") == 1.0,
        starter=record.starter,
        reference=reference,
        trivial=_finite(record.trivial),
        floor=_finite(record.floor),
        claim=ClaimRecord(*record.number_claim) if record.number_claim else None,
        outcome=record.outcome,
        detail=record.detail or "",
        steps=record.steps,
        seconds=record.seconds,
        errors=record.errors or {},
        actions=record.actions or {},
        folder=record.folder or "",
        progress=tuple(Point(step, _finite(at)) for step, at in record.progress or ()),
        last_words=experiment.last_words or record.answer,
    )


def _finite(number: float | None) -> float | None:
    """A figure that can be shown and averaged: an improvement over a starter of zero is infinite, and becomes None."""
    return number if number is not None and math.isfinite(number) else None
