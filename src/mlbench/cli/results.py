"""`mlbench results`: runs beside each other and beside the published figures, in one long table."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from mlbench.cli.output import paused_collector
from mlbench.records import Policy, RunError, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from mlbench.results.logs import GatheredRuns
    from mlbench.results.paired import PairedComparison

Content: TypeAlias = "str | Callable[[Console], None]"
"""What is written: a text, or tables that draw themselves in a console."""


class ResultsFormat(StrEnum):
    """What the results are written as."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "md"


class GroupedBy(StrEnum):
    """Groups of rows that a grid shows."""

    ALL = "all"
    REPOSITORY = "repository"
    TYPE = "type"
    DOMAIN = "domain"


class PassEstimator(StrEnum):
    """How pass@k is computed."""

    FIRST_K = "first-k"
    UNBIASED = "unbiased"


def results(
    logs: Annotated[list[Path] | None, typer.Argument(help="Logs, or folders of logs.")] = None,
    form: Annotated[
        ResultsFormat, typer.Option("--format", help="Tables in the terminal, JSON, CSV or Markdown.")
    ] = ResultsFormat.TABLE,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write instead of printing.")] = None,
    policy: Annotated[
        Policy | None,
        typer.Option(help="Rule that decides which answers pass (default: strict, or the first that judged all runs)."),
    ] = None,
    by: Annotated[GroupedBy, typer.Option(help="Groups of rows that tables show.")] = GroupedBy.ALL,
    estimator: Annotated[
        PassEstimator, typer.Option(help="Pass@k in tables; first-k is the papers'. JSON and CSV have both.")
    ] = PassEstimator.FIRST_K,
    published: Annotated[
        bool, typer.Option("--published", help="Show the published figures too; without logs, every published table.")
    ] = False,
    paired: Annotated[
        bool,
        typer.Option(
            "--paired",
            help="Compare two runs row by row, with a test and an interval; or every two of one model and setting.",
        ),
    ] = False,
    show_config: Annotated[
        bool, typer.Option("--show-config", help="Show the command that makes each run again.")
    ] = False,
) -> None:
    """Compare runs with each other and with the published figures.

    JSON and CSV have one line for each figure of each group of rows. Tables have the papers' form. --paired adds
    comparisons of runs; its CSV has only these.
    """
    if not logs:
        if not published or paired:
            raise UsageError("no logs are given: name logs, or folders of logs, or --published for the papers' tables")
        _write(_papers(form), output)
        return
    from mlbench.results.comparable import common_policy, in_table_order, refuse_incomparable, without_twins
    from mlbench.results.logs import GatheredRuns, gather_runs
    from mlbench.results.paired import comparisons

    with paused_collector():
        found = without_twins(gather_runs(logs, as_named=paired))
        found = GatheredRuns(tuple(in_table_order(found.runs)), found.skipped)
        for skipped in found.skipped:
            print(f"mlbench: skipped {skipped.name}: {skipped.why}", file=sys.stderr)
        refuse_incomparable(found.runs)
        chosen = common_policy(found.runs, policy)
        compared = comparisons(found.runs, chosen) if paired else []
        _write(_results(found, compared, chosen, form, by, estimator, published, show_config), output)


def _results(
    found: GatheredRuns,
    compared: list[PairedComparison],
    policy: Policy,
    form: ResultsFormat,
    by: GroupedBy,
    estimator: PassEstimator,
    published: bool,
    show_config: bool,
) -> Content:
    from mlbench.results import markdown_tables, paired_views, result_files
    from mlbench.results.aggregate import result_records
    from mlbench.results.comparable import unequal_rows
    from mlbench.results.grids import grids
    from mlbench.results.published.published_records import published_records
    from mlbench.results.result_records import Estimator, GroupKind

    records = [record for run in found.runs for record in result_records(run, policy)]
    theirs = published_records() if published else ()
    if form is ResultsFormat.JSON:
        paired = paired_views.paired_records(compared)
        return result_files.as_json([*records, *theirs], found.runs, found.skipped, paired)
    if form is ResultsFormat.CSV and compared:
        return paired_views.paired_csv(compared)
    if form is ResultsFormat.CSV:
        return result_files.as_csv([*records, *theirs])
    shown = grids(records, theirs, GroupKind(by.value), Estimator(estimator.value))
    about = f"{found.runs[0].suite}, {', '.join(dict.fromkeys(run.split for run in found.runs))}, policy {policy.value}"
    if unequal := unequal_rows(found.runs):
        about = f"{about}. {unequal}"
    configured = found.runs if show_config else ()
    if form is ResultsFormat.MARKDOWN:
        parts = [markdown_tables.markdown(about), markdown_tables.as_markdown(shown, configured)]
        return "\n\n".join([*parts, *([paired_views.paired_markdown(compared)] if compared else [])])
    from rich.text import Text

    from mlbench.results.format import printable
    from mlbench.results.grid_table import show_grids
    from mlbench.results.judged_policies import rested_on
    from mlbench.results.run_labels import log_name

    def draw(console: Console) -> None:
        console.print(Text(printable(about), style="bold"))
        show_grids(shown, console)
        for run in found.runs:
            if policy is Policy.STRICT and (said := rested_on(run)):
                console.print(Text(f"  {log_name(run)}: {said}", style="dim"))
        for line in markdown_tables.configurations(configured):
            console.print(Text(printable(line)), soft_wrap=True)
        if compared:
            console.print()
            paired_views.show_paired(compared, console)

    return draw


def _papers(form: ResultsFormat) -> Content:
    from mlbench.results import result_files
    from mlbench.results.published.published_records import published_records
    from mlbench.results.published.published_sheets import published_markdown, show_published

    if form is ResultsFormat.JSON:
        return result_files.as_json(published_records(), (), ())
    if form is ResultsFormat.CSV:
        return result_files.as_csv(published_records())
    return published_markdown() if form is ResultsFormat.MARKDOWN else show_published


def _write(content: Content, output: Path | None) -> None:
    """Print the content, or write it to a file.

    Raises:
        RunError: the file cannot be written.
    """
    from io import StringIO

    from rich.console import Console

    if output is None:
        if isinstance(content, str):
            sys.stdout.write(content)
        else:
            content(Console())
        return
    text = StringIO()
    if isinstance(content, str):
        text.write(content)
    else:
        content(Console(file=text, width=Console().width))
    try:
        output.write_text(text.getvalue(), encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise RunError(f"cannot write {output}: {error.strerror}; name another file with -o") from error
