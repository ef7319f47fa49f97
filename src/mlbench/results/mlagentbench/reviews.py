"""What a person said of scores that are too good to be true, in a file beside the log."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError

from mlbench.atomic_write import write_file
from mlbench.records import UsageError
from mlbench.results.mlagentbench.models import Experiment


class SuspectReview(BaseModel):
    """Whether a person, who looked at how an attempt got its score, accepts it."""

    accepted: bool


_REVIEWS = TypeAdapter(dict[str, SuspectReview])


def review_key(experiment: Experiment) -> str:
    """Name an attempt: the problem and the number of the attempt, such as `clrs:1`."""
    return f"{experiment.problem.name}:{experiment.number}"


def reviews_file(log: Path) -> Path:
    """Return the file that holds the reviews of a log's attempts."""
    return log.with_name(f"{log.name}.reviews")


def read_reviews(log: Path) -> dict[str, SuspectReview]:
    """Return the reviews by the name of the attempt; none if nobody has reviewed.

    Raises:
        UsageError: the file is not one that `review` wrote.
    """
    file = reviews_file(Path(str(log).removeprefix("file://")))
    if not file.is_file():
        return {}
    try:
        return _REVIEWS.validate_json(file.read_bytes())
    except (ValidationError, OSError) as error:
        first = str(error).splitlines()[0]
        raise UsageError(f"{file}: no reviews of attempts ({first:.100}); remove it and review again") from error


def write_review(log: Path, name: str, review: SuspectReview) -> None:
    """Add a review of one attempt; a later one replaces an earlier one."""
    found = {**read_reviews(log), name: review}
    write_file(reviews_file(log), _REVIEWS.dump_json(found, indent=2) + b"\n")
