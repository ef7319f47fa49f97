"""`mlbench verify`, `probe`, `report`: answers that are there already."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from mlbench.cli.options import (
    Display,
    LogDir,
    Memory,
    Output,
    PaperTimeout,
    Processes,
    Remember,
    Sandbox,
    Seconds,
    Workers,
    Written,
    at_least,
    limits,
)
from mlbench.cli.showing import show_run
from mlbench.types import Policy, RunError, UsageError

NO_SANDBOX = 4
"""The exit code of `mlbench probe` if the check itself could not be done."""


def verify(
    outputs: Annotated[Path, typer.Argument(help="JSON Lines: id, github_id, output (a list of replies).")],
    suite: Annotated[str, typer.Option(help="A bundled suite, or the folder of one.")] = "pocket",
    policy: Annotated[Policy, typer.Option(help="Whose verdicts count.")] = Policy.STRICT,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write every verdict, an object a line.")] = None,
    sandbox: Sandbox = "bubblewrap",
    time_limit: Seconds = 60.0,
    memory_limit: Memory = 2048,
    disk_limit: Written = 256,
    process_limit: Processes = 256,
    output_limit: Output = 1,
    paper_timeout: PaperTimeout = 10.0,
    workers: Workers = None,
    remember: Remember = True,
    max_samples: Annotated[int | None, typer.Option(help="Samples under way at the same time.")] = None,
    log_dir: LogDir = Path("logs"),
    display: Display = None,
) -> None:
    """Judge answers that were made elsewhere."""
    from mlbench import runs

    at_least(1, max_samples=max_samples)
    from mlbench.results.records import read_run
    from mlbench.results.verdicts import write_verdicts
    from mlbench.samples.outputs import read_outputs
    from mlbench.samples.suites import full_name
    from mlbench.tasks.verify import verify as verify_task

    faults = read_outputs(outputs, suite).faults
    for fault in faults:
        print(f"mlbench: {fault}", file=sys.stderr)
    bounds = limits(time_limit, memory_limit, disk_limit, process_limit, output_limit)
    task = verify_task(str(outputs.resolve()), full_name(suite), sandbox, paper_timeout, bounds, workers, remember)
    options = runs.Options(log_dir=log_dir, display=display, max_samples=max_samples)
    log = runs.run(task, "mlbench/replay", options)
    if json_file is not None and log.samples:
        write_verdicts(read_run(Path(log.location.removeprefix("file://"))), policy, json_file)
    show_run(log, policy)
    if faults:
        raise RunError(f"{len(faults)} malformed line{'s' * (len(faults) > 1)} in {outputs}; the rest was judged")


def probe(
    directory: Annotated[Path, typer.Argument(help="The repository's folder.")],
    command: Annotated[list[str] | None, typer.Argument(help="After `--`: a command, or a script as one word.")] = None,
    cwd: Annotated[str, typer.Option(help="The folder in the repository that it runs in.")] = ".",
    batch: Annotated[Path | None, typer.Option(help="JSON Lines instead of a command: cwd, code.")] = None,
    environment: Annotated[
        Path | None, typer.Option(help="A virtual environment; without one, what is missing is stubbed.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON instead of text; a batch is JSON Lines anyway.")
    ] = False,
    workers: Workers = None,
) -> None:
    """Say whether a repository's programs accept a command, and with which configuration; nothing is run past that.

    Exit codes: 0 accepted, 1 rejected, 3 undecided or broken, 2 a wrong question, 4 no sandbox. A batch: 0, or 1 if a
    line was malformed.
    """
    if (batch is None) == (not command):
        raise UsageError("one of both: `-- COMMAND ...`, or --batch FILE.jsonl")
    at_least(1, workers=workers)
    if batch is not None:
        _probe_batch(directory, batch, environment, workers)
        return
    from mlbench.cli.probe_text import EXIT_CODES, text_of
    from mlbench.invocations.batch import check, json_of

    words = command or []
    try:
        found = check(directory, words[0] if len(words) == 1 else words, cwd, environment=environment)
    except RunError as error:  # 1 says that the command was rejected
        print(f"mlbench: {error}", file=sys.stderr)
        raise typer.Exit(NO_SANDBOX) from error
    print(json_of(found, indent=2) if as_json else text_of(found))
    raise typer.Exit(EXIT_CODES[found.status])


def _probe_batch(directory: Path, batch: Path, environment: Path | None, workers: int | None) -> None:
    from mlbench.invocations.batch import probe_batch

    faults = 0
    for line, fault in probe_batch(directory, batch, environment, workers):
        print(line, flush=True)
        if fault:
            faults += 1
            print(f"mlbench: {fault}", file=sys.stderr)
    if faults:
        raise RunError(f"{faults} malformed line{'s' * (faults > 1)} in {batch}; the rest was checked")


def report(
    logs: Annotated[list[Path], typer.Argument(help="Logs, or folders of logs.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the page.")] = Path("report"),
    policy: Annotated[Policy, typer.Option(help="Whose verdicts the table shows; the page shows all.")] = Policy.STRICT,
) -> None:
    """Show one table of all runs, and write one page with every answer and why it passed or failed."""
    from rich.console import Console

    from mlbench.results.logs import read_runs
    from mlbench.results.report import write_report
    from mlbench.results.table import show

    found = read_runs(logs)
    show(found, policy, Console())
    print(f"report: {write_report(found, output)}")
