"""`mlbench analyse errors|claims|documentation`: the errors of runs, and what goes with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlbench.cli.options import JsonFile
from mlbench.records import Policy, UsageError

if TYPE_CHECKING:
    from mlbench.results.models import RunRecord

Logs = Annotated[list[Path], typer.Argument(help="Logs, or folders of logs.")]
JudgedBy = Annotated[
    Policy | None, typer.Option("--policy", help="Rule that decides which answers failed (default: strict, if it ran).")
]


def analyse_errors(
    logs: Annotated[list[Path] | None, typer.Argument(help="Logs, or folders of logs.")] = None,
    policy: JudgedBy = None,
    transitions: Annotated[
        tuple[Path, Path] | None,
        typer.Option(metavar="A B", help="Show what becomes of the answers of log A in log B, instead."),
    ] = None,
    csv_file: Annotated[Path | None, typer.Option("--csv", help="Write every count to this file as CSV.")] = None,
    json_file: JsonFile = None,
    plots: Annotated[Path | None, typer.Option(help="Folder to draw the figures into, as SVG.")] = None,
) -> None:
    """Count the errors of failed answers (figures 6 to 8).

    The tables are by model, setting, answer type and repository. For logs of
    experiments, they show in which of five ways attempts failed. --transitions
    compares two logs row by row, for example oracle and retrieval.
    """
    from rich.console import Console

    from mlbench.results.analyses import tables

    if transitions is not None:
        if logs or csv_file or plots:
            raise UsageError("--transitions A B names its two logs; leave other logs, --csv and --plots out")
        from mlbench.results.analyses.transitions import transitions as paired

        runs = [_one(path) for path in transitions]
        sheets = [paired(runs[0], runs[1], policy or _headline(runs)).sheet()]
        tables.show(sheets, Console())
        if json_file is not None:
            tables.write_json(sheets, runs[0].suite, json_file)
        return
    if not logs:
        raise UsageError("no log is given: name logs, folders of logs, or two logs with --transitions A B")
    runs = _runs(logs)
    if all(run.experiments for run in runs):
        _experiments(runs, csv_file, json_file, plots)
        return
    from mlbench.results.analyses import error_tables
    from mlbench.results.analyses.errors import error_counts

    counts = error_counts(runs, policy or _headline(runs))
    tables.show(error_tables.sheets(runs, counts), Console())
    if csv_file is not None:
        error_tables.write_csv(counts, csv_file)
    if json_file is not None:
        error_tables.write_json(counts, json_file)
    if plots is not None:
        from mlbench.results.analyses.error_plots import write_plots

        for file in write_plots(runs, policy or _headline(runs), plots):
            print(f"plot: {file}")


def _experiments(runs: list[RunRecord], csv_file: Path | None, json_file: Path | None, plots: Path | None) -> None:
    from rich.console import Console

    from mlbench.results.analyses import tables
    from mlbench.results.mlagentbench.failures import failure_sheets

    if csv_file or plots:
        raise UsageError("the logs are of experiments, which have no E1 to E5; leave --csv and --plots out")
    sheets = failure_sheets(runs)
    if not sheets:
        raise UsageError("no experiment in these logs failed, and none kept its steps: there is nothing to count")
    tables.show(sheets, Console())
    if json_file is not None:
        tables.write_json(sheets, "experiments", json_file)


def analyse_claims(logs: Logs, policy: JudgedBy = None, json_file: JsonFile = None) -> None:
    """Test the paper's statements on errors (section 5.2).

    Each is confirmed, refuted or undecided, with a 95 % interval.
    """
    from rich.console import Console

    from mlbench.results.analyses import claim_results, tables

    runs = _runs(logs)
    sheets = claim_results.sheet(claim_results.tested(runs, policy or _headline(runs)))
    tables.show(sheets, Console())
    if json_file is not None:
        tables.write_json(sheets, runs[0].suite, json_file)


def analyse_documentation(logs: Logs, policy: JudgedBy = None, json_file: JsonFile = None) -> None:
    """Look for each row's options in the shown documents.

    It also compares the shares of E1 and E2 of answers whose documents lack an option with those of the others.
    """
    from rich.console import Console

    from mlbench.results.analyses import tables
    from mlbench.results.analyses.documentation import audit

    runs = _runs(logs)
    sheets = audit(runs, policy or _headline(runs)).sheets()
    tables.show(sheets, Console())
    if json_file is not None:
        tables.write_json(sheets, runs[0].suite, json_file)


def _runs(paths: list[Path]) -> list[RunRecord]:
    from mlbench.results.logs import read_runs

    return read_runs(paths)


def _one(path: Path) -> RunRecord:
    """The only run at a path.

    Raises:
        UsageError: there are several.
    """
    runs = _runs([path])
    if len(runs) > 1:
        raise UsageError(f"{path}: holds {len(runs)} logs; --transitions needs one log on each side")
    return runs[0]


def _headline(runs: list[RunRecord]) -> Policy:
    """The first policy under which every run has verdicts; strict if there is none."""
    judged = [{policy for attempt in run.attempts for policy in attempt.verdicts} for run in runs]
    return next((policy for policy in Policy if all(policy in each for each in judged)), Policy.STRICT)
