"""`mlbench suites`: show, export, check and fetch suites."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from mlbench.cli.options import JsonFile, RowOptions, SuiteName, Tokenizer, expand_options
from mlbench.cli.suite_checks import suites_check, suites_lock, suites_oracle
from mlbench.records import RunError, UsageError

if TYPE_CHECKING:
    from mlbench.suites.hub_dataset import HubRows
    from mlbench.suites.suite import Suite

suites = typer.Typer(help="Show, export, check or fetch suites.", invoke_without_command=True)

_MOST = 20
"""Most reasons for leaving rows out that are printed; a hostile table could give thousands."""


@suites.callback()
def suites_all(context: typer.Context) -> None:
    """List the bundled and fetched suites, or run a command on one."""
    if context.invoked_subcommand is None:
        suites_list()


@suites.command("list")
def suites_list() -> None:
    """List the bundled and fetched suites with their numbers of rows."""
    from mlbench.suites import suite as rooms
    from mlbench.suites.export import counted

    for name in rooms.bundled() + rooms.fetched():
        try:
            loaded = rooms.load_suite(name)
            print(f"{loaded.name}, version {loaded.version}: {len(loaded.repositories)} repositories")
            if loaded.rows is None:
                loaded.refuse_absent()
            splits = loaded.splits
        except UsageError as error:
            print(f"  {error}")
            continue
        for split, rows in splits.items():
            print(f"  {split:<10} {counted(rows)}")


@suites.command("show")
def suites_show(
    name: SuiteName,
    row: Annotated[int | None, typer.Option(help="Show only the row with this id, with its recipe and prompt.")] = None,
    setting: Annotated[
        str | None, typer.Option(help="Setting of the row's prompt (default: oracle; `mlbench list settings`).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the row as JSON instead of text.")] = False,
) -> None:
    """Show a suite's repositories and numbers of rows, or one row."""
    from mlbench.suites import suite as rooms
    from mlbench.suites.export import counted

    suite = rooms.load_suite(name)
    if row is not None:
        _show_row(suite, row, setting or "oracle", as_json)
        return
    if setting is not None or as_json:
        raise UsageError(f"{'--json' if as_json else '--setting'} needs a row: --row ID")
    splits = suite.splits
    print(f"{suite.name}, version {suite.version}")
    if suite.rows is not None:
        print(f"rows from {suite.root / suite.rows}" + f", revision {suite.revision}" * bool(suite.revision))
    for split, samples in splits.items():
        print(f"  {split:<10} {counted(samples)}")
    print("repositories (rows in " + ", ".join(splits) + ")")
    width = max(14, *(len(repository.name) for repository in suite.repositories), 0)
    for repository in suite.repositories:
        counts = " ".join(
            f"{sum(row.github_id == repository.github_id for row in samples):>5}" for samples in splits.values()
        )
        print(f"  {repository.name:<{width}}{counts}   {repository.domain}, {repository.role}")


def _show_row(suite: Suite, row: int, setting: str, as_json: bool) -> None:
    """Print one row with its recipe and its prompt."""
    import json
    import shutil
    from dataclasses import asdict

    from mlbench.cli.row_view import lines_of, row_view

    view = row_view(suite, row, setting)
    if as_json:
        print(json.dumps(asdict(view), indent=2, ensure_ascii=True))
    else:
        print("\n".join(lines_of(view, shutil.get_terminal_size((80, 24)).columns)))


@suites.command("export")
@expand_options()
def suites_export(
    name: SuiteName,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write the files into.")],
    form: Annotated[
        Literal["jsonl", "parquet", "harbor"] | None,
        typer.Option(
            "--format",
            help="Write only this format (default: jsonl and parquet, or only jsonl if pyarrow is not installed)."
            " harbor writes a task of Harbor for each row.",
        ),
    ] = None,
    *,
    rows: RowOptions,
) -> None:
    """Write the rows as JSON Lines, Parquet or Harbor tasks.

    --split, --limit and --repo choose the rows of harbor; the other formats hold all rows.
    """
    from mlbench.suites.suite import load_suite

    if form == "harbor":
        from mlbench.harbor.export import HarborTasks
        from mlbench.suites.selection import select

        suite = load_suite(name)
        for task in HarborTasks(suite).write(select(suite, rows.split, repo=rows.repo, limit=rows.limit), output):
            print(task)
        return
    if rows != RowOptions():
        raise UsageError("--split, --limit and --repo need --format harbor: the other formats hold all rows")
    from mlbench.suites.export import export

    for file in export(load_suite(name), output, form):
        print(file)


suites.command("check")(suites_check)
suites.command("lock")(suites_lock)
suites.command("oracle")(suites_oracle)


@suites.command("fetch")
def suites_fetch(
    name: Annotated[str, typer.Argument(help="Name of the suite; only ml-bench has published rows.")],
    source: Annotated[
        Path | None,
        typer.Option("--from", help="Parquet or JSONL file, or a folder of them, to read instead of the Hub."),
    ] = None,
    revision: Annotated[
        str | None, typer.Option(help="Commit, branch or tag on the Hub (default: its newest commit).")
    ] = None,
) -> None:
    """Download the published rows of ML-Bench as a suite.

    The rows are checked. They become the suite ml-bench-published.
    """
    from mlbench.suites import hub, hub_dataset

    if name != hub_dataset.SUITE:
        raise UsageError(f"suite {name} has no published rows; try `mlbench suites fetch {hub_dataset.SUITE}`")
    if source is not None and revision is not None:
        raise UsageError("--revision is only for the Hub: leave it out with --from")
    if source is not None:
        files, exact = hub_dataset.local_files(source), ""
    else:
        instead = "; from files: --from DIR; for rows made here: `mlbench build ml-bench -o DIR`"
        snapshot = hub.download(hub_dataset.COUNTS, revision, instead)
        files, exact = snapshot.files, f"{hub.DATASET}@{snapshot.revision}"
    found = hub_dataset.collect(files)
    folder = hub_dataset.keep(found, exact)
    _tell(found)
    print(f"{hub_dataset.NAME}, {exact or source}: " + ", ".join(f"{s} {len(r):,}" for s, r in found.rows.items()))
    print(f"stored in {folder}; next: `mlbench eval {hub_dataset.NAME} --model …`")
    if found.faults:
        n = len(found.faults)
        raise RunError(f"{n} place{'s' * (n > 1)} could not be read; the rest is stored")


@suites.command("stats")
def suites_stats(name: SuiteName, tokenizer: Tokenizer = "estimate", json_file: JsonFile = None) -> None:
    """Show statistics of a suite beside the published ones.

    Counts rows and tasks per repository, and the length and variety of instructions.
    """
    from rich.console import Console

    from mlbench.prompts.tokens import counter
    from mlbench.results.analyses.overview import overview
    from mlbench.results.analyses.tables import show, write_json
    from mlbench.suites.suite import load_suite

    suite = load_suite(name)
    sheets = overview(suite, counter(tokenizer))
    show(sheets, Console())
    if json_file is not None:
        write_json(sheets, suite.name, json_file)


def _tell(found: HubRows) -> None:
    """Print faults and warnings to standard error, one per line."""
    from mlbench.results.format import printable

    lines = [*found.faults]
    lines += [
        f"{left.split}: {left.count:,} left out: {left.reason} (first: {left.first})" for left in found.left_out[:_MOST]
    ]
    if len(found.left_out) > _MOST:
        lines.append(f"and {len(found.left_out) - _MOST} more reasons to leave rows out")
    for line in [*lines, *(f"warning: {warning}" for warning in found.warnings)]:
        print(f"mlbench: {printable(line)}", file=sys.stderr)
