"""Figures of experiments: success, improvement, scores, what they cost and how they ended; by problem and of a run.

Every attempt that was started is in the denominator of success. Improvement is that of valid submissions alone, so it
is shown with their number; a problem counts once in it, however many attempts it had.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from mlbench.results.agents import NoPrice, price_of
from mlbench.results.mlagentbench.models import Experiment, ExperimentResult, ProblemRecord, Starter
from mlbench.results.mlagentbench.statistics import Mean, mean_over_repeats, share
from mlbench.results.models import RunRecord
from mlbench.results.statistics import Rate

WORST = -1.0
"""In means: an error has no upper end, and one absurd prediction would outweigh all other runs."""


@dataclass(frozen=True)
class ProblemStats:
    """The attempts of a run at one problem.

    `success` is the share of the `started` ones that improve enough; `improvement` and `normalised` are means over the
    `valid` ones, `final` is their mean score, `best` the best score of any snapshot that was graded. `false_claims`
    counts the attempts that claimed too much.
    """

    problem: ProblemRecord
    started: int
    succeeded: int
    success: Rate
    valid: int
    improvement: Mean | None
    normalised: float | None
    final: float | None
    best: float | None
    starter: Starter | None
    reference: float | None
    false_claims: int


@dataclass(frozen=True)
class Findings:
    """A run of experiments as a whole.

    `success` is the share of the started attempts; `improvement` and `normalised` are means over the problems. `price`
    is dollars of the whole run for each attempt that succeeds. `steps`, `tokens`, `cost` and `seconds` are means of the
    graded attempts; None where there are none, or no prices. `results` counts all attempts, `outcomes` the graded ones,
    `errors` the actions that failed, by kind.
    """

    run: RunRecord
    standings: tuple[ProblemStats, ...]
    started: int
    graded: int
    succeeded: int
    success: Rate
    valid: int
    improvement: Mean | None
    normalised: float | None
    false_claims: int
    price: float | NoPrice
    cost: float | None
    steps: float | None
    tokens: float | None
    seconds: float | None
    results: Mapping[ExperimentResult, int]
    outcomes: Mapping[str, int]
    errors: Mapping[str, int]

    def at(self, problem: str) -> ProblemStats | None:
        return next((standing for standing in self.standings if standing.problem.name == problem), None)


def findings(run: RunRecord) -> Findings:
    """All figures of a run. The same run gives the same figures, intervals included."""
    by_problem: dict[str, list[Experiment]] = defaultdict(list)
    for each in run.experiments:
        by_problem[each.problem.name].append(each)
    standings = tuple(_standing(some) for some in by_problem.values())
    done = [each for each in run.experiments if each.graded]
    succeeded = sum(standing.succeeded for standing in standings)
    return Findings(
        run=run,
        standings=standings,
        started=len(run.experiments),
        graded=len(done),
        succeeded=succeeded,
        success=share(succeeded, len(run.experiments)),
        valid=sum(standing.valid for standing in standings),
        improvement=mean_over_repeats([_improvements(some) for some in by_problem.values()]),
        normalised=_mean([standing.normalised for standing in standings]),
        false_claims=sum(standing.false_claims for standing in standings),
        price=price_of(run, [each.usage for each in run.experiments], succeeded),
        cost=_cost(run, done),
        steps=fmean(each.steps for each in done) if done else None,
        tokens=fmean(each.usage.tokens for each in done) if done else None,
        seconds=fmean(each.seconds for each in done) if done else None,
        results={result: sum(each.result is result for each in run.experiments) for result in ExperimentResult},
        outcomes=dict(Counter(each.outcome for each in done).most_common()),
        errors=dict(sum((Counter(each.errors) for each in done), Counter()).most_common()),
    )


def _standing(some: Sequence[Experiment]) -> ProblemStats:
    succeeded = sum(each.success for each in some)
    scores = [each.score for each in some if each.score is not None]
    best = [found for each in some if (found := each.best()) is not None]
    pick = max if some[0].problem.metric.better == "higher" else min
    return ProblemStats(
        problem=some[0].problem,
        started=len(some),
        succeeded=succeeded,
        success=share(succeeded, len(some)),
        valid=len(scores),
        improvement=mean_over_repeats([_improvements(some)]),
        normalised=_mean([None if each.normalised is None else max(each.normalised, WORST) for each in some]),
        final=_mean(scores),
        best=pick(best) if best else None,
        starter=_starter([each.starter for each in some if each.starter]),
        reference=_mean([each.reference for each in some]),
        false_claims=sum(any(claim.false for claim in each.claims) for each in some),
    )


def _improvements(some: Sequence[Experiment]) -> list[float]:
    return [max(each.improvement, WORST) for each in some if each.improvement is not None]


def _starter(found: Sequence[Starter]) -> Starter | None:
    """Where speed is measured, each attempt has a starter of its own: then these are what is averaged."""
    if len(set(found)) <= 1:
        return found[0] if found else None
    means = [each.mean for each in found]
    return Starter(fmean(means), stdev(means), len(means))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _cost(run: RunRecord, done: Sequence[Experiment]) -> float | None:
    """Unknown where one price is: the rest alone would look cheap."""
    costs = [each.usage.cost if each.usage.tokens else 0.0 for each in done]
    return _mean(costs) if run.asks_model and None not in costs else None
