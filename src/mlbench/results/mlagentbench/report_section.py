"""Prepare the report's section of experiments for its template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlbench.evals.mlagentbench.actions.observations import ACTION_FAULT_MEANINGS
from mlbench.results.cost_plots import against_cost
from mlbench.results.format import printable
from mlbench.results.mlagentbench import plots
from mlbench.results.mlagentbench.failures import FAILURE_MEANINGS, ExperimentFailure
from mlbench.results.mlagentbench.figures import Findings, findings
from mlbench.results.mlagentbench.models import RESULT_MEANINGS, ExperimentResult, ProblemRecord
from mlbench.results.mlagentbench.published_rule import ThresholdRates, is_published, threshold_rates
from mlbench.results.mlagentbench.report_data import STAGE
from mlbench.results.mlagentbench.table import BY_THRESHOLD, average, ordered, problems_of, to_look_at
from mlbench.results.models import RunRecord
from mlbench.results.plots import Plot, plots_of
from mlbench.results.report_counts import AGENT_ENDINGS, CountGroup


@dataclass(frozen=True)
class CountTable:
    """A table of counts.

    Attributes:
        key: suffix of its heading's id.
        head, unit: headers of the names and of the counts.
    """

    title: str
    key: str
    head: str
    unit: str
    groups: list[CountGroup]


@dataclass(frozen=True)
class ExperimentsSection:
    """The runs of experiments on one kind of data.

    Attributes:
        heading: above the section; empty if the page has no other.
        number: of this part on the page, from 0.
        first: number of the first of them on the page, from 0.
    """

    found: list[Findings]
    heading: str
    number: int
    first: int
    plots: list[Plot]

    @property
    def data(self) -> str:
        return printable(self.found[0].run.data)

    @property
    def problems(self) -> list[ProblemRecord]:
        return problems_of(self.found)

    @property
    def published(self) -> list[ProblemRecord]:
        """The problems that have published figures, if the data are those of the profile `published`."""
        return [problem for problem in self.problems if problem.published] if self.as_published else []

    @property
    def as_published(self) -> bool:
        return is_published(self.found[0].run.data)

    @property
    def by_threshold(self) -> list[list[ThresholdRates]]:
        """The success rates by threshold of each run; none for other data than those of the profile `published`."""
        return [threshold_rates(one.run.experiments) for one in self.found] if self.as_published else []

    @property
    def threshold_note(self) -> str:
        return BY_THRESHOLD

    @property
    def to_look_at(self) -> list[str]:
        return to_look_at(self.found)

    @property
    def models(self) -> list[str]:
        return list(dict.fromkeys(model for problem in self.published for model in problem.published))

    def average(self, model: str) -> float | None:
        return average(self.published, model)

    @property
    def counts(self) -> list[CountTable]:
        """The tables of counts that have any row."""
        results = [
            CountGroup(result.value, counts, _filters(result), meaning=RESULT_MEANINGS[result])
            for result in ExperimentResult
            if any(counts := [one.results[result] for one in self.found])
        ]
        outcomes, errors = [one.outcomes for one in self.found], [one.errors for one in self.found]
        endings = [
            CountGroup(name, _counts(name, outcomes), {"ended": name}, meaning=AGENT_ENDINGS.get(name, ""))
            for name in ordered(outcomes)
        ]
        failed = [
            CountGroup(name, _counts(name, errors), {"error": name}, meaning=ACTION_FAULT_MEANINGS.get(name, ""))
            for name in ordered(errors)
        ]
        failures = [
            CountGroup(kind.value, counts, {"failure": kind.value}, meaning=FAILURE_MEANINGS[kind])
            for kind in ExperimentFailure
            if any(counts := [one.failures.get(kind, 0) for one in self.found])
        ]
        tables = [
            CountTable("Results of the attempts", "reason", "Result", "Attempts", results),
            CountTable("Why attempts failed", "failure", "Failure", "Attempts", failures),
            CountTable("How agents ended", "ended", "Agent", "Attempts", endings),
            CountTable("Actions that failed", "error", "Error", "Actions", failed),
        ]
        return [table for table in tables if table.groups]


def experiments_section(
    runs: Sequence[RunRecord], names: Sequence[str], first: int, heading: str = "", number: int = 0
) -> ExperimentsSection:
    """Build the section of some runs.

    Args:
        runs: of experiments on one kind of data.
        names: labels of all runs of the page.
        first: number of the first of `runs` on the page.
        heading: above the section; empty for none.
        number: of this part on the page, from 0.
    """
    found = [findings(run) for run in runs]
    own = names[first : first + len(found)]
    data = printable(runs[0].data)
    successes, gains = plots.at_cost(found, own), plots.at_cost(found, own, improvement=True)
    drawn = [
        ("Success rate against cost", against_cost(successes, own, first)),
        ("Improvement against cost", against_cost(gains, own, first, improvement=True)),
        ("Score over time: improvement after each step, mean and attempts", plots.over_steps(found, own, first)),
    ]
    shown = plots_of((f"{caption}, {data} data", svg) for caption, svg in drawn)
    return ExperimentsSection(found, heading, number, first, shown)


def _filters(result: ExperimentResult) -> dict[str, str]:
    if result is ExperimentResult.LOST:
        return {"outcome": "unscored"}
    return {"reason": f"{STAGE}:{result.value}"}


def _counts(name: str, by_run: Sequence[Mapping[str, int]]) -> list[int]:
    return [counts.get(name, 0) for counts in by_run]
