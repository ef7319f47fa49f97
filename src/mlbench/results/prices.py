"""Compute dollars per solved attempt, or say why they cannot be given."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from mlbench.results.models import RunRecord
from mlbench.results.usage import Usage


class NoPrice(StrEnum):
    """Why a cost per solved attempt cannot be given."""

    NO_MODEL = "no model"
    UNKNOWN = "no prices"
    NONE_SOLVED = "none solved"


def price_of(run: RunRecord, usages: Iterable[Usage], solved: int) -> float | NoPrice:
    """Return the dollars of a run per solved attempt, or why they cannot be given.

    The cost is unknown if one attempt has no known price, because a partial sum would look cheap.

    Args:
        run: the run, with its total cost.
        usages: usage of each attempt.
        solved: how many attempts were solved.
    """
    if not run.asks_model:
        return NoPrice.NO_MODEL
    if run.usage.cost is None or any(usage.tokens and usage.cost is None for usage in usages):
        return NoPrice.UNKNOWN
    return run.usage.cost / solved if solved else NoPrice.NONE_SOLVED
