"""`mlbench twins`: a suite with a fresh twin of each row of another suite."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated, Literal

import typer

from mlbench.cli.options import CheckWorkers, at_least
from mlbench.records import TwinKind

_SEEDS = 10**9
"""A drawn seed is below this number: short enough to be repeated by hand."""
_MOST = 20
"""Most dropped rows that are printed; the file of the twins has all."""


def twins(
    suite: Annotated[str, typer.Argument(help="Name or folder of a suite with recipes.")],
    kind: Annotated[TwinKind, typer.Option(help="What is new in a twin: values, wording, or names.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the new suite; it must not exist.")],
    seed: Annotated[
        int | None, typer.Option(help="Seed of all random choices (default: drawn now, and written into the suite).")
    ] = None,
    split: Annotated[Literal["full", "quarter", "id_train", "ood_train"], typer.Option(help="Split to take.")] = "full",
    limit: Annotated[
        int | None,
        typer.Option(help="Take at most this many rows, spread over the split; more add to them."),
    ] = None,
    workers: CheckWorkers = None,
) -> None:
    """Make a suite of twins: a fresh row for each row of a suite.

    A model that knows the original by heart has never seen the twin. `value` takes other values, and `wording` another
    instruction. `rename` takes new names in a copy of the repository. `contradict` renames only what makes every answer
    from memory wrong. A twin whose reference does not pass is dropped and listed.
    """
    from rich.console import Console
    from rich.progress import Progress

    from mlbench.results.format import printable
    from mlbench.suites.suite import load_suite
    from mlbench.twins.make import make_twins

    at_least(1, workers=workers, limit=limit)
    at_least(0, seed=seed)
    loaded = load_suite(suite)
    chosen = secrets.randbelow(_SEEDS) if seed is None else seed
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task("")

        def show(step: str, done: int, of: int) -> None:
            progress.update(bar, description=step, completed=done, total=of or None)

        made = make_twins(loaded, kind, chosen, split, output, workers, show, limit)
    for dropped in made.dropped[:_MOST]:
        print(f"dropped row {dropped.row}, {dropped.repository}/{dropped.task}: {printable(dropped.reason)}")
    if len(made.dropped) > _MOST:
        print(f"and {len(made.dropped) - _MOST} more; {output / 'twins.json'} lists all")
    total = len(made.rows) + len(made.dropped)
    print(f"{output}: {len(made.rows)} twins of {total} rows of {loaded.name}, kind {kind.value}, seed {chosen}")
    if split in ("full", "quarter"):
        print(f"next: mlbench eval {output} --model PROVIDER/NAME")
    else:
        print(f"next: mlbench train export {output} --split {split} -o DIR")
