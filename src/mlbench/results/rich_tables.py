"""Shared parts of the tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mlbench.results.format import count, interval, percent
from mlbench.results.models import RunRecord
from mlbench.results.run_labels import about
from mlbench.results.statistics import BoundedValue


def plain_table() -> Table:
    return Table(box=box.SIMPLE_HEAD, header_style="dim", show_edge=False, padding=(0, 2, 0, 0), pad_edge=True)


def print_tables(title: str, tables: Iterable[Table], console: Console) -> None:
    console.print(Text(title, style="bold"))
    for table in tables:
        console.print(table)
    if not console.is_terminal:
        console.print()


def who(number: int, run: RunRecord, scored: int, total: int, name: str) -> Text:
    """Describe a run in three lines: its name, what was run, how many attempts were scored.

    Args:
        number: of the run, from 1.
        run: the run.
        scored: attempts that have a verdict.
        total: attempts of the run.
        name: the run's label.
    """
    share = Text(f"{count(scored)}/{count(total)} scored", style="yellow" if scored < total else "dim")
    status = "" if run.status == "success" else f", {run.status}"
    what = Text(", ".join(about(run)), style="dim")
    return Text("\n").join([Text(f"{number} {name}", style="bold"), what, share + Text(status)])


def rate_cell(rate: BoundedValue) -> Text:
    text = Text(percent(rate.value).rjust(5))
    if bounds := interval(rate):
        text.append(f" {bounds}", style="dim")
    return text


@dataclass(frozen=True)
class Column:
    """A column of a table that may be split over several tables.

    Attributes:
        repeated: whether each of these tables has it, as it says what the row is.
        right: whether it holds numbers, which are never broken; other columns are broken between words.
    """

    title: str
    repeated: bool = False
    right: bool = False


def fitted(
    columns: Sequence[Column], rows: Sequence[Sequence[str | Text]], width: int, empty: str = ""
) -> Iterator[Table]:
    """Yield tables that together have all columns, each as wide as fits; no number is broken.

    Args:
        columns: the repeated ones first.
        rows: each with one cell per column.
        width: of the console.
        empty: a cell without a figure; a row that has only these in one of the tables is left out of it.
    """
    needed = [_widths(column, [row[at] for row in rows]) for at, column in enumerate(columns)]
    keys = [at for at, column in enumerate(columns) if column.repeated]
    room = width - sum(needed[at][0] + GAP for at in keys)
    parts: list[dict[int, int]] = [{}]  # of each table: the width of each column
    for at, column in enumerate(columns):
        if column.repeated:
            continue
        least, most = needed[at]
        takes = max(1, min(most if column.right else max(least, min(most, room // 2)), room - GAP))
        if parts[-1] and takes + GAP > room - sum(used + GAP for used in parts[-1].values()):
            parts.append({})
        parts[-1][at] = takes
    for part in parts:
        left = room - sum(used + GAP for used in part.values())
        widths: dict[int, int] = {}
        for at in (*keys, *(at for at in part if not columns[at].right)):
            own = part.get(at, needed[at][0])
            widths[at] = own + max(0, min(needed[at][1] - own, left))
            left -= widths[at] - own
        widths |= {at: part[at] for at in part if columns[at].right}
        shown = [*keys, *part]
        table = plain_table()
        for at in shown:
            justify: Literal["right", "left"] = "right" if columns[at].right else "left"
            table.add_column(_spaced(columns[at].title), justify=justify, width=widths[at], overflow="fold")
        for row in rows:
            if len(parts) == 1 or not empty or any(str(row[at]) != empty for at in part):
                table.add_row(*(row[at] for at in shown))
        yield table


GAP = 3
"""Spaces between two columns: the padding and the divider."""


def _spaced(title: str) -> str:
    """A title that can be broken between its words."""
    return title.replace("_", " ")


def _widths(column: Column, cells: Sequence[str | Text]) -> tuple[int, int]:
    """The least width in which no word is broken, and the width in which no line is."""
    lines = [line for cell in cells for line in str(cell).split("\n")]
    words = [word for line in (*([] if column.right else lines), _spaced(column.title)) for word in line.split()]
    longest = max(map(cell_len, lines), default=0)
    least = max(map(cell_len, words), default=0)
    return (max(longest, least), max(longest, least)) if column.right else (least, max(longest, least))


def chunks(total: int, size: int) -> Iterator[tuple[int, int]]:
    for start in range(0, total, size):
        yield start, min(start + size, total)


@dataclass(frozen=True)
class Line:
    """One line of a table of counts: its leading cells, and the count of each run."""

    cells: Sequence[str | Text]
    counts: Sequence[int]


def counted(what: Sequence[str], lines: Sequence[Line], console: Console) -> Iterator[Table]:
    """Yield tables of counts with one column per run, split to fit the console's width.

    Args:
        what: headers of the leading cells.
        lines: the rows.
        console: its width decides how many runs fit.
    """
    runs = len(lines[0].counts) if lines else 0
    for start, end in chunks(runs, max(1, (console.width - 40) // 9)):
        table = plain_table()
        for title in what:
            table.add_column(title)
        for number in range(start, end):
            table.add_column("attempts" if runs == 1 else f"run {number + 1}", justify="right", no_wrap=True)
        for line in lines:
            table.add_row(*line.cells, *(count(number) for number in line.counts[start:end]))
        yield table
