"""How runs and figures are put into words, the same in the terminal and on the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mlbench.records import UsageError
from mlbench.results.agents import NoPrice
from mlbench.results.mlagentbench.statistics import Mean
from mlbench.results.models import RunRecord
from mlbench.results.statistics import Interval, Rate

MEANINGS = {
    "E1": "hallucination",
    "E2": "lack of knowledge",
    "E3": "knowledge manipulation",
    "E4": "syntax",
    "E5": "operational",
}
"""The kinds of error of an answer (ML-Bench, section 5.2), by the code that they begin with; E5 is for agents alone."""

NONE = "-"


@dataclass(frozen=True)
class BenchNames:
    """Runs that stand side by side in one table: of models that answer, of agents, or of experiments."""

    runs: tuple[RunRecord, ...]

    @property
    def agents(self) -> bool:
        """Whether agents worked on rows of a suite."""
        return bool(self.runs[0].agent) and not self.experiments

    @property
    def experiments(self) -> bool:
        return bool(self.runs[0].experiments)

    @property
    def title(self) -> str:
        return _title(self.runs[0])


def _title(run: RunRecord) -> str:
    return "Experiments" if run.experiments else "Agents" if run.agent else "Answers"


def benches(runs: Sequence[RunRecord]) -> list[BenchNames]:
    """The runs in one to three groups: answers, agents, experiments. Each is another task, with figures of its own.

    Raises:
        UsageError: there is no run, they are of different suites, or a group is of different versions of its task or
            of different data. Experiments are no suite's.
    """
    if not runs:
        raise UsageError("no runs to show; name logs that mlbench eval, mlbench agent or mlbench experiment wrote")
    _same("suites", {run.suite for run in runs if not run.experiments})
    found = [tuple(run for run in runs if _title(run) == title) for title in ("Answers", "Agents", "Experiments")]
    for group in found:
        _same("task versions", {run.version for run in group})
        _same("data", {run.data for run in group})
    return [BenchNames(group) for group in found if group]


def _same(what: str, values: set[str]) -> None:
    if len(values) > 1:
        raise UsageError(f"the logs are of different {what} ({', '.join(sorted(values))}); show them one by one")


def suites(benches: Sequence[BenchNames]) -> str:
    """What the runs are of: their suite, experiments, or both."""
    return ", ".join(dict.fromkeys(printable(bench.runs[0].suite) for bench in benches))


def about(run: RunRecord) -> list[str]:
    """What was run: the split, the setting, or where agents worked, or on which data; how often each row."""
    if run.experiments:
        where = (f"{run.data} data", f"helper {run.helper}" if run.helper else "")
    elif run.agent:
        where = (run.sandbox, f"network {run.network}")
    else:
        where = (run.setting, "")
    return [printable(part) for part in (run.split, *where, f"k={run.each}") if part]


def label(run: RunRecord) -> str:
    """The model's name; an agent's before it, or alone where it asks no model."""
    return printable(" · ".join(filter(None, (run.agent, run.model if run.asks_model else ""))))


def labels(runs: Sequence[RunRecord]) -> list[str]:
    """Their labels; what tells runs apart is added: the split, the setting, the sandbox, the start, a number."""
    names = [label(run) for run in runs]
    for part in ("split", "setting", "sandbox", "network", "helper", "started"):
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


def percent(value: float | None) -> str:
    """A share as a percentage with one decimal; never rounded to 0.0 or 100.0 unless it is."""
    if value is None:
        return NONE
    shown = f"{100 * value:.1f}"
    if shown == "100.0" and value < 1.0:
        return "99.9"
    return "0.1" if shown == "0.0" and value > 0.0 else shown


def interval(rate: Rate, dash: str = "-") -> str:
    """The interval in whole per cent; with a star where it is the cluster bootstrap's."""
    if rate.low is None or rate.high is None:
        return ""
    star = "*" if rate.interval is Interval.BOOTSTRAP else ""
    return f"{100 * rate.low:.0f}{dash}{100 * rate.high:.0f}{star}"


def change(value: float | None) -> str:
    """A relative improvement, as a percentage with its sign."""
    if value is None:
        return NONE
    shown = f"{100 * value:+,.1f}"
    return shown if abs(value) < 10 else f"{100 * value:+,.0f}"


def change_between(of: Mean | None, dash: str = "-") -> str:
    """The interval of an improvement in whole per cent; empty where nothing was repeated."""
    if of is None or of.low is None or of.high is None:
        return ""
    low, high = (f"{100 * bound:,.0f}" for bound in (of.low, of.high))
    return f"{low}{dash}{high}" if of.low >= 0 else f"{low} to {high}"


def score(value: float | None) -> str:
    """A score: four digits that count; whole numbers from a thousand on."""
    return NONE if value is None else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def ratio(value: float | None) -> str:
    """A normalised score: 0 is the starter's, 1 the reference's."""
    return NONE if value is None else f"{value:.2f}"


def count(number: int) -> str:
    return f"{number:,}"


def dollars(cost: float | None) -> str:
    """US dollars; a dash where the provider's prices are not known."""
    if cost is None:
        return NONE
    return f"${cost:.2f}" if cost >= 0.01 or cost == 0 else f"${cost:.4f}"


def price(value: float | NoPrice) -> str:
    """Dollars, or a dash and why there are none."""
    return f"{NONE} ({value.value})" if isinstance(value, NoPrice) else dollars(value)


def mean(value: float | None) -> str:
    """A mean or a median: one decimal below a hundred, none from there on."""
    return NONE if value is None else f"{value:,.0f}" if value >= 99.95 or value == int(value) else f"{value:.1f}"


def duration(seconds: float) -> str:
    """Seconds in words: 8.2 s, 3 min 05 s, 2 h 07 min."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"
