"""`mlbench analyse likelihood`: how likely a model with open weights finds rows and their twins."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mlbench.cli.analyse.paper_tables import SuiteName
from mlbench.cli.options import JsonFile, at_least


def analyse_likelihood(
    suite: SuiteName,
    model: Annotated[Path, typer.Option(help="Folder of a model for transformers, or a .gguf file.")],
    twins: Annotated[Path | None, typer.Option(help="Folder of twins of the suite (`mlbench twins`).")] = None,
    split: Annotated[str, typer.Option(help="Split whose rows are scored.")] = "full",
    limit: Annotated[
        int | None, typer.Option(help="Use at most this many rows, spread over the split; a higher limit keeps them.")
    ] = None,
    json_file: JsonFile = None,
) -> None:
    """Score rows and twins by the model's own likelihood.

    Shows Min-K%++ and perplexity. It needs `pip install 'mlbench-harness[weights]'`, and downloads nothing.
    """
    at_least(1, limit=limit)
    from rich.console import Console

    from mlbench.results.analyses.tables import show, write_json
    from mlbench.results.memory.likelihood import check_twins, likelihood
    from mlbench.results.memory.weights import LocalModel
    from mlbench.suites.selection import select
    from mlbench.suites.suite import load_suite

    loaded, kind, fresh = load_suite(suite), "", {}
    rows = select(loaded, split, limit=limit)
    if twins is not None:
        others = load_suite(str(twins))
        check_twins(loaded, others)
        kind = others.twin_file.kind.value if others.twin_file else ""
        wanted = {row.id for row in rows}
        fresh = {row.twin_of: row.sample for row in others.every_row() if row.twin_of in wanted}
    sheets = likelihood(LocalModel(model), rows, {id: row for id, row in fresh.items() if id is not None}, kind)
    show(sheets[:1], Console())
    if json_file is not None:
        write_json(sheets, loaded.name, json_file)
