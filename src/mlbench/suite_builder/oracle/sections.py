"""The sections and examples of a repository's documents, as candidates for an oracle segment."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from mlbench.repositories.documents import lines_of
from mlbench.suite_builder.docs import markdown, rst, select_docs
from mlbench.suite_builder.docs.code_blocks import blocks
from mlbench.suite_builder.oracle.needs import Need, NeedKind, stands
from mlbench.suite_builder.oracle.spans import FileSpan
from mlbench.suite_builder.types import DocPage

LONGEST = 60
"""The longest section that is shown, in lines."""


class Sections:
    """The sections of a repository's READMEs and documentation pages, read once."""

    def __init__(self, repository: Path) -> None:
        self._found = [span for page in select_docs.select(repository).pages for span in _sections(page)]

    def about(self, needs: Sequence[Need], folder: str, alone: bool) -> list[FileSpan]:
        """The sections about a task: they name its program or one of its API names, or lie in the program's folder.

        Args:
            needs: of the task.
            folder: the folder of its program, from the root.
            alone: no other program has the same file name; else the name has to stand with its folder.
        """
        names = [need.spellings[0] for need in needs if need.kind is NeedKind.NAME]
        programs = [need.spellings[0] for need in needs if need.kind is NeedKind.PROGRAM]
        names += programs if alone else [posixpath.join(posixpath.basename(folder), name) for name in programs]
        own = folder not in ("", ".")
        return [
            span
            for span in self._found
            if any(stands(name, span.text) for name in names) or (own and posixpath.dirname(span.file) == folder)
        ]

    def with_value(self, need: Need) -> list[FileSpan]:
        """The sections that show a value, the shortest first."""
        return sorted((span for span in self._found if span.shows(need)), key=lambda span: span.size)


def _sections(page: DocPage) -> Iterator[FileSpan]:
    """The short sections of a page, and each piece of code with the prose about it."""
    lines = lines_of(page.text)
    read = rst.parts if page.format == "rst" else markdown.parts
    heads = [part.lines[0] for part in read(page.text) if part.kind == "heading"]
    bounds = [1, *heads, len(lines) + 1]
    spans = {(first, after - 1) for first, after in pairwise(bounds) if after > first}
    spans |= {block.segment for block in blocks(page)}
    for first, last in sorted(spans):
        while last > first and not lines[last - 1].strip():
            last -= 1
        if last - first < LONGEST:
            yield FileSpan(page.path, first, last, "".join(lines[first - 1 : last]))
