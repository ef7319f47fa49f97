"""Statistics of agents: success and cost per solved attempt from the records; steps, tokens, endings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean, median

from mlbench.records import Policy
from mlbench.results.aggregate import Group, overall_group
from mlbench.results.judged_policies import policies_of
from mlbench.results.models import RunRecord
from mlbench.results.prices import NoPrice
from mlbench.results.result_records import Metric, ResultRecord


@dataclass(frozen=True)
class Success:
    """Success rate under one policy.

    Attributes:
        rate: the mean over rows of the share of passing attempts, with its interval.
        solved: passing attempts; with one attempt per row, the solved instances of the paper.
        scored: attempts that have a verdict.
    """

    rate: ResultRecord
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


def stats_of_agents(run: RunRecord) -> AgentStats:
    """Compute the statistics of one run of an agent."""
    groups = {policy: overall_group(run, policy) for policy in policies_of([run])}
    headline = next(iter(groups.values()))
    done = [(attempt, attempt.work) for attempt in run.attempts if attempt.work]
    steps = [work.steps for _, work in done]
    return AgentStats(
        success={policy: _success(group) for policy, group in groups.items()},
        price=_price(headline.figure(Metric.DOLLARS_PER_SOLVED)),
        worked=len(done),
        steps_mean=fmean(steps) if steps else None,
        steps_median=median(steps) if steps else None,
        tokens=fmean(attempt.usage.tokens for attempt, _ in done) if done else None,
        seconds=fmean(work.seconds for _, work in done) if done else None,
        outcomes=dict(Counter(work.outcome for _, work in done).most_common()),
    )


def _success(group: Group) -> Success:
    solved = group.figure(Metric.SOLVED)
    return Success(group.figure(Metric.SUCCESS), int(solved.value or 0), solved.n or 0)


def _price(record: ResultRecord) -> float | NoPrice:
    return NoPrice(record.doubt) if record.value is None else record.value
