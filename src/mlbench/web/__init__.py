"""Shared parts of the report and the review page: colours, and functions that show hostile text.

Enters: the name of a part.
Leaves: its text, which a page embeds.
"""

from __future__ import annotations

from pathlib import Path

COLOURS, MADE = "theme.css", "dom.js"


def source(name: str) -> str:
    """Return the text of a shared part: `COLOURS` (CSS) or `MADE` (JavaScript)."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
