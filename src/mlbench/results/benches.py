"""Group runs into those that one table shows: the answers, agents or experiments of one suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlbench.records import UsageError
from mlbench.results.format import printable
from mlbench.results.models import RunRecord


@dataclass(frozen=True)
class BenchNames:
    """Runs that share one table: of models that answer, of agents, or of experiments; all of one suite."""

    runs: tuple[RunRecord, ...]

    @property
    def agents(self) -> bool:
        """Whether agents worked on the rows of a suite."""
        return bool(self.runs[0].agent) and not self.experiments

    @property
    def experiments(self) -> bool:
        return bool(self.runs[0].experiments)

    @property
    def title(self) -> str:
        return _title(self.runs[0])

    @property
    def suite(self) -> str:
        """The name of the suite; of experiments, with their data."""
        run = self.runs[0]
        return printable(f"{run.suite}, {run.data} data" if self.experiments else run.suite)


def _title(run: RunRecord) -> str:
    return "Experiments" if run.experiments else "Agents" if run.agent else "Answers"


def benches(runs: Sequence[RunRecord]) -> list[BenchNames]:
    """Group runs by suite, and in each suite by benchmark: answers, then agents. Experiments come last.

    Suites stand in the order of their first run. Experiments on different data are different groups.

    Raises:
        UsageError: there is no run, or the runs of one group are of different task or suite versions.
    """
    if not runs:
        raise UsageError("no runs to show; name logs that mlbench eval, mlbench agent or mlbench experiment wrote")
    order = ("Answers", "Agents", "Experiments")
    places = list(dict.fromkeys((bool(run.experiments), run.suite, run.data) for run in runs))
    found: dict[tuple[bool, int, int], list[RunRecord]] = {}
    for run in runs:
        place = places.index((bool(run.experiments), run.suite, run.data))
        found.setdefault((bool(run.experiments), place, order.index(_title(run))), []).append(run)
    groups = [BenchNames(tuple(found[key])) for key in sorted(found)]
    for group in groups:
        _same("task versions", group)
    return groups


def _same(what: str, bench: BenchNames) -> None:
    versions = sorted({run.version for run in bench.runs})
    if len(versions) > 1:
        raise UsageError(
            f"the logs of {bench.suite} are of different {what} ({', '.join(versions)}); show them one by one"
        )


def suites(benches: Sequence[BenchNames]) -> str:
    """Name what the runs are of: their suite, `experiments`, or both."""
    return ", ".join(dict.fromkeys(printable(bench.runs[0].suite) for bench in benches))


def headings(benches: Sequence[BenchNames]) -> list[str]:
    """Return the heading above each group: the suite, if there are several and it was not the one before."""
    if len({bench.suite for bench in benches}) == 1:
        return [""] * len(benches)
    before = ["", *(bench.suite for bench in benches)]
    return ["" if bench.suite == last else bench.suite for bench, last in zip(benches, before, strict=False)]
