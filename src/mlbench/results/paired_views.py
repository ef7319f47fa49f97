"""Show a paired comparison as a table, Markdown, JSON or CSV."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict
from io import StringIO

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from mlbench.results.format import count, percent
from mlbench.results.markdown_tables import markdown
from mlbench.results.paired import PairedComparison, PairedRate
from mlbench.results.result_files import safe_cell
from mlbench.results.rich_tables import Column, fitted

HEAD = ("Pass@k", "rows", "A", "B", "B - A", "95 % interval", "only A", "only B")
_NAMED = 20
_WHAT = ("setting", "first_model", "second_model")
NOTE = (
    "A, B: unbiased pass@k in per cent, over the rows that both runs scored. B - A: in percentage points. only A, only"
    " B: rows that do better in that run. Interval: Newcombe's for paired shares, or percentiles of a bootstrap over"
    " rows. The runs differ if it leaves 0 out and, for one attempt a row, the exact McNemar test has p < 0.05."
)


def show_paired(found: Sequence[PairedComparison], console: Console) -> None:
    """Print comparisons; each has a row of numbers for each k, then what it says in a sentence."""
    for each in found:
        for text in _about(each):
            console.print(Text(text, style="bold"))
        columns = [Column(name, repeated=at == 0, right=True) for at, name in enumerate(HEAD)]
        for table in fitted(columns, [_cells(rate) for rate in each.rates], console.width):
            console.print(table)
        for text in conclusions(each):
            console.print(Padding(Text(text), (0, 0, 0, 2)))
        console.print()
    console.print(Padding(Text(NOTE, style="dim"), (0, 0, 0, 2)))


def paired_markdown(found: Sequence[PairedComparison]) -> str:
    """Return each comparison as a Markdown table and its conclusions."""
    parts = []
    for each in found:
        lines = [f"| {' | '.join(HEAD)} |", "|" + " --: |" * len(HEAD)]
        lines += [f"| {' | '.join(_cells(rate))} |" for rate in each.rates]
        parts += [*map(markdown, _about(each)), "\n".join(lines), *map(markdown, conclusions(each))]
    return "\n\n".join([*parts, NOTE]) + "\n"


def paired_records(found: Sequence[PairedComparison]) -> list[dict[str, object]]:
    """Return the comparisons unrounded, with every row that changed, for JSON."""
    return [
        {**asdict(each), "rates": [{**asdict(rate), "differs": rate.differs} for rate in each.rates]} for each in found
    ]


def paired_csv(found: Sequence[PairedComparison]) -> str:
    """Return one line for each comparison and k."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*_WHAT, "k", "n", "first", "second", "difference", "low", "high", "test", "p", "differs"])
    for each in found:
        what = [safe_cell(getattr(each, name)) for name in _WHAT]
        for rate in each.rates:
            numbers = (rate.k, rate.n, rate.first, rate.second, rate.difference, rate.low, rate.high)
            writer.writerow([*what, *numbers, rate.test.value, rate.p, rate.differs])
    return text.getvalue()


def conclusions(found: PairedComparison) -> list[str]:
    """Say for each k whether the runs differ, and which rows could not be paired."""
    said = [_conclusion(rate) for rate in found.rates]
    for name, rows in (("A", found.only_in_first), ("B", found.only_in_second)):
        if rows:
            said.append(f"{count(len(rows))} rows are judged only in {name} and do not count: {_rows(rows)}.")
    return said


def _conclusion(rate: PairedRate) -> str:
    p = "" if rate.p is None else f", p = {rate.p:.3f}" if rate.p >= 0.001 else ", p < 0.001"
    what = "A and B differ" if rate.differs else "No difference is shown"
    change = f"{_points(rate.difference)} points, {_points(rate.low)} to {_points(rate.high)}"
    return f"{what} at Pass@{rate.k}: {change} ({rate.test.value}{p})."


def _about(found: PairedComparison) -> list[str]:
    return [
        f"Paired comparison, setting {found.setting}, policy {found.policy.value}",
        f"A: {found.first_model}, {found.first}",
        f"B: {found.second_model}, {found.second}",
    ]


def _cells(rate: PairedRate) -> list[str]:
    return [
        str(rate.k),
        count(rate.n),
        percent(rate.first),
        percent(rate.second),
        _points(rate.difference),
        f"{_points(rate.low)} to {_points(rate.high)}",
        count(len(rate.only_first)),
        count(len(rate.only_second)),
    ]


def _points(value: float) -> str:
    shown = f"{100 * value:+.1f}"
    return "0.0" if shown in ("+0.0", "-0.0") else shown


def _rows(rows: Sequence[int]) -> str:
    return ", ".join(map(str, rows[:_NAMED])) + (", …" if len(rows) > _NAMED else "")
