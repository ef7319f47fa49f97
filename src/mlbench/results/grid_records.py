"""The records of a grid: cells with their figures in words, rows, and the grid itself."""

from __future__ import annotations

from dataclasses import dataclass

from mlbench.results.format import NONE, count, dollars, percent
from mlbench.results.result_records import Metric, ResultRecord, ResultSource
from mlbench.results.statistics import Interval


@dataclass(frozen=True)
class GridCell:
    """One or several figures of one cell; of table 3: all rows, scripts, code."""

    records: tuple[ResultRecord | None, ...]

    @property
    def first(self) -> ResultRecord:
        """The figure of all rows."""
        return next(record for record in self.records if record is not None)

    @property
    def published(self) -> bool:
        return self.first.source is ResultSource.PUBLISHED

    def figures(self) -> str:
        """Word the figures: `48.5 (41.8 | 76.9)`; published ones have two decimals, as printed."""
        first, *parts = (worded(record) for record in self.records)
        return f"{first} ({' | '.join(parts)})" if any(part != NONE for part in parts) else first

    def context(self) -> str:
        """Word the interval and n of the first figure; n is a question mark if a paper does not say it."""
        record = self.first
        if record.metric in (Metric.SOLVED, Metric.DOLLARS_PER_SOLVED):
            return ""
        star = "*" if record.interval is Interval.BOOTSTRAP else ""
        low, high = record.low, record.high
        bounds = "" if low is None or high is None else f"{100 * low:.0f}-{100 * high:.0f}{star} "
        n = "?" if record.n is None else count(record.n)
        of = f"/{count(record.total)}" if record.total is not None and record.total != record.n else ""
        return f"{bounds}n={n}{of}"

    def doubt(self) -> str:
        """Why figures of this cell cannot be right as printed; empty if there is no doubt."""
        if len(self.records) == 1:
            return self.first.doubt
        names = ("all", "scripts", "code")
        said = [(name, record.doubt) for name, record in zip(names, self.records, strict=True) if record]
        return "; ".join(f"{name}: {doubt}" for name, doubt in said if doubt)


@dataclass(frozen=True)
class GridRow:
    """One line of a grid; `below` says where its figures are from."""

    name: str
    below: str
    cells: tuple[GridCell | None, ...]

    @property
    def published(self) -> bool:
        return all(cell.published for cell in self.cells if cell)


@dataclass(frozen=True)
class Grid:
    """A table of cells with its title, and the header of its first column."""

    title: str
    head: str
    columns: tuple[str, ...]
    rows: tuple[GridRow, ...]

    def doubts(self) -> dict[str, int]:
        """Number the doubts of a grid from 1, in the order in which they first occur."""
        said = dict.fromkeys(doubt for row in self.rows for cell in row.cells if cell and (doubt := cell.doubt()))
        return {doubt: number for number, doubt in enumerate(said, start=1)}


def worded(record: ResultRecord | None) -> str:
    """Word the value of a record: per cent, a count with its n, or dollars; a dash if there is none."""
    if record is None or record.value is None:
        return NONE
    if record.metric is Metric.DOLLARS_PER_SOLVED:
        return dollars(record.value)
    if record.metric is Metric.SOLVED:
        return f"{count(round(record.value))}/{count(record.n or 0)}"
    return f"{100 * record.value:.2f}" if record.source is ResultSource.PUBLISHED else percent(record.value)
