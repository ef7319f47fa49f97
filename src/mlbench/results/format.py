"""Format runs and numbers, the same way in the terminal and in the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from mlbench.records import UsageError
from mlbench.results.mlagentbench.statistics import Mean
from mlbench.results.models import RunRecord
from mlbench.results.prices import NoPrice
from mlbench.results.statistics import BoundedValue, Interval

MEANINGS = {
    "E1": "hallucination",
    "E2": "lack of knowledge",
    "E3": "knowledge manipulation",
    "E4": "syntax",
    "E5": "operational",
}
"""Names of the error classes (ML-Bench, section 5.2). Only agents can have E5."""

NONE = "-"


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


def about(run: RunRecord) -> list[str]:
    """Describe a run in short parts: split, setting or sandbox or data, and attempts per row."""
    if run.experiments:
        where = (f"{run.data} data", f"helper {run.helper}" if run.helper else "")
    elif run.agent:
        where = (run.sandbox, f"network {run.network}" if run.network else "")
    else:
        where = (run.setting, "")
    return [printable(part) for part in (run.split, *where, f"k={run.each}") if part]


def label(run: RunRecord) -> str:
    """Return the model's name, after the agent's name if there is one."""
    return printable(" · ".join(filter(None, (run.agent, run.model if run.asks_model else ""))))


def labels(runs: Sequence[RunRecord]) -> list[str]:
    """Return a distinct label for each run.

    Runs with the same label get the first part that differs: suite, split, setting, sandbox, network, helper, start,
    number.
    """
    names = [label(run) for run in runs]
    for part in ("suite", "split", "setting", "sandbox", "network", "helper", "started"):
        again = Counter(names)
        differ = {
            name for name in again if len({getattr(r, part) for r, n in zip(runs, names, strict=True) if n == name}) > 1
        }
        names = [
            f"{name} {printable(getattr(run, part))[:19]}" if name in differ else name
            for run, name in zip(runs, names, strict=True)
        ]
    seen: Counter[str] = Counter()
    for number, name in enumerate(names):
        seen[name] += 1
        names[number] = f"{name} ({seen[name]})" if seen[name] > 1 else name
    return names


def printable(text: str) -> str:
    """One line without control characters, safe to print."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def log_name(run: RunRecord) -> str:
    """Return the name of a run's log, without its folder."""
    return printable(PurePath(run.location).name)


def percent(value: float | None) -> str:
    """Format a share as a percentage with one decimal; 0.0 and 100.0 only if it is exactly that."""
    if value is None:
        return NONE
    shown = f"{100 * value:.1f}"
    if shown == "100.0" and value < 1.0:
        return "99.9"
    return "0.1" if shown == "0.0" and value > 0.0 else shown


def p_value(p: float | None) -> str | None:
    """Format the p of a test with three decimals; None if there was no test."""
    return None if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def interval(rate: BoundedValue, dash: str = "-") -> str:
    """Format an interval in whole per cent; a star marks the cluster bootstrap."""
    if rate.low is None or rate.high is None:
        return ""
    star = "*" if rate.interval is Interval.BOOTSTRAP else ""
    return f"{100 * rate.low:.0f}{dash}{100 * rate.high:.0f}{star}"


def change(value: float | None) -> str:
    """Format a relative improvement as a percentage with its sign."""
    if value is None:
        return NONE
    shown = f"{100 * value:+,.1f}"
    return shown if abs(value) < 10 else f"{100 * value:+,.0f}"


def change_between(of: Mean | None, dash: str = "-") -> str:
    """Format the interval of an improvement in whole per cent; empty if nothing was repeated."""
    if of is None or of.low is None or of.high is None:
        return ""
    low, high = (f"{100 * bound:,.0f}" for bound in (of.low, of.high))
    return f"{low}{dash}{high}" if of.low >= 0 else f"{low} to {high}"


def score(value: float | None) -> str:
    """Format a score with four significant digits, or as a whole number from 1,000 on."""
    return NONE if value is None else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def ratio(value: float | None) -> str:
    """Format a position on a problem's scale: 0 is a trivial predictor's, 1 the floor's."""
    return NONE if value is None else f"{value:.2f}"


def count(number: int) -> str:
    return f"{number:,}"


def dollars(cost: float | None) -> str:
    """Format US dollars; a dash if a price is unknown."""
    if cost is None:
        return NONE
    return f"${cost:.2f}" if cost >= 0.01 or cost == 0 else f"${cost:.4f}"


def price(value: float | NoPrice) -> str:
    """Format a cost per solved attempt, or a dash and why there is none."""
    return f"{NONE} ({value.value})" if isinstance(value, NoPrice) else dollars(value)


def mean(value: float | None) -> str:
    """Format a mean or a median: one decimal below 100, none above."""
    return NONE if value is None else f"{value:,.0f}" if value >= 99.95 or value == int(value) else f"{value:.1f}"


def duration(seconds: float) -> str:
    """Format seconds: 8.2 s, 3 min 05 s, 2 h 07 min."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"
