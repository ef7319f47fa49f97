"""Compute statistics of experiments: success rate, improvement, scores, cost, endings.

Every started attempt counts for the success rate. Improvement is computed over valid submissions only, so their number
is shown with it. A problem counts once for the improvement, however many attempts it had.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from mlbench.results.mlagentbench.failures import ExperimentFailure, failure_counts
from mlbench.results.mlagentbench.models import Experiment, ExperimentResult, ProblemRecord
from mlbench.results.mlagentbench.statistics import Mean, mean_over_repeats
from mlbench.results.models import RunRecord
from mlbench.results.prices import NoPrice, price_of
from mlbench.results.statistics import Rate, share
from mlbench.score_records import ScoredStarter

WORST = -1.0
"""Lower bound of improvements in means: one absurd prediction would outweigh all other runs."""


@dataclass(frozen=True)
class ProblemStats:
    """The attempts of a run at one problem.

    Attributes:
        success: the share of the `started` attempts that improve enough.
        easy_wins: attempts that succeed as published, as plain recipes do.
        improvement, scale: means over the `valid` submissions.
        final: their mean score.
        best: the best score of any graded snapshot.
        false_claims: attempts that claimed too much.
        tokens, seconds: means of the graded attempts; None if there are none.
    """

    problem: ProblemRecord
    started: int
    succeeded: int
    success: Rate
    easy_wins: int
    valid: int
    improvement: Mean | None
    scale: float | None
    final: float | None
    best: float | None
    starter: ScoredStarter | None
    reference: float | None
    false_claims: int
    tokens: float | None
    seconds: float | None


@dataclass(frozen=True)
class Findings:
    """Statistics of one run of experiments.

    Attributes:
        success: the share of the started attempts that improve enough.
        easy_wins: attempts that succeed as published, as plain recipes do.
        improvement, scale: means over the problems.
        price: dollars of the whole run per successful attempt, or why there is none.
        cost, steps, tokens, seconds: means of the graded attempts; None if there are none, or no prices.
        results: all attempts by result.
        outcomes: graded attempts by how the agent ended.
        errors: failed actions by kind.
        failures: graded attempts by class of failure; an attempt can be in several.
    """

    run: RunRecord
    by_problem: tuple[ProblemStats, ...]
    started: int
    graded: int
    succeeded: int
    success: Rate
    easy_wins: int
    valid: int
    improvement: Mean | None
    scale: float | None
    false_claims: int
    price: float | NoPrice
    cost: float | None
    steps: float | None
    tokens: float | None
    seconds: float | None
    results: Mapping[ExperimentResult, int]
    outcomes: Mapping[str, int]
    errors: Mapping[str, int]
    failures: Mapping[ExperimentFailure, int]

    def at(self, problem: str) -> ProblemStats | None:
        """Return the statistics of one problem; None if the run has no attempt at it."""
        return next((stats for stats in self.by_problem if stats.problem.name == problem), None)


def findings(run: RunRecord) -> Findings:
    """Compute all statistics of a run; deterministic, intervals included."""
    attempts: dict[str, list[Experiment]] = defaultdict(list)
    for each in run.experiments:
        attempts[each.problem.name].append(each)
    by_problem = tuple(_problem_stats(some) for some in attempts.values())
    done = [each for each in run.experiments if each.graded]
    succeeded = sum(stats.succeeded for stats in by_problem)
    return Findings(
        run=run,
        by_problem=by_problem,
        started=len(run.experiments),
        graded=len(done),
        succeeded=succeeded,
        success=share(succeeded, len(run.experiments)),
        valid=sum(stats.valid for stats in by_problem),
        improvement=mean_over_repeats([_improvements(some) for some in attempts.values()]),
        easy_wins=sum(stats.easy_wins for stats in by_problem),
        scale=_mean([stats.scale for stats in by_problem]),
        false_claims=sum(stats.false_claims for stats in by_problem),
        price=price_of(run, [each.usage for each in run.experiments], succeeded),
        cost=_cost(run, done),
        steps=fmean(each.steps for each in done) if done else None,
        tokens=fmean(each.usage.tokens for each in done) if done else None,
        seconds=fmean(each.seconds for each in done) if done else None,
        results={result: sum(each.result is result for each in run.experiments) for result in ExperimentResult},
        outcomes=dict(Counter(each.outcome for each in done).most_common()),
        errors=dict(sum((Counter(each.errors) for each in done), Counter()).most_common()),
        failures=failure_counts(run.experiments),
    )


def _problem_stats(some: Sequence[Experiment]) -> ProblemStats:
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
        easy_wins=sum(each.result is ExperimentResult.EASY_WIN for each in some),
        scale=_mean([None if each.scale is None else max(each.scale, WORST) for each in some if not each.is_suspect]),
        final=_mean(scores),
        best=pick(best) if best else None,
        starter=_starter([each.starter for each in some if each.starter]),
        reference=_mean([each.reference for each in some]),
        false_claims=sum(each.claimed_too_much for each in some),
        tokens=_mean([each.usage.tokens for each in some if each.graded]),
        seconds=_mean([each.seconds for each in some if each.graded]),
    )


def _improvements(some: Sequence[Experiment]) -> list[float]:
    return [max(each.improvement, WORST) for each in some if each.improvement is not None]


def _starter(found: Sequence[ScoredStarter]) -> ScoredStarter | None:
    """The average starter: if speed is measured, each attempt has a starter of its own."""
    if len(set(found)) <= 1:
        return found[0] if found else None
    means = [each.mean for each in found]
    return ScoredStarter(mean=fmean(means), spread=stdev(means), n=len(means))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _cost(run: RunRecord, done: Sequence[Experiment]) -> float | None:
    """The mean cost of an attempt; None if one price is unknown."""
    costs = [each.usage.cost if each.usage.tokens else 0.0 for each in done]
    return _mean(costs) if run.asks_model and None not in costs else None
