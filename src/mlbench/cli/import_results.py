"""`mlbench import`: bring results of other harnesses into logs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mlbench.cli.options import LogDir
from mlbench.records import Policy

imports = typer.Typer(help="Bring results of other harnesses into logs.", no_args_is_help=True)


@imports.callback()
def import_results() -> None:
    """Bring results of other harnesses into logs."""


@imports.command("harbor")
def import_harbor(
    jobs: Annotated[list[Path], typer.Argument(help="Folders of Harbor jobs, each of one agent and one model.")],
    suite: Annotated[
        str, typer.Option(help="Suite that the tasks were exported from: its name, or the path of its folder.")
    ] = "pocket",
    log_dir: LogDir = Path("logs"),
) -> None:
    """Write a log for each job of Harbor, and show its table.

    The verdicts are those that the judge gave in Harbor. `mlbench report` and `mlbench results` read the logs.
    """
    from mlbench.cli.output import show_run
    from mlbench.harbor.import_job import import_job
    from mlbench.suites.suite import load_suite

    loaded = load_suite(suite)
    for job in jobs:
        from inspect_ai.log import read_eval_log

        show_run(read_eval_log(str(import_job(job, loaded, log_dir))), Policy.STRICT)
