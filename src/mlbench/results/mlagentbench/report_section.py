"""Prepare the report's section of experiments for its template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from mlbench.evals.mlagentbench.actions.observations import ACTION_FAULT_MEANINGS
from mlbench.results.format import printable
from mlbench.results.mlagentbench import plots
from mlbench.results.mlagentbench.figures import Findings, findings
from mlbench.results.mlagentbench.models import RESULT_MEANINGS, ExperimentResult, ProblemRecord
from mlbench.results.mlagentbench.published_rule import ThresholdRates, is_published, threshold_rates
from mlbench.results.mlagentbench.report_data import STAGE
from mlbench.results.mlagentbench.table import BY_THRESHOLD, PUBLISHED, average, ordered, problems_of, to_look_at
from mlbench.results.models import RunRecord
from mlbench.results.report_counts import AGENT_ENDINGS, CountGroup


@dataclass(frozen=True)
class Drawn:
    caption: str
    svg: Markup


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
    """The runs of experiments.

    Attributes:
        first: number of the first of them on the page, from 0.
    """

    found: list[Findings]
    first: int
    plots: list[Drawn]

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
    def published_title(self) -> str:
        return PUBLISHED

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
        tables = [
            CountTable("Results of the attempts", "reason", "Result", "Attempts", results),
            CountTable("How agents ended", "ended", "Agent", "Attempts", endings),
            CountTable("Actions that failed", "error", "Error", "Actions", failed),
        ]
        return [table for table in tables if table.groups]


def experiments_section(runs: Sequence[RunRecord], names: Sequence[str], first: int) -> ExperimentsSection:
    """Build the section of some runs.

    Args:
        runs: of experiments.
        names: labels of all runs of the page.
        first: number of the first of `runs` on the page.
    """
    found = [findings(run) for run in runs]
    own = names[first : first + len(found)]
    data = printable(runs[0].data)
    unit = "dollars" if plots.in_dollars(found) else "tokens"
    drawn = [
        (f"Improvement against cost ({unit}), {data} data", plots.against_cost(found, own, first)),
        (f"Improvement over the steps, a line an attempt, {data} data", plots.over_steps(found, own, first)),
    ]
    return ExperimentsSection(found, first, [Drawn(caption, Markup(svg)) for caption, svg in drawn if svg])


def _filters(result: ExperimentResult) -> dict[str, str]:
    if result is ExperimentResult.LOST:
        return {"outcome": "unscored"}
    return {"reason": f"{STAGE}:{result.value}"}


def _counts(name: str, by_run: Sequence[Mapping[str, int]]) -> list[int]:
    return [counts.get(name, 0) for counts in by_run]
