"""Write the report: one self-contained HTML page with all tables and every attempt."""

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
from mlbench.results.agents import AgentStats, stats_of_agents
from mlbench.results.aggregate import Group, Summary, summarise
from mlbench.results.group_records import ks_of
from mlbench.results.judged_policies import policies_of, rested_on
from mlbench.results.mlagentbench.report_section import experiments_section
from mlbench.results.mlagentbench.table import measure, starter_words
from mlbench.results.models import RunRecord
from mlbench.results.page_environment import page_environment
from mlbench.results.published.published_records import published_agents
from mlbench.results.report_counts import CountGroup, ending_groups, error_groups, verdict_groups
from mlbench.results.report_data import page_data
from mlbench.results.result_records import PHP_METRICS
from mlbench.results.statistics import RESAMPLES

NAME = "report.html"
STYLES = ("report.css", "explorer.css")
SCRIPTS = ("state.js", "diff.js", "list.js", "work.js", "experiment.js", "outcome.js", "detail.js", "page.js")


@dataclass(frozen=True)
class Named:
    """A run's label and description on the page."""

    name: str
    about: str


@dataclass(frozen=True)
class Side:
    """The runs of one benchmark under one policy.

    Attributes:
        first: number of the first run on the page, from 0.
    """

    bench: format.BenchNames
    policy: Policy
    first: int
    summaries: list[Summary]
    agent_stats: list[AgentStats]
    plots: list[Plot]

    @property
    def key(self) -> str:
        """Suffix of this part's heading ids, unique on the page."""
        return f"{self.bench.title.lower()}-{self.policy.value}"

    @property
    def judged(self) -> bool:
        """Whether this policy judged any attempt of these runs."""
        return self.policy in policies_of(self.bench.runs)

    @property
    def rested(self) -> list[str]:
        """Of each run of which only some answers were run, how many."""
        said = [(self.first + n, rested_on(run)) for n, run in enumerate(self.bench.runs, start=1)]
        return [f"Run {number}: {text}" for number, text in said if text] if self.policy is Policy.STRICT else []

    @property
    def ks(self) -> list[int]:
        """The k of pass@k in the first table."""
        return sorted({k for run in self.bench.runs for k in ks_of(run.each)})

    @property
    def shown_ks(self) -> list[int]:
        """The k of pass@k in the tables by type and repository: the smallest and the largest."""
        return [self.ks[0], self.ks[-1]] if len(self.ks) > 1 else self.ks

    @property
    def endings(self) -> list[CountGroup]:
        """Attempts by the stage and the reason of their verdict."""
        return verdict_groups(self.summaries, self.policy)

    @property
    def errors(self) -> list[CountGroup]:
        """Failed attempts by error class."""
        return error_groups(self.summaries, self.policy)

    @property
    def agent_policies(self) -> list[Policy]:
        """The policies that judged runs of agents."""
        return agent_table.judged_by(self.agent_stats)

    @property
    def agent_note(self) -> str:
        """What the table of agents' success rates means."""
        return agent_table.rules_note(self.agent_policies)

    @property
    def beside_published(self) -> bool:
        """Whether the published results of agents are of the same suite."""
        return self.bench.agents and self.bench.runs[0].suite == agent_table.PUBLISHED_SUITE

    @property
    def endings_of_agents(self) -> list[CountGroup]:
        """Attempts by how the agent ended; empty if models answered."""
        return ending_groups(self.agent_stats, agent_table.ordered(self.agent_stats), self.policy)


@dataclass(frozen=True)
class Plot:
    caption: str
    svg: Markup


def write_report(runs: Sequence[RunRecord], folder: Path) -> Path:
    """Write `report.html` into a folder; an old page is replaced atomically.

    Args:
        runs: of one suite.
        folder: created if needed.

    Raises:
        UsageError: there is no run, the runs are of different suites or versions, or a log is missing.
        RunError: the page cannot be written.
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
    """Return the page as text.

    Raises:
        UsageError: there is no run, the runs are of different suites or versions, or a log is missing.
    """
    benches = format.benches(runs)
    runs = [run for bench in benches for run in bench.runs]
    names = format.labels(runs)
    judged = [bench for bench in benches if not bench.experiments]
    by_policy = {policy: _sides(judged, names, policy) for policy in policies_of(runs)} if judged else {}
    others = [bench for bench in benches if bench.experiments]
    environment = _environment()
    script = _script(environment)
    return environment.get_template("report.html.jinja").render(
        suite=format.suites(benches),
        versions=_versions(benches),
        runs=[Named(name, _about(run)) for name, run in zip(names, runs, strict=True)],
        attempts=sum(run.expected for run in runs),
        by_policy=by_policy,
        experiments=experiments_section(others[0].runs, names, len(runs) - len(others[0].runs)) if others else None,
        resamples=RESAMPLES,
        php_metrics=PHP_METRICS,
        published=published_agents(),
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
        agent_stats = [stats_of_agents(run) for run in bench.runs] if bench.agents else []
        sides.append(Side(bench, policy, first, summaries, agent_stats, _plots(summaries, names, first)))
    return sides


def _versions(benches: Sequence[format.BenchNames]) -> str:
    """The task's version; of several tasks, each one's."""
    if len(benches) == 1:
        return f"task version {format.printable(benches[0].runs[0].version)}"
    titles = (f"{bench.title.lower()}: task version {format.printable(bench.runs[0].version)}" for bench in benches)
    return " · ".join(titles)


def _environment() -> jinja2.Environment:
    environment = page_environment("mlbench.results")
    environment.filters |= {
        "interval": format.interval,
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
        "starter": starter_words,
        "measure": measure,
        "group_names": _group_names,
        "group_of": _group_of,
    }
    return environment


def _source(environment: jinja2.Environment, name: str) -> str:
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _script(environment: jinja2.Environment) -> str:
    sources = "".join(_source(environment, name) for name in SCRIPTS)
    return f'"use strict";\nconst COLOURS = {len(plots.COLOURS)};\n{web.source(web.MADE)}{sources}'


def _hash(script: str) -> str:
    """The hash that the page's content security policy allows: only this script may run."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"sha256-{digest}"


def _about(run: RunRecord) -> str:
    parts = [*format.about(run), run.started[:16].replace("T", " ")]
    if run.status != "success":
        parts.append(run.status)
    return " · ".join(format.printable(part) for part in parts if part)


def _plots(summaries: Sequence[Summary], names: Sequence[str], first: int) -> list[Plot]:
    """The plots of some runs in their colours; the first run has the number `first` on the page."""
    named = names[first : first + len(summaries)]
    drawn = [
        ("Pass@k with 95 % intervals, unbiased", plots.rates(summaries, named, first)),
        ("Pass@1 by repository, unbiased", plots.repositories(summaries, named, first)),
    ]
    return [Plot(caption, Markup(svg)) for caption, svg in drawn if svg]


def _gaps(summaries: Iterable[Summary], k: int) -> bool:
    """Whether a run has samples that do not count for pass@k."""
    return any((at := summary.overall.pass_at(k)) and at.scored < at.total for summary in summaries)


def _groups(summary: Summary, key: str) -> tuple[Group, ...]:
    groups: tuple[Group, ...] = getattr(summary, key)
    return groups


def _group_names(summaries: Iterable[Summary], key: str) -> list[str]:
    return list(dict.fromkeys(group.name for summary in summaries for group in _groups(summary, key)))


def _group_of(summary: Summary, key: str, name: str) -> Group | None:
    return next((group for group in _groups(summary, key) if group.name == name), None)
