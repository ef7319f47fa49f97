"""`mlbench repos`: the real repositories of the catalogue."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlbench.records import RunError, UsageError

if TYPE_CHECKING:
    from mlbench.repositories.catalogue import Pinned

repos = typer.Typer(help="The real repositories of the catalogue: pinned, fetched, verified.", no_args_is_help=True)


@repos.command("fetch")
def repos_fetch(
    names: Annotated[list[str] | None, typer.Argument(help="Of the catalogue; all where none is named.")] = None,
    mirror: Annotated[Path | None, typer.Option(help="A folder of clones, instead of the network.")] = None,
    suite: Annotated[str | None, typer.Option(help="Those that this suite pins, instead of the catalogue's.")] = None,
) -> None:
    """Make verified checkouts in the cache; those that are there are only looked at."""
    from mlbench.repositories import catalogue
    from mlbench.repositories.fetch import fetch

    if mirror is not None and not mirror.is_dir():
        raise UsageError(f"--mirror {mirror}: no such folder")
    wanted = _of_suite(suite, names) if suite else [catalogue.pinned(name) for name in names or catalogue.names()]
    failed = 0
    for entry in wanted:
        try:
            checkout = fetch(entry, mirror)
        except (UsageError, RunError) as error:  # the others can still be had
            failed += 1
            print(f"mlbench: {error}", file=sys.stderr)
            continue
        n = len(checkout.absent)
        lacking = f"; the source lacks {n} file{'s' * (n > 1)}, like {checkout.absent[0]}" if n else ""
        print(f"{entry.name} at {entry.commit[:12]}: {checkout.folder}{lacking}")
    if failed:
        raise RunError(f"{failed} of {len(wanted)} could not be fetched; the same command goes on")


def _of_suite(name: str, names: list[str] | None) -> list[Pinned]:
    from mlbench.suites.suite import load_suite

    suite = load_suite(name)
    for each in names or ():
        suite.repository(each)
    return [
        suite.pinned(each.name) for each in suite.repositories if each.catalogue and each.name in (names or [each.name])
    ]


@repos.command("list")
def repos_list() -> None:
    """Every repository of the catalogue: its pin, whether it is here, what is lacking, its size."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from mlbench.repositories import catalogue
    from mlbench.repositories.fetch import state

    table = Table(box=box.SIMPLE_HEAD, header_style="dim", show_edge=False)
    for heading in ("repository", "commit", "state", "files", "MB"):
        table.add_column(heading, justify="right" if heading in ("files", "MB") else "left")
    for name in catalogue.names():
        entry = catalogue.pinned(name)
        table.add_row(name, entry.commit[:12], state(entry), str(entry.files), f"{entry.bytes / 1e6:.1f}")
    Console().print(table)


@repos.command("lock")
def repos_lock(name: Annotated[str, typer.Argument(help="Of the catalogue.")]) -> None:
    """Print the file of a repository's locked packages, for `uv pip install --require-hashes -r FILE`."""
    from mlbench.repositories import catalogue

    lock = catalogue.pinned(name).lock
    if lock is None:
        raise UsageError(f"{name}: nobody has locked its packages")
    print(lock)
