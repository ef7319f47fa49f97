"""All published tables with every cell as it is printed, and the doubts of their figures."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from mlbench.results.markdown_tables import markdown, markdown_row
from mlbench.results.published.csv_tables import CsvTable, csv_tables, number
from mlbench.results.published.published_records import published_records
from mlbench.results.result_records import Metric, ResultRecord
from mlbench.results.rich_tables import Column, fitted


def show_published(console: Console) -> None:
    """Print every published table; one that is too wide is split, so that no number is broken."""
    for table in csv_tables().values():
        console.print(Text(table.title, style="bold"))
        columns = _columns(table)
        rows = [[cell or "-" for cell in row] for row in table.rows]
        for part in fitted(columns, rows, console.width):
            console.print(part)
        console.print()
    console.print(Text("Doubts of the published figures", style="bold"))
    for doubt in published_doubts():
        console.print(Padding(Text(doubt), (0, 0, 0, 2)))


def published_markdown() -> str:
    """Return every published table as Markdown, and the doubts."""
    parts = []
    for table in csv_tables().values():
        lines = [markdown_row(table.columns), "|" + " --- |" * len(table.columns), *map(markdown_row, table.rows)]
        parts += [f"**{markdown(table.title)}**", "\n".join(lines)]
    parts += ["**Doubts of the published figures**", "\n".join(f"- {markdown(each)}" for each in published_doubts())]
    return "\n\n".join(parts) + "\n"


def published_doubts() -> list[str]:
    """Say of each doubted figure what and where it is, with its n and its doubt."""
    return [f"{_named(record)}: {record.doubt}." for record in published_records() if record.doubt]


def _named(record: ResultRecord) -> str:
    what = f"pass@{record.k}" if record.metric is Metric.PASS_AT_K else record.metric.value
    group = "" if record.group == "all" else record.group
    parts = (record.log, record.agent, record.model, record.split, record.setting, group, what)
    n = "unknown" if record.n is None else str(record.n)
    shown = f"{100 * (record.value or 0):.2f} %" if (record.value or 0) <= 1 else f"{record.value:g}"
    return f"{', '.join(filter(None, parts))}, {shown}, n {n}"


def _columns(table: CsvTable) -> list[Column]:
    """The leading columns of words are repeated if the table is split; `source` is shown once."""
    numbers = [_numbers([row[at] for row in table.rows]) for at in range(len(table.columns))]
    leading = numbers.index(True) if True in numbers else 2
    return [
        Column(name, repeated=0 < at < max(2, min(leading, 3)), right=numbers[at])
        for at, name in enumerate(table.columns)
    ]


def _numbers(cells: Sequence[str]) -> bool:
    try:
        found = [number(cell) for cell in cells]
    except ValueError:
        return False
    return any(value is not None for value in found)
