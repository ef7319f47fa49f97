"""`mlbench report`: compare runs in a table and on a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mlbench.cli.output import paused_collector
from mlbench.records import Policy
from mlbench.results.log_paths import refuse_missing


def report(
    logs: Annotated[list[Path], typer.Argument(help="Logs, or folders of logs.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write the page into.")] = Path("report"),
    policy: Annotated[
        Policy, typer.Option(help="Rule that decides which answers pass in the table; the page shows all rules.")
    ] = Policy.STRICT,
) -> None:
    """Compare runs in a table, and write a page with every answer.

    The page is one HTML file. It shows why each answer passed or failed.
    """
    refuse_missing(logs)
    from rich.console import Console

    from mlbench.results.logs import read_runs
    from mlbench.results.report import write_report
    from mlbench.results.table import show

    with paused_collector():
        found = read_runs(logs)
        show(found, policy, Console())
        print(f"report: {write_report(found, output)}")
