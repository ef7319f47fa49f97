"""The parts of a page in any format: headings, prose and code, with their lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class DocPart:
    """A part of a page, in the page's order.

    Attributes:
        kind: `inline` is code inside a sentence or table cell; the sentence is a separate part before it.
        lines: first and last, from 1; for code, only the lines of the code itself.
        whole: the lines with what encloses the code: fences, the directive and its options.
        label: the language that a fence or directive names.
        level: of a heading; 1 is the page's title.
    """

    kind: Literal["heading", "prose", "code", "inline"]
    lines: tuple[int, int]
    text: str
    label: str = ""
    level: int = 0
    whole: tuple[int, int] = (0, 0)
