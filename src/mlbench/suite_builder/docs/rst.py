"""Splits reStructuredText into parts, line by line.

docutils does not know Sphinx's directives and gives no reliable lines for literal blocks. Only a little is needed here:
titles, paragraphs, and text that is indented deeper than the line that announces code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mlbench.suite_builder.docs.doc_model import DocPart

_CODE = re.compile(r"^(\s*)\.\. +(?:code-block|code|sourcecode|prompt|parsed-literal|ipython|testcode|doctest)::(.*)$")
_SILENT = re.compile(
    r"^(\s*)\.\. +(?:auto[\w:]*|toctree|math|raw|image|figure|include|literalinclude|table|csv-table|list-table"
    r"|graphviz|mermaid|py:[\w:]+|module|currentmodule|highlight|contents|meta|index|only|plot|bibliography|testoutput)::"
)
_DIRECTIVE = re.compile(r"^(\s*)\.\.(?: +([\w:-]+)::(.*)|(?: .*)?)$")
_OPTION = re.compile(r"^\s+:[\w-]+:")
_UNDERLINE = re.compile(r"^([!-/:-@\[-`{-~])\1{2,}\s*$")
_INLINE = re.compile(r"``(.+?)``")
_ROLE = re.compile(r":[\w:-]+:`~?([^`<]*?)(?:\s*<[^`>]*>)?`|`([^`<]+?)\s*<[^`>]*>`_+|\*\*(.+?)\*\*")


def parts(text: str) -> Iterator[DocPart]:
    """The parts of a reStructuredText page; lines count from 1."""
    lines = [line.expandtabs() for line in text.split("\n")]
    marks: list[str] = []  # the styles of underlining, in the order of their levels
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif title := _title(lines, at):
            said, mark, after = title
            if mark not in marks:
                marks.append(mark)
            yield DocPart("heading", (at + 1, after), said, level=marks.index(mark) + 1, whole=(at + 1, after))
            at = after
        elif match := _CODE.match(line):
            part, at = _literal(lines, at, len(match[1]), match[2].strip().lower())
            if part:
                yield part
        elif match := _SILENT.match(line):
            at = _end(lines, at + 1, len(match[1]))
        elif match := _DIRECTIVE.match(line):
            if not match[2]:  # a comment, or the target of a link
                at = _end(lines, at + 1, len(match[1]))
                continue
            if match[3].strip():
                yield DocPart("prose", (at + 1, at + 1), _plain(match[3]), whole=(at + 1, at + 1))
            at += 1
            while at < len(lines) and _OPTION.match(lines[at]):
                at += 1
        elif line.lstrip().startswith(">>> "):
            end = at
            while end < len(lines) and lines[end].strip():
                end += 1
            yield DocPart("code", (at + 1, end), _dedented(lines[at:end]), "pycon", whole=(at + 1, end))
            at = end
        else:
            end = at + 1
            while end < len(lines) and lines[end].strip() and not _starts(lines[end]):
                end += 1
            yield from _paragraph(lines, at, end)
            if lines[end - 1].rstrip().endswith("::"):
                part, after = _literal(lines, end - 1, _depth(lines[at]), "")
                if part:
                    yield part
                end = max(end, after)
            at = end


def _title(lines: list[str], at: int) -> tuple[str, str, int] | None:
    """A title, underlined or also overlined: its words, style, and last line."""
    line, after = lines[at].rstrip(), lines[at + 1].rstrip() if at + 1 < len(lines) else ""
    if _UNDERLINE.match(line):
        under = lines[at + 2].rstrip() if at + 2 < len(lines) else ""
        return (_plain(after), line[0] * 2, at + 3) if after.strip() and under and under == line else None
    if _UNDERLINE.match(after) and not line.startswith((" ", "..")) and len(after) >= min(len(line), 4):
        return _plain(line), after[0], at + 2
    return None


def _starts(line: str) -> bool:
    return bool(_DIRECTIVE.match(line)) or line.lstrip().startswith(">>> ")


def _paragraph(lines: list[str], at: int, end: int) -> Iterator[DocPart]:
    said = _plain(" ".join(line.strip() for line in lines[at:end]))
    whole = (at + 1, end)
    if said.strip(":"):
        yield DocPart("prose", whole, said, whole=whole)
    for row in range(at, end):
        for code in _INLINE.findall(lines[row]):
            yield DocPart("inline", (row + 1, row + 1), code, whole=whole)


def _literal(lines: list[str], at: int, depth: int, label: str) -> tuple[DocPart | None, int]:
    """The code, deeper than `depth`, that line `at` announces; and the next line."""
    begin = at + 1
    while begin < len(lines) and _OPTION.match(lines[begin]):
        begin += 1
    end = _end(lines, begin, depth)
    while begin < end and not lines[begin].strip():
        begin += 1
    while end > begin and not lines[end - 1].strip():
        end -= 1
    if begin == end:
        return None, max(end, at + 1)
    code = _dedented(lines[begin:end])
    return DocPart("code", (begin + 1, end), code, label.partition(" ")[0], whole=(at + 1, end)), end


def _end(lines: list[str], at: int, depth: int) -> int:
    """The first line from `at` on that is indented no deeper than `depth`."""
    while at < len(lines) and (not lines[at].strip() or _depth(lines[at]) > depth):
        at += 1
    return at


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _dedented(lines: list[str]) -> str:
    depth = min(_depth(line) for line in lines if line.strip())
    return "\n".join(line[depth:].rstrip() for line in lines)


def _plain(text: str) -> str:
    """The words without markup; a final `::` becomes a colon."""
    text = _ROLE.sub(lambda match: next(group for group in match.groups() if group is not None), text)
    return " ".join(text.replace("``", "").replace("::", ":").split())
