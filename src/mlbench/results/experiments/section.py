"""The page's section of experiments: what its template is filled with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from mlbench.results.experiments import plots
from mlbench.results.experiments.figures import Findings, findings
from mlbench.results.experiments.nouns import Problem, Result
from mlbench.results.experiments.page import STAGE
from mlbench.results.experiments.table import average, ordered, problems_of, published_title, to_look_at
from mlbench.results.nouns import Run
from mlbench.results.words import printable


@dataclass(frozen=True)
class Drawn:
    caption: str
    svg: Markup


@dataclass(frozen=True)
class Counted:
    """Rows of a table of counts: what, and how often in each run; `filter` is the name of the page's own for it."""

    title: str
    what: str
    filter: str
    rows: tuple[tuple[str, list[int]], ...]

    def chosen(self, run: int, name: str) -> dict[str, str | int]:
        """The filters that show what one figure counts."""
        if name == Result.LOST:
            return {"run": run, "outcome": "unscored"}
        return {"run": run, self.filter: f"{STAGE}:{name}" if self.filter == "reason" else name}


@dataclass(frozen=True)
class Laboratory:
    """The runs of experiments. They are the page's runs from `first` on."""

    found: list[Findings]
    first: int
    plots: list[Drawn]

    @property
    def data(self) -> str:
        return printable(self.found[0].run.data)

    @property
    def problems(self) -> list[Problem]:
        return problems_of(self.found)

    @property
    def published(self) -> list[Problem]:
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
    def counts(self) -> list[Counted]:
        outcomes, errors = [one.outcomes for one in self.found], [one.errors for one in self.found]
        results = [(result.value, [one.results[result] for one in self.found]) for result in Result]
        tables = [
            Counted("What became of the attempts", "Result", "reason", tuple(row for row in results if any(row[1]))),
            Counted("How agents ended", "Agent", "ended", _rows(ordered(outcomes), outcomes)),
            Counted("Actions that failed", "Error", "error", _rows(ordered(errors), errors)),
        ]
        return [table for table in tables if table.rows]


def laboratory(runs: Sequence[Run], names: Sequence[str], first: int) -> Laboratory:
    """The section of some runs; `names` are those of all of the page's."""
    found = [findings(run) for run in runs]
    own = names[first : first + len(found)]
    data = printable(runs[0].data)
    unit = "dollars" if plots.in_dollars(found) else "tokens"
    drawn = [
        (f"Improvement against cost ({unit}), {data} data", plots.against_cost(found, own, first)),
        (f"Improvement over the steps, a line an attempt, {data} data", plots.over_steps(found, own, first)),
    ]
    return Laboratory(found, first, [Drawn(caption, Markup(svg)) for caption, svg in drawn if svg])


def _rows(names: Sequence[str], counts: Sequence[Mapping[str, int]]) -> tuple[tuple[str, list[int]], ...]:
    return tuple((name, [each.get(name, 0) for each in counts]) for name in names)
