"""What the pages share, the report and the review: their colours, and how hostile text is shown."""

from __future__ import annotations

from pathlib import Path

COLOURS, MADE = "theme.css", "dom.js"


def source(name: str) -> str:
    """The text of a shared part: `COLOURS` or `MADE`."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
