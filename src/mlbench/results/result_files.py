"""Write results as JSON, CSV or Markdown; names from logs are made safe in each."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from io import StringIO

from mlbench.results.format import NONE, label, log_name, printable
from mlbench.results.grid_table import NOTE, context_with_doubt
from mlbench.results.grids import Grid
from mlbench.results.logs import SkippedLog
from mlbench.results.models import RunRecord
from mlbench.results.result_records import ResultRecord

COLUMNS = tuple(field.name for field in fields(ResultRecord))


def as_json(
    records: Sequence[ResultRecord],
    runs: Sequence[RunRecord],
    skipped: Sequence[SkippedLog],
    comparisons: Sequence[Mapping[str, object]] = (),
) -> str:
    """Return one JSON object: every record unrounded, how each run is made again, and the logs that were skipped.

    Args:
        records: the figures.
        runs: where ours are from.
        skipped: logs that could not be read.
        comparisons: of two runs each (`paired_records`); without any, the object does not have them.
    """
    about = [
        {"log": log_name(run), "model": run.model, "agent": run.agent, "setting": run.setting, "command": run.command}
        for run in runs
    ]
    content = {
        "results": [asdict(record) for record in records],
        "runs": about,
        "skipped": [asdict(each) for each in skipped],
        **({"comparisons": list(comparisons)} if comparisons else {}),
    }
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def as_csv(records: Sequence[ResultRecord]) -> str:
    """Return one line per record."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for record in records:
        writer.writerow([safe_cell(value) for value in asdict(record).values()])
    return text.getvalue()


def safe_cell(value: object) -> object:
    """Return a text that no spreadsheet takes for a formula, on one line; other values as they are."""
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


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
