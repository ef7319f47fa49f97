"""Print grids in the terminal: published figures in grey, each with its n and the number of its doubt."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from mlbench.results.format import NONE
from mlbench.results.grid_records import Grid, GridCell, GridRow
from mlbench.results.rich_tables import Column, fitted
from mlbench.results.statistics import RESAMPLES

GREY = "bright_black"
NOTE = (
    "In per cent, with 95 % intervals: Wilson, or, with a star, cluster bootstrap over rows"
    f" ({RESAMPLES:,} draws). n: rows that count, of all rows."
)


def show_grids(grids: list[Grid], console: Console) -> None:
    """Print grids one after another; a grid that is too wide is split, so that no number is broken."""
    for grid in grids:
        doubts = grid.doubts()
        console.print(Text(grid.title, style="bold"))
        columns = [Column(grid.head, repeated=True), *(Column(name, right=True) for name in grid.columns)]
        rows = [_row(row, doubts) for row in grid.rows]
        for table in fitted(columns, rows, console.width, NONE):
            console.print(table)
        for doubt, number in doubts.items():
            console.print(Padding(Text(f"[{number}] {doubt}.", style=GREY), (0, 0, 0, 2)))
        console.print()
    console.print(Padding(Text(NOTE, style="dim"), (0, 0, 0, 2)))


def _row(row: GridRow, doubts: Mapping[str, int]) -> list[str | Text]:
    name = Text(row.name)
    if row.below:
        name.append(f"\n{row.below}")
    if row.published:
        name.stylize(GREY)
    return [name, *(_cell(cell, doubts) for cell in row.cells)]


def _cell(cell: GridCell | None, doubts: Mapping[str, int]) -> Text:
    if cell is None:
        return Text(NONE, style="dim")
    text = Text(cell.figures())
    if below := context_with_doubt(cell, doubts):
        text.append(f"\n{below}", style="dim")
    if cell.published:
        text.stylize(GREY)
    return text


def context_with_doubt(cell: GridCell, doubts: Mapping[str, int]) -> str:
    """Word a cell's interval and n, with the number of its doubt in brackets."""
    mark = f"[{doubts[doubt]}]" if (doubt := cell.doubt()) else ""
    return " ".join(filter(None, (cell.context(), mark)))
