"""`mlbench analyse timeline`: pass rates before and after a model's cut-off."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mlbench.cli.options import JsonFile, at_least
from mlbench.records import Policy

Logs = Annotated[list[Path], typer.Argument(help="Logs of mlbench eval or agent, or folders of logs.")]
Decides = Annotated[
    Policy | None, typer.Option("--policy", help="Rule that decides which answers pass (default: the log's first).")
]


def analyse_timeline(
    logs: Logs,
    cutoff: Annotated[
        list[str] | None,
        typer.Option(help="End of a model's training data, as MODEL=YYYY-MM or YYYY-MM..YYYY-MM; may be repeated."),
    ] = None,
    window: Annotated[int, typer.Option(help="Months of a window.")] = 6,
    policy: Decides = None,
    json_file: JsonFile = None,
) -> None:
    """Compare pass rates before and after a model's cut-off.

    A row's day is that of its repository's commit. If the day or the cut-off is not known, the finding is undecided.
    """
    at_least(1, window=window)
    from rich.console import Console

    from mlbench.results.analyses.tables import show, write_json
    from mlbench.results.logs import read_runs
    from mlbench.results.memory.cutoffs import given_cutoffs
    from mlbench.results.memory.run_suites import of_rows
    from mlbench.results.memory.timeline import timeline

    runs = of_rows(read_runs(logs))
    models = list(dict.fromkeys(run.model for run in runs))
    sheets = timeline(runs, given_cutoffs(cutoff or [], models), policy, window)
    show(sheets, Console())
    if json_file is not None:
        write_json(sheets, ", ".join(dict.fromkeys(run.suite for run in runs)), json_file)
