"""`mlbench probe`: whether a repository's programs accept a command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from mlbench.cli.options import Workers, at_least
from mlbench.records import RunError, UsageError

NO_SANDBOX = 4
"""The exit code if the check itself could not be done."""


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
    from mlbench.interface_check.api import check, json_of

    words = command or []
    try:
        found = check(directory, words[0] if len(words) == 1 else words, cwd, environment=environment)
    except RunError as error:  # 1 says that the command was rejected
        print(f"mlbench: {error}", file=sys.stderr)
        raise typer.Exit(NO_SANDBOX) from error
    print(json_of(found, indent=2) if as_json else text_of(found))
    raise typer.Exit(EXIT_CODES[found.status])


def _probe_batch(directory: Path, batch: Path, environment: Path | None, workers: int | None) -> None:
    from mlbench.interface_check.api import probe_batch

    faults = 0
    for line, fault in probe_batch(directory, batch, environment, workers):
        print(line, flush=True)
        if fault:
            faults += 1
            print(f"mlbench: {fault}", file=sys.stderr)
    if faults:
        raise RunError(f"{faults} malformed line{'s' * (faults > 1)} in {batch}; the rest was checked")
