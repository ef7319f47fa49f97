"""The first half of step 2: the code blocks of a page, each with the prose about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from mlbench.shell.languages import looks_like_shell
from mlbench.suite_builder.docs import markdown, rst
from mlbench.suite_builder.docs.doc_model import DocPart
from mlbench.suite_builder.docs.strip_prompts import typed
from mlbench.suite_builder.types import CodeBlock, DocPage

LONGEST_SEGMENT = 60
"""The longest segment, in lines. Longer code is a segment of its own."""
MOST_PROSE = 1200
"""Characters of prose that are kept, nearest to the code."""
_AFTER = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]+|^(?:where|here|note|this|the (?:option|argument|flag))\b", re.I)
HEADING_ATTRIBUTES = re.compile(r"\s*\{[^{}]*[=#][^{}]*\}\s*$")  # `Matching {id="matching"}`
_SHORT = 600
_OPTIONS = re.compile(r"\s-{1,2}[A-Za-z]|\.(?:py|sh)\s+\S|\s\w+=\S")


@dataclass
class _BlockReader:
    """State while a page is read: the headings above, and the prose since the last code."""

    headings: list[tuple[int, str, int]] = field(default_factory=list)
    said: list[DocPart] = field(default_factory=list)
    shared: set[str] = field(default_factory=set)
    """The places of the page that more than one heading has; see `_place`."""
    before: list[DocPart] = field(default_factory=list)
    """What was said of the code before; it holds for code that follows without a word."""

    def enters(self, heading: DocPart) -> None:
        """Begin a section; a heading without a text only ends those of its level."""
        self.headings = [each for each in self.headings if each[0] < heading.level]
        if heading.text:
            self.headings.append((heading.level, heading.text, heading.lines[0]))
        self.said, self.before = [], []

    @property
    def prose(self) -> list[DocPart]:
        return self.said or self.before


def blocks(page: DocPage) -> list[CodeBlock]:
    """Every code block of a page, in order, with commands in sentences and tables."""
    read = rst.parts if page.format == "rst" else markdown.parts
    found = list(read(page.text))
    reader = _BlockReader()
    made: list[CodeBlock] = []
    reader.shared = _shared(found)
    for at, part in enumerate(found):
        if part.kind == "heading":
            reader.enters(part)
        elif part.kind == "prose":
            reader.said.append(part)
        elif part.kind == "code":
            after = found[at + 1] if at + 1 < len(found) else None
            made += _of(page, part, reader, _explains(after))
            reader.before, reader.said = reader.prose, []
        elif _is_command(part.text):
            made += _of(page, part, reader, None)
    return made


def _shared(found: list[DocPart]) -> set[str]:
    reader, places = _BlockReader(), []
    for part in found:
        if part.kind == "heading":
            reader.enters(part)
        if part.kind == "heading" and part.text:
            places.append(_place(reader.headings))
    return {each for each in places if places.count(each) > 1}


def _place(headings: list[tuple[int, str, int]]) -> str:
    """What names a place of a page: the nearest heading, with the one above it if it is a single word."""
    near = [HEADING_ATTRIBUTES.sub("", text).strip() for _, text, _ in headings[-2:]]
    return near[-1] if " " in near[-1] else " > ".join(near)


def _of(page: DocPage, part: DocPart, reader: _BlockReader, after: DocPart | None) -> Iterator[CodeBlock]:
    prose = _next_to(reader.prose)
    told = [each.text for each in prose] + ([after.text] if after else [])
    end = after.lines[1] if after else part.whole[1]
    segment = _segment(part, reader, prose, end)
    typed_in = list(typed(part.text, part.label))
    lead = reader.said[-1].text if part.kind == "code" and reader.said and len(typed_in) == 1 else ""
    for each in typed_in:
        first, last = part.lines[0] + each.lines[0], part.lines[0] + each.lines[1]
        yield CodeBlock(
            page.path,
            (first, min(last, part.lines[1])),
            segment,
            tuple(text for _, text, _ in reader.headings),
            "\n".join(told),
            each.language or "",
            each.code.strip("\n") if each.code.strip() else "",
            is_heading_shared=bool(reader.headings) and _place(reader.headings) in reader.shared,
            lead=lead,
        )


def _next_to(said: list[DocPart]) -> list[DocPart]:
    """The last paragraphs that fit."""
    kept: list[DocPart] = []
    length = 0
    for part in reversed(said):
        length += len(part.text)
        if kept and length > MOST_PROSE:
            break
        kept.insert(0, part)
    return kept


def _segment(part: DocPart, reader: _BlockReader, prose: list[DocPart], end: int) -> tuple[int, int]:
    """The lines from the heading or the prose to the end of the code, if short enough."""
    heading = reader.headings[-1][2] if reader.headings else 1
    starts = [heading, *(each.lines[0] for each in prose), part.whole[0]]
    first = next((line for line in starts if end - line < LONGEST_SEGMENT), part.whole[0])
    if end - first >= LONGEST_SEGMENT:
        end = part.whole[1]
    return min(first, part.whole[0]), max(end, part.whole[1])


def _explains(after: DocPart | None) -> DocPart | None:
    """The short paragraph after the code, if it describes the code's options."""
    if after is None or after.kind != "prose" or len(after.text) > _SHORT or after.text.endswith(":"):
        return None
    return after if _AFTER.search(after.text) else None


def _is_command(code: str) -> bool:
    """Whether code in a sentence is a whole command: a program and at least one more word."""
    return looks_like_shell(code) and _OPTIONS.search(code) is not None
