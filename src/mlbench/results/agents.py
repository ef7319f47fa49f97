"""Compute statistics of agents: success, cost per solved attempt, steps, tokens, endings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, median

from mlbench.records import Policy
from mlbench.results.aggregate import tallies
from mlbench.results.judged_policies import policies_of
from mlbench.results.models import AttemptRecord, RunRecord
from mlbench.results.statistics import Rate, estimated
from mlbench.results.usage import Usage


class NoPrice(StrEnum):
    """Why a cost per solved attempt cannot be given."""

    NO_MODEL = "no model"
    UNKNOWN = "no prices"
    NONE_SOLVED = "none solved"


@dataclass(frozen=True)
class Success:
    """Success rate under one policy.

    Attributes:
        rate: the mean over rows of the share of passing attempts, with its interval.
        solved: passing attempts; with one attempt per row, the solved instances of the paper.
        scored: attempts that have a verdict.
    """

    rate: Rate
    solved: int
    scored: int


@dataclass(frozen=True)
class AgentStats:
    """Statistics of one run of an agent. Only `success` and `price` depend on the policies.

    Attributes:
        success: by policy that judged the run, the headline first.
        price: dollars of the whole run per attempt that passes under the headline, or why there is none.
        worked: attempts whose agent finished; the means and the median are over these, None if there are none.
        tokens: mean tokens in both directions.
        seconds: mean wall time of the agent, without starting the sandbox and without running `run.sh`.
        outcomes: how many agents ended in each way, most frequent first.
    """

    success: Mapping[Policy, Success]
    price: float | NoPrice
    worked: int
    steps_mean: float | None
    steps_median: float | None
    tokens: float | None
    seconds: float | None
    outcomes: Mapping[str, int]

    @property
    def strict(self) -> Success:
        """The success under `strict`."""
        return self.success[Policy.STRICT]

    @property
    def paper(self) -> Success:
        """The success under the published rule."""
        return self.success[Policy.PAPER]


def stats_of_agents(run: RunRecord) -> AgentStats:
    """Compute the statistics of one run of an agent."""
    success = {policy: _success(run.attempts, policy) for policy in policies_of([run])}
    headline = next(iter(success.values()))
    done = [(attempt, attempt.work) for attempt in run.attempts if attempt.work]
    steps = [work.steps for _, work in done]
    return AgentStats(
        success=success,
        price=price_of(run, [attempt.usage for attempt in run.attempts], headline.solved),
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
