"""The form of every analysis: named columns and rows, printed as a table or written as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from mlbench.records import RunError
from mlbench.results.format import NONE, printable
from mlbench.results.rich_tables import Column, fitted

Cell = str | int | float | None


@dataclass(frozen=True)
class Sheet:
    """A table; each row has one cell per column, None if there is no number.

    Attributes:
        note: units, tokenisation, and how the numbers differ from the paper's.
        digits: decimals.
        about: what all rows share; written to JSON beside the title.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    digits: int = 1
    about: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        assert all(len(row) == len(self.columns) for row in self.rows), self.title


def show(sheets: Sequence[Sheet], console: Console) -> None:
    """Print sheets one after another; a sheet that is too wide is split, so that no number is broken."""
    for sheet in sheets:
        console.print(Text(printable(sheet.title), style="bold"))
        words = [any(isinstance(row[i], str) for row in sheet.rows) for i in range(len(sheet.columns))]
        leading = words.index(False) if False in words else 1
        columns = [Column(name, i < leading, not words[i]) for i, name in enumerate(sheet.columns)]
        rows = [[_words(cell, sheet.digits) for cell in row] for row in sheet.rows]
        for table in fitted(columns, rows, console.width):
            console.print(table)
        if sheet.note:
            console.print(Padding(Text(printable(sheet.note), style="dim"), (0, 0, 0, 2)))
        console.print()


def _words(cell: Cell, digits: int) -> str:
    if cell is None:
        return NONE
    if isinstance(cell, str):
        return printable(cell)
    if isinstance(cell, int) or abs(cell) >= 1000:  # what is behind the point of thousands says nothing
        return f"{cell:,.0f}"
    return f"{cell:,.{digits}f}"


def write_json(sheets: Sequence[Sheet], suite: str | None, file: Path) -> None:
    """Write sheets as one JSON object: the suite, if there is one, and each sheet with unrounded rows.

    Args:
        sheets: the sheets.
        suite: name of the suite; None if the figures are of no suite.
        file: the target.

    Raises:
        RunError: the file cannot be written.
    """
    content = {
        **({} if suite is None else {"suite": suite}),
        "sheets": [
            {
                "title": sheet.title,
                **({"about": dict(sheet.about)} if sheet.about else {}),
                "note": sheet.note,
                "rows": [dict(zip(sheet.columns, row, strict=True)) for row in sheet.rows],
            }
            for sheet in sheets
        ],
    }
    try:
        file.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise RunError(f"cannot write {file}: {error.strerror}") from error
