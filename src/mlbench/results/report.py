"""Write the report: one self-contained HTML page with all tables and every attempt."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

import jinja2
from markupsafe import Markup

from mlbench import web
from mlbench.atomic_write import write_file
from mlbench.records import RunError
from mlbench.results import agent_table, format, plots
from mlbench.results.aggregate import Group, Summary
from mlbench.results.benches import BenchNames, benches, suites
from mlbench.results.judged_policies import policies_of
from mlbench.results.mlagentbench import table
from mlbench.results.mlagentbench.report_section import ExperimentsSection, experiments_section
from mlbench.results.models import RunRecord
from mlbench.results.page_environment import page_environment, source
from mlbench.results.published.published_records import published_agents
from mlbench.results.report_data import page_data
from mlbench.results.report_sides import placed, report_sides
from mlbench.results.result_records import PHP_METRICS
from mlbench.results.run_labels import about, labels
from mlbench.results.statistics import RESAMPLES

NAME = "report.html"
STYLES = ("report.css", "explorer.css")
SCRIPTS = (
    "state.js",
    "diff.js",
    "list.js",
    "matrix.js",
    "work.js",
    "experiment.js",
    "outcome.js",
    "detail.js",
    "page.js",
)


@dataclass(frozen=True)
class Named:
    """A run's label and description on the page."""

    name: str
    about: str


def write_report(runs: Sequence[RunRecord], folder: Path) -> Path:
    """Write `report.html` into a folder; an old page is replaced atomically.

    Args:
        runs: of one suite, or of several, which become groups.
        folder: created if needed.

    Raises:
        UsageError: there is no run, runs of one suite are of different versions, or a log is missing.
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
        UsageError: there is no run, runs of one suite are of different versions, or a log is missing.
    """
    groups = benches(runs)
    runs = [run for bench in groups for run in bench.runs]
    names = labels(runs)
    by_policy = {policy: report_sides(groups, names, policy) for policy in policies_of(runs)}
    judged = any(by_policy.values())
    environment = _environment()
    script = _script(environment)
    return environment.get_template("report.html.jinja").render(
        suite=suites(groups),
        versions=_versions(groups),
        runs=[Named(name, _about(run)) for name, run in zip(names, runs, strict=True)],
        attempts=sum(run.expected for run in runs),
        by_policy=by_policy if judged else {},
        experiments=_experiments(groups, names),
        resamples=RESAMPLES,
        php_metrics=PHP_METRICS,
        meanings=format.MEANINGS,
        published=published_agents(),
        published_title=agent_table.PUBLISHED,
        published_experiments=table.PUBLISHED,
        colours=plots.COLOURS,
        css=Markup(web.source(web.COLOURS) + "".join(source(environment, style) for style in STYLES)),
        script=Markup(script),
        script_hash=_hash(script),
        data=Markup(page_data(runs, names)),
    )


def _experiments(benches: Sequence[BenchNames], names: Sequence[str]) -> list[ExperimentsSection]:
    return [
        experiments_section(bench.runs, names, first, heading, number)
        for number, (bench, heading, first) in enumerate(placed(benches))
        if bench.experiments
    ]


def _versions(benches: Sequence[BenchNames]) -> str:
    """The task's version; of several tasks, each one's."""
    if len(benches) == 1:
        return f"task version {format.printable(benches[0].runs[0].version)}"
    several = len({bench.suite for bench in benches if not bench.experiments}) > 1
    return " · ".join(
        f"{bench.suite + ', ' if several and not bench.experiments else ''}{bench.title.lower()}:"
        f" task version {format.printable(bench.runs[0].version)}"
        for bench in benches
    )


def _environment() -> jinja2.Environment:
    environment = page_environment("mlbench.results")
    environment.filters |= {
        "interval": format.interval,
        "price": format.price,
        "mean": format.mean,
        "duration": format.duration,
        "urlencode": partial(urlencode, errors="replace"),  # a hostile name may hold lone surrogates
        "index": enumerate,
        "gaps": _gaps,
        "change": format.change,
        "change_between": format.change_between,
        "score": format.score,
        "ratio": format.ratio,
        "starter": table.starter_words,
        "measure": table.measure,
        "group_names": _group_names,
        "group_of": _group_of,
    }
    return environment


def _script(environment: jinja2.Environment) -> str:
    sources = "".join(source(environment, name) for name in SCRIPTS)
    return f'"use strict";\nconst COLOURS = {len(plots.COLOURS)};\n{web.source(web.MADE)}{sources}'


def _hash(script: str) -> str:
    """The hash that the page's content security policy allows: only this script may run."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"sha256-{digest}"


def _about(run: RunRecord) -> str:
    parts = [*about(run), run.started[:16].replace("T", " ")]
    if run.status != "success":
        parts.append(run.status)
    return " · ".join(format.printable(part) for part in parts if part)


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
