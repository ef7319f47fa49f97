"""Figures of agents at work: success, what a solved instance costs, steps, tokens, time, how they ended (table 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, median

from mlbench.records import Policy
from mlbench.results.aggregate import tallies
from mlbench.results.models import AttemptRecord, RunRecord
from mlbench.results.statistics import Rate, estimated
from mlbench.results.usage import Usage


class NoPrice(StrEnum):
    """Why there is no price of a solved instance."""

    NO_MODEL = "no model"
    UNKNOWN = "no prices"
    NONE_SOLVED = "none solved"


@dataclass(frozen=True)
class Success:
    """Under one policy: the share of passing attempts, the mean over the rows, with its interval; and how many pass.

    With one attempt a row, `solved` counts instances as published; with several, each attempt is one.
    """

    rate: Rate
    solved: int
    scored: int


@dataclass(frozen=True)
class AgentStats:
    """What the agents of a run did. Everything but `strict` and `paper` is the same under each policy.

    `price`: dollars of the whole run, its failures included, for each instance solved under `strict`, or why there is
    none.
    The means and the median are over the attempts whose agent came to an end, `worked` in number; None where there are
    none. `tokens` counts both directions, `seconds` is wall time at work, without sandbox and trial.
    `outcomes` counts how agents ended, most frequent first.
    """

    strict: Success
    paper: Success
    price: float | NoPrice
    worked: int
    steps_mean: float | None
    steps_median: float | None
    tokens: float | None
    seconds: float | None
    outcomes: Mapping[str, int]


def labour(run: RunRecord) -> AgentStats:
    """The figures of one run of an agent."""
    strict = _success(run.attempts, Policy.STRICT)
    done = [(attempt, attempt.work) for attempt in run.attempts if attempt.work]
    steps = [work.steps for _, work in done]
    return AgentStats(
        strict=strict,
        paper=_success(run.attempts, Policy.PAPER),
        price=price_of(run, [attempt.usage for attempt in run.attempts], strict.solved),
        worked=len(done),
        steps_mean=fmean(steps) if steps else None,
        steps_median=median(steps) if steps else None,
        tokens=fmean(attempt.usage.tokens for attempt, _ in done) if done else None,
        seconds=fmean(work.seconds for _, work in done) if done else None,
        outcomes=dict(Counter(work.outcome for _, work in done).most_common()),
    )


def _success(attempts: Sequence[AttemptRecord], policy: Policy) -> Success:
    counted = tallies(attempts, policy)
    return Success(estimated(counted, [1])[1], sum(tally.c for tally in counted), sum(tally.n for tally in counted))


def price_of(run: RunRecord, usages: Iterable[Usage], solved: int) -> float | NoPrice:
    """What one attempt paid without a known price makes the sum unknown: a part of it would look cheap."""
    if not run.asks_model:
        return NoPrice.NO_MODEL
    if run.usage.cost is None or any(usage.tokens and usage.cost is None for usage in usages):
        return NoPrice.UNKNOWN
    return run.usage.cost / solved if solved else NoPrice.NONE_SOLVED
