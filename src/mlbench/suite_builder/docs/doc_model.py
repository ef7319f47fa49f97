"""What a page is made of, whatever its format: headings, prose and code, each with its lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class DocPart:
    """A piece of a page, in the page's order.

    Attributes:
        kind: `inline` is code inside of a sentence or a table's cell; the sentence is a part of its own before it.
        lines: first and last, from 1; of code, the lines of the code itself.
        whole: with what encloses the code: fences, the directive and its options.
        label: what a fence or directive says of the language.
        level: of a heading; 1 is the page's title.
    """

    kind: Literal["heading", "prose", "code", "inline"]
    lines: tuple[int, int]
    text: str
    label: str = ""
    level: int = 0
    whole: tuple[int, int] = (0, 0)
