"""`mlbench build`: a suite's rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mlbench.cli.options import Workers, at_least
from mlbench.types import RunError


def build(
    suite: Annotated[str, typer.Argument(help="A bundled suite, or the folder of one.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder for the rows and what was found.")],
    repo: Annotated[str | None, typer.Option(help="Look at the references of this repository alone.")] = None,
    workers: Workers = None,
) -> None:
    """Make a suite's rows from its recipes and repositories, and hold every reference against the interface check."""
    import anyio
    from rich.console import Console
    from rich.progress import Progress

    from mlbench.construction.quality import by_repository, references, write_findings
    from mlbench.results.table import show_references
    from mlbench.samples.export import export
    from mlbench.samples.suites import full_name, load_rows, load_suite
    from mlbench.sandbox.limits import Limits
    from mlbench.sandbox.machines import machine

    at_least(1, workers=workers)
    name = full_name(suite)
    files = export(load_suite(name), name, output)
    rows = [row for split, part in load_rows(name).items() if split != "quarter" for row in part]  # quarter is in full
    if repo is not None:
        rows = [row for row in rows if row.github_id == load_suite(name).repository(repo).github_id]
    console = Console()
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("references", total=len(rows))
        findings = anyio.run(
            references,
            name,
            rows,
            machine("bubblewrap", name, Limits(), workers),
            lambda done: progress.update(task, completed=done),
        )
    write_findings(findings, output / "references.jsonl")
    show_references(by_repository(findings), console)
    print(f"{files[-1].parent}: {len(files)} files, and references.jsonl")
    failing = sum(not finding.passed for finding in findings)
    if failing:
        raise RunError(f"{failing} of {len(findings)} references do not pass; references.jsonl says why")
