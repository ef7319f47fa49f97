"""Write grids as Markdown tables; text from logs is shown as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mlbench.results.format import NONE, printable
from mlbench.results.grid_records import Grid
from mlbench.results.grid_table import NOTE, context_with_doubt
from mlbench.results.models import RunRecord
from mlbench.results.run_labels import label, log_name


def as_markdown(grids: Sequence[Grid], runs: Sequence[RunRecord] = ()) -> str:
    """Return the grids as Markdown tables, published figures in italics; then the configuration of each run."""
    parts = [part for grid in grids for part in _grid(grid)]
    if grids:
        parts.append(NOTE)
    if runs:
        block = "\n".join(printable(line).replace("`", "'") for line in configurations(runs))
        parts.append(f"```bash\n{block}\n```")
    return "\n\n".join(parts) + "\n"


def _grid(grid: Grid) -> list[str]:
    doubts = grid.doubts()
    lines = [
        markdown_row([grid.head, *grid.columns]),
        "|" + "|".join([" :-- ", *[" --: "] * len(grid.columns)]) + "|",
    ]
    for row in grid.rows:
        cells = [markdown(", ".join(filter(None, (row.name, row.below))))]
        for cell in row.cells:
            if cell is None:
                cells.append(NONE)
                continue
            text = markdown(", ".join(filter(None, (cell.figures(), context_with_doubt(cell, doubts)))))
            cells.append(f"*{text}*" if cell.published else text)
        lines.append(f"| {' | '.join(cells)} |")
    notes = [f"{markdown(f'[{number}]')} {markdown(doubt)}." for doubt, number in doubts.items()]
    return [f"**{markdown(grid.title)}**", "\n".join(lines), *(["\n\n".join(notes)] if notes else [])]


def markdown_row(cells: Sequence[str]) -> str:
    """Return a row of a Markdown table."""
    return f"| {' | '.join(markdown(cell) for cell in cells)} |"


def markdown(text: str) -> str:
    """Return text that Markdown shows as it is, also in a cell of a table."""
    return re.sub(r"([\\`*_{}\[\]<>#!|~&])", r"\\\1", printable(text))


def configurations(runs: Sequence[RunRecord]) -> list[str]:
    """Return two lines for each run: a comment that names it, and the command that makes it again."""
    return [
        line
        for run in runs
        for line in (
            f"# {log_name(run)}: {label(run)}, {run.suite}, task version {run.version}, {run.made_with}",
            run.command,
        )
    ]
