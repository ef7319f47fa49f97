"""`mlbench report`: one table and one page of all runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mlbench.records import Policy, UsageError


def report(
    logs: Annotated[list[Path], typer.Argument(help="Logs, or folders of logs.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the page.")] = Path("report"),
    policy: Annotated[Policy, typer.Option(help="Policy of the table; the page shows all.")] = Policy.STRICT,
) -> None:
    """Show one table of all runs, and write one page with every answer and why it passed or failed."""
    for path in logs:
        if not path.exists():
            raise UsageError(f"{path}: no such log or folder")
    from rich.console import Console

    from mlbench.results.logs import read_runs
    from mlbench.results.report import write_report
    from mlbench.results.table import show

    found = read_runs(logs)
    show(found, policy, Console())
    print(f"report: {write_report(found, output)}")
