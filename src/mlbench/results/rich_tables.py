"""What the terminal's tables are made of."""

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
    """A run in three lines: its name, what was run, how much of it was scored."""
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
    """What is counted, and how often in each run."""

    cells: Sequence[str | Text]
    counts: Sequence[int]


def counted(what: Sequence[str], lines: Sequence[Line], console: Console) -> Iterator[Table]:
    """Tables of counts, a column a run, as many beside one another as fit; `what` titles the cells before them."""
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
