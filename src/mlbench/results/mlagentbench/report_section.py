"""The page's section of experiments: what its template is filled with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from mlbench.results.format import printable
from mlbench.results.mlagentbench import plots
from mlbench.results.mlagentbench.figures import Findings, findings
from mlbench.results.mlagentbench.models import ExperimentResult, ProblemRecord
from mlbench.results.mlagentbench.report_data import STAGE
from mlbench.results.mlagentbench.table import average, ordered, problems_of, published_title, to_look_at
from mlbench.results.models import RunRecord


@dataclass(frozen=True)
class Drawn:
    caption: str
    svg: Markup


@dataclass(frozen=True)
class CountedShare:
    """Rows of a table of counts: what, and how often in each run; `filter` is the name of the page's own for it."""

    title: str
    what: str
    filter: str
    rows: tuple[tuple[str, list[int]], ...]

    def chosen(self, run: int, name: str) -> dict[str, str | int]:
        """The filters that show what one figure counts."""
        if name == ExperimentResult.LOST:
            return {"run": run, "outcome": "unscored"}
        return {"run": run, self.filter: f"{STAGE}:{name}" if self.filter == "reason" else name}


@dataclass(frozen=True)
class ExperimentsSection:
    """The runs of experiments. They are the page's runs from `first` on."""

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
        return [problem for problem in self.problems if problem.published]

    @property
    def published_title(self) -> str:
        return published_title(self.found[0].run.data)

    @property
    def to_look_at(self) -> list[str]:
        return to_look_at(self.found)

    @property
    def models(self) -> list[str]:
        return list(dict.fromkeys(model for problem in self.published for model in problem.published))

    def average(self, model: str) -> float | None:
        return average(self.published, model)

    @property
    def counts(self) -> list[CountedShare]:
        outcomes, errors = [one.outcomes for one in self.found], [one.errors for one in self.found]
        results = [(result.value, [one.results[result] for one in self.found]) for result in ExperimentResult]
        tables = [
            CountedShare(
                "What became of the attempts",
                "ExperimentResult",
                "reason",
                tuple(row for row in results if any(row[1])),
            ),
            CountedShare("How agents ended", "Agent", "ended", _rows(ordered(outcomes), outcomes)),
            CountedShare("Actions that failed", "Error", "error", _rows(ordered(errors), errors)),
        ]
        return [table for table in tables if table.rows]


def laboratory(runs: Sequence[RunRecord], names: Sequence[str], first: int) -> ExperimentsSection:
    """The section of some runs; `names` are those of all of the page's."""
    found = [findings(run) for run in runs]
    own = names[first : first + len(found)]
    data = printable(runs[0].data)
    unit = "dollars" if plots.in_dollars(found) else "tokens"
    drawn = [
        (f"Improvement against cost ({unit}), {data} data", plots.against_cost(found, own, first)),
        (f"Improvement over the steps, a line an attempt, {data} data", plots.over_steps(found, own, first)),
    ]
    return ExperimentsSection(found, first, [Drawn(caption, Markup(svg)) for caption, svg in drawn if svg])


def _rows(names: Sequence[str], counts: Sequence[Mapping[str, int]]) -> tuple[tuple[str, list[int]], ...]:
    return tuple((name, [each.get(name, 0) for each in counts]) for name in names)
