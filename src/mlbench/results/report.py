"""The report: one HTML page that needs nothing else, with every figure and every attempt."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import jinja2
from markupsafe import Markup

from mlbench import web
from mlbench.atomic_write import write_file
from mlbench.records import Policy, RunError
from mlbench.results import agent_table, format, plots
from mlbench.results.agents import AgentStats, labour
from mlbench.results.aggregate import Group, Summary, ks_of, summarise
from mlbench.results.analyses.published import published
from mlbench.results.explanations import explained
from mlbench.results.mlagentbench.report_section import laboratory
from mlbench.results.mlagentbench.table import measure, starter_words
from mlbench.results.models import RunRecord
from mlbench.results.report_data import page_data, policies_of
from mlbench.results.statistics import RESAMPLES

NAME = "report.html"
STYLES = ("report.css", "explorer.css")
SCRIPTS = ("state.js", "list.js", "work.js", "experiment.js", "outcome.js", "detail.js", "page.js")


@dataclass(frozen=True)
class Named:
    """A run as the page names it."""

    name: str
    about: str


@dataclass(frozen=True)
class Side:
    """The runs of one task under one policy. They are the page's runs from `first` on."""

    bench: format.BenchNames
    policy: Policy
    first: int
    summaries: list[Summary]
    labours: list[AgentStats]
    plots: list[Plot]

    @property
    def key(self) -> str:
        """Tells its headings' ids apart."""
        return f"{self.bench.title.lower()}-{self.policy.value}"

    @property
    def judged(self) -> bool:
        """Whether this policy judged anything here."""
        return self.policy in policies_of(self.bench.runs)

    @property
    def ks(self) -> list[int]:
        return sorted({k for run in self.bench.runs for k in ks_of(run.each)})

    @property
    def shown_ks(self) -> list[int]:
        return [self.ks[0], self.ks[-1]] if len(self.ks) > 1 else self.ks


@dataclass(frozen=True)
class Plot:
    caption: str
    svg: Markup


@dataclass(frozen=True)
class EndingCount:
    """How many attempts of each run ended at this stage for this reason."""

    stage: str
    reason: str
    passed: bool
    counts: list[int]


def write_report(runs: Sequence[RunRecord], folder: Path) -> Path:
    """Write `report.html` into a folder, which is made; a page that stands there is replaced once the new one is whole.

    Raises:
        UsageError: there is no run, they are of different suites or versions, or a log is no longer there.
        RunError: it cannot be written.
    """
    page = render_report(runs)
    target = folder / NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_file(target, page)
    except OSError as error:
        raise RunError(f"cannot write {target}: {error.strerror}; name another folder with -o") from error
    return target


def render_report(runs: Sequence[RunRecord]) -> str:
    """The page as text.

    Raises:
        UsageError: there is no run, they are of different suites or versions, or a log is no longer there.
    """
    benches = format.benches(runs)
    runs = [run for bench in benches for run in bench.runs]
    names = format.labels(runs)
    judged = [bench for bench in benches if not bench.experiments]
    by_policy = {policy: _sides(judged, names, policy) for policy in policies_of(runs)} if judged else {}
    others = [bench for bench in benches if bench.experiments]
    worked = [run for bench in judged if bench.agents for run in bench.runs]
    environment = _environment()
    script = _script(environment)
    return environment.get_template("report.html.jinja").render(
        suite=format.suites(benches),
        versions=_versions(benches),
        runs=[Named(name, _about(run)) for name, run in zip(names, runs, strict=True)],
        attempts=sum(run.expected for run in runs),
        by_policy=by_policy,
        laboratory=laboratory(others[0].runs, names, len(runs) - len(others[0].runs)) if others else None,
        outcomes=agent_table.ordered([labour(run) for run in worked]),
        resamples=RESAMPLES,
        meanings=format.MEANINGS,
        published=published().table_4,
        published_title=agent_table.PUBLISHED,
        colours=plots.COLOURS,
        css=Markup(web.source(web.COLOURS) + "".join(_source(environment, style) for style in STYLES)),
        script=Markup(script),
        script_hash=_hash(script),
        data=Markup(page_data(runs, names)),
    )


def _sides(benches: Sequence[format.BenchNames], names: Sequence[str], policy: Policy) -> list[Side]:
    sides: list[Side] = []
    for bench in benches:
        first = sum(len(side.summaries) for side in sides)
        summaries = [summarise(run, policy) for run in bench.runs]
        labours = [labour(run) for run in bench.runs] if bench.agents else []
        sides.append(Side(bench, policy, first, summaries, labours, _plots(summaries, names, first)))
    return sides


def _versions(benches: Sequence[format.BenchNames]) -> str:
    """The task's version; each one's where there are two tasks."""
    if len(benches) == 1:
        return f"task version {format.printable(benches[0].runs[0].version)}"
    said = (f"{bench.title.lower()}: task version {format.printable(bench.runs[0].version)}" for bench in benches)
    return " · ".join(said)


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("mlbench.results"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": format.percent,
        "interval": format.interval,
        "count": format.count,
        "dollars": format.dollars,
        "price": format.price,
        "mean": format.mean,
        "duration": format.duration,
        "urlencode": urlencode,
        "index": enumerate,
        "gaps": _gaps,
        "change": format.change,
        "change_between": format.change_between,
        "score": format.score,
        "ratio": format.ratio,
        "printable": format.printable,
        "starter": starter_words,
        "measure": measure,
        "lost": _lost,
        "group_names": _group_names,
        "group_of": _group_of,
        "endings": _endings,
        "fault_names": _fault_names,
        "explained": explained,
    }
    return environment


def _source(environment: jinja2.Environment, name: str) -> str:
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _script(environment: jinja2.Environment) -> str:
    sources = "".join(_source(environment, name) for name in SCRIPTS)
    return f'"use strict";\nconst COLOURS = {len(plots.COLOURS)};\n{web.source(web.MADE)}{sources}'


def _hash(script: str) -> str:
    """What the page's policy allows to run: this script and nothing else."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"sha256-{digest}"


def _about(run: RunRecord) -> str:
    parts = [*format.about(run), run.started[:16].replace("T", " ")]
    if run.status != "success":
        parts.append(run.status)
    return " · ".join(format.printable(part) for part in parts if part)


def _plots(summaries: Sequence[Summary], names: Sequence[str], first: int) -> list[Plot]:
    """Plots of the runs from `first` on, in the colours that they have on the page."""
    named = names[first : first + len(summaries)]
    drawn = [
        ("Pass@k with 95 % intervals, unbiased", plots.rates(summaries, named, first)),
        ("Pass@1 by repository, unbiased", plots.repositories(summaries, named, first)),
    ]
    return [Plot(caption, Markup(svg)) for caption, svg in drawn if svg]


def _gaps(summaries: Iterable[Summary], k: int) -> bool:
    """Whether any run has samples that do not count for pass@k."""
    return any((at := summary.overall.pass_at(k)) and at.scored < at.total for summary in summaries)


def _lost(summaries: Iterable[Summary]) -> bool:
    return any(summary.overall.scored < summary.overall.total for summary in summaries)


def _groups(summary: Summary, key: str) -> tuple[Group, ...]:
    return summary.by_type if key == "by_type" else summary.by_repository


def _group_names(summaries: Iterable[Summary], key: str) -> list[str]:
    return list(dict.fromkeys(group.name for summary in summaries for group in _groups(summary, key)))


def _group_of(summary: Summary, key: str, name: str) -> Group | None:
    return next((group for group in _groups(summary, key) if group.name == name), None)


def _endings(summaries: Sequence[Summary]) -> list[EndingCount]:
    found = [{(o.stage, o.reason, o.passed): o.count for o in summary.outcomes} for summary in summaries]
    keys = sorted({key for counts in found for key in counts}, key=lambda key: -sum(c.get(key, 0) for c in found))
    return [
        EndingCount(stage.value, reason, passed, [counts.get((stage, reason, passed), 0) for counts in found])
        for stage, reason, passed in keys
    ]


def _fault_names(summaries: Sequence[Summary]) -> list[str]:
    return sorted({name for summary in summaries for name in summary.faults})
