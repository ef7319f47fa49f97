"""`mlbench analyse forgetting`: what does a tuned model do worse than its base?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from mlbench.cli.options import JsonFile


def analyse_forgetting(
    logs: Annotated[list[Path], typer.Argument(help="Logs of any Inspect task, or folders of such logs.")],
    scorer: Annotated[str | None, typer.Option(help="Name of the score to compare (default: the first).")] = None,
    part: Annotated[str | None, typer.Option(help="Part of the score, if it has several.")] = None,
    json_file: JsonFile = None,
) -> None:
    """Compare models on other Inspect tasks, sample by sample.

    Run a general task, such as one of inspect_evals, with a model before and after tuning (`inspect eval`). Every two
    logs of one task are compared, with an interval and a test. The log that is named first, or is older, is A.
    """
    from rich.console import Console

    from mlbench.results.analyses.tables import show, write_json
    from mlbench.results.forgetting import forgetting, task_runs
    from mlbench.results.log_paths import refuse_missing

    refuse_missing(logs)
    runs, skipped = task_runs(logs, scorer, part)
    sheets, notes = forgetting(runs)
    for note in [*(f"skipped {each}" for each in skipped), *(f"note: {each}" for each in notes)]:
        print(f"mlbench: {note}", file=sys.stderr)
    show(sheets, Console())
    if json_file is not None:
        write_json(sheets, None, json_file)
