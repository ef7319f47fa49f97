"""Shared parts of the tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mlbench.results.format import about, count, interval, percent
from mlbench.results.models import RunRecord
from mlbench.results.statistics import Rate


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


def rate_cell(rate: Rate) -> Text:
    text = Text(percent(rate.value).rjust(5))
    if bounds := interval(rate):
        text.append(f" {bounds}", style="dim")
    return text


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
