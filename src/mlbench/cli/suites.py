"""`mlbench suites`: rows, recipes, and whether they are sound."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mlbench.types import RunError

suites = typer.Typer(help="Suites: repositories, recipes, rows.", invoke_without_command=True)

Name = Annotated[str, typer.Argument(help="A bundled suite, or the folder of one.")]


@suites.callback()
def suites_list(context: typer.Context) -> None:
    """List the bundled suites with their counts, or do something with one."""
    from mlbench.samples import suites as rooms
    from mlbench.samples.export import counted
    from mlbench.types import UsageError

    if context.invoked_subcommand is not None:
        return
    for bundled in rooms.bundled():
        loaded = rooms.load_suite(bundled)
        print(f"{loaded.name}, version {loaded.version}: {len(loaded.repositories)} repositories")
        try:
            splits = rooms.load_rows(bundled)
        except UsageError as error:
            print(f"  {error}")
            continue
        for split, rows in splits.items():
            print(f"  {split:<10} {counted(rows)}")


@suites.command("show")
def suites_show(name: Name) -> None:
    """Show a suite's repositories and rows."""
    from mlbench.samples import suites as rooms
    from mlbench.samples.export import counted

    suite, splits = rooms.load_suite(name), rooms.load_rows(name)
    print(f"{suite.name}, version {suite.version}")
    for split, samples in splits.items():
        print(f"  {split:<10} {counted(samples)}")
    print("repositories (rows in " + ", ".join(splits) + ")")
    for repository in suite.repositories:
        counts = " ".join(
            f"{sum(row.github_id == repository.github_id for row in samples):>5}" for samples in splits.values()
        )
        print(f"  {repository.name:<14}{counts}   {repository.domain}, {repository.role}")


@suites.command("export")
def suites_export(
    name: Name, output: Annotated[Path, typer.Option("--output", "-o", help="The folder for the files.")]
) -> None:
    """Write the rows as JSON Lines and Parquet."""
    from mlbench.samples.export import export
    from mlbench.samples.suites import load_suite

    for file in export(load_suite(name), name, output):
        print(file)


@suites.command("check")
def suites_check(name: Name) -> None:
    """Say what is wrong with the recipes."""
    from mlbench.samples.check import check
    from mlbench.samples.suites import load_suite

    suite = load_suite(name)
    faults = check(suite)
    print("\n".join(faults) if faults else f"{suite.name}: every recipe is sound")
    if faults:
        raise RunError(f"{len(faults)} fault{'s' * (len(faults) > 1)} in suite {suite.name}")


@suites.command("lock")
def suites_lock(name: Name) -> None:
    """Write the documentation segments' present hashes into the recipes."""
    from mlbench.samples.check import lock
    from mlbench.samples.suites import load_suite

    for recipe in lock(load_suite(name)):
        print(f"locked {recipe}")
