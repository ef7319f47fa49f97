"""`mlbench probe`: check whether a repository's programs accept a command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from mlbench.cli.options import CheckWorkers, at_least
from mlbench.records import RunError, UsageError

NO_SANDBOX = 4
"""Exit code if the check could not run."""


def probe(
    directory: Annotated[Path, typer.Argument(help="Folder of the repository.")],
    command: Annotated[
        list[str] | None, typer.Argument(help="The command after `--`, or a whole script as one argument.")
    ] = None,
    cwd: Annotated[str, typer.Option(help="Working folder of the command, inside the repository.")] = ".",
    batch: Annotated[Path | None, typer.Option(help="JSON Lines file of commands; each line has cwd and code.")] = None,
    environment: Annotated[
        Path | None,
        typer.Option(help="Virtual environment of the repository (default: missing packages are replaced by stubs)."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON instead of text; --batch always prints JSON Lines.")
    ] = False,
    workers: CheckWorkers = None,
) -> None:
    """Check whether a repository's programs accept a command.

    The program runs in a sandbox only until it has read its arguments. Prints whether it accepts them, and the
    configuration that it reads from them.

    Exit codes: 0 accepted, 1 rejected, 2 wrong usage, 3 undecided or broken, 4 no sandbox. With --batch: 0, or 1 if a
    line is malformed.
    """
    if (batch is None) == (not command):
        raise UsageError("give either `-- COMMAND ...` or --batch FILE.jsonl")
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
