"""Splits Markdown into parts, by the tokens and line maps of markdown-it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

from mlbench.shell.languages import looks_like_shell, parse_python
from mlbench.suite_builder.docs import rst
from mlbench.suite_builder.docs.doc_model import DocPart

_PARSER = MarkdownIt("commonmark").enable("table")
_FENCES = MarkdownIt("zero").enable("fence").disable("inline")
_NESTED = 2
"""The deepest nesting of Markdown blocks that is read."""
_WRAPPERS = ("", "markdown", "md")
_PRE = re.compile(r"<pre\b[^>]*>(?:\s*<code\b([^>]*)>)?(.*?)(?:</code>\s*)?</pre>", re.S | re.I)
_HEADING = re.compile(r"<h([1-6])\b[^>]*>(.*?)</h\1>", re.S | re.I)
_SUMMARY = re.compile(r"<summary\b[^>]*>(.*?)</summary>", re.S | re.I)
_END_OF_DETAILS = re.compile(r"</details>", re.I)
_FOLDED, _LONGEST_SUMMARY = 7, 60
"""The level of a summary that is a heading, below every other, and its length in characters."""
_TAG = re.compile(r"<!--.*?-->|<[^<>]*>", re.S)
_BREAK = re.compile(r"<br\b[^>]*>", re.I)


def parts(text: str) -> Iterator[DocPart]:
    """The parts of a Markdown page; lines count from 1."""
    yield from _parts(text, 1, 0)


def _parts(text: str, begin: int, depth: int) -> Iterator[DocPart]:
    level, cell = 0, False
    for token in _PARSER.parse(text):
        cell = token.type in ("td_open", "th_open") or (cell and token.type == "inline")
        if token.type == "heading_open":
            level = int(token.tag[1])
        elif token.type == "heading_close":
            level = 0
        if token.map is None:
            continue
        lines = (begin + token.map[0], begin + token.map[1] - 1)
        if token.type == "inline":
            yield from _inline(token, lines, level, cell)
        elif token.type == "fence":
            yield from _fence(token, lines, depth)
        elif token.type == "code_block":
            yield from _indented(token, lines, depth)
        elif token.type == "html_block":
            yield from _html(token.content, lines, depth)


def _inline(token: Token, lines: tuple[int, int], level: int, cell: bool) -> Iterator[DocPart]:
    """The parts of a heading, a paragraph or a table's cell.

    Args:
        token: its token.
        lines: its lines.
        level: of the heading; 0 for another text.
        cell: whether it is a cell.
    """
    said = plain(token)
    if level == 0 and (code := _bare(token.content) or ("" if cell else _alone(token))):
        yield _code(code, lines[0], "", lines)
        return
    if said:
        yield DocPart("heading" if level else "prose", lines, said, level=level, whole=lines)
    if level:
        return
    at = lines[0]
    for child in token.children or ():
        if child.type in ("softbreak", "hardbreak"):
            at = min(at + 1, lines[1])
        elif child.type == "code_inline":
            yield DocPart("inline", (at, at), child.content, whole=lines)


def _alone(token: Token) -> str:
    """A command that is all of a paragraph, between backticks in one line; empty if it is none."""
    children = token.children or []
    if len(children) != 1 or children[0].type != "code_inline":
        return ""
    code = children[0].content.strip()
    return code if looks_like_shell(code) and (_PROGRAM.search(code) or len(children[0].markup) > 2) else ""


_PROGRAM = re.compile(r"\.(?:py|sh)\b|\s-m\s")
_SENTENCE = re.compile(r" (?:the|to|is|and) |[.:]$")
_STATEMENT = re.compile(r"^(?:from [\w.]+ import |import \w|[A-Za-z_][\w., ]* = \S|[A-Za-z_][\w.]*\()")


def _bare(text: str) -> str:
    """Code written as a paragraph or quotation without a fence; empty if it is none."""
    if "`" in text or not re.match(r"(?:from|import|python[\d.]*|bash|torchrun|CUDA_VISIBLE_DEVICES=\S+) |\$ ", text):
        return ""
    rows = [row.rstrip("\\ ") for row in text.split("\n")]  # an escaped line end is a line break
    if all(_STATEMENT.match(row) or not row for row in rows) and parse_python("\n".join(rows))[1] is not None:
        return "\n".join(rows)
    first = text.partition("\n")[0].removeprefix("$ ")
    return text if looks_like_shell(first) and _PROGRAM.search(first) and not _SENTENCE.search(text) else ""


def plain(token: Token) -> str:
    """The words of an inline token, without markup."""
    said = []
    for child in token.children or ():
        if child.type in ("softbreak", "hardbreak"):
            said.append(" ")
        elif child.type == "html_inline":
            said.append(" " if _BREAK.match(child.content) else "")
        elif child.type != "image":
            said.append(child.content)
    return " ".join("".join(said).split())


def _fence(token: Token, lines: tuple[int, int], depth: int) -> Iterator[DocPart]:
    label, first = label_of(token.info), lines[0] + 1
    if depth < _NESTED and label in _WRAPPERS and re.search("`{3}|~{3}", token.content):
        inner = list(_parts(token.content, first, depth + 1))
        if any(part.kind == "code" and part.label for part in inner):
            yield from inner
            return
    if label == "eval-rst":
        for part in rst.parts(token.content):
            yield replace(part, lines=_moved(part.lines, first), whole=_moved(part.whole, first))
        return
    yield _code(token.content, first, label, lines)


def _moved(lines: tuple[int, int], first: int) -> tuple[int, int]:
    return lines[0] + first - 1, lines[1] + first - 1


def _indented(token: Token, lines: tuple[int, int], depth: int) -> Iterator[DocPart]:
    """An indented code block, or a fence that is indented too deep for its list."""
    if depth < _NESTED and re.match(r"\s*(?:`{3}|~{3})", token.content):
        for each in _FENCES.parse(token.content):
            if each.type == "fence" and each.map:
                first = lines[0] + each.map[0]
                yield _code(each.content, first + 1, label_of(each.info), (first, lines[0] + each.map[1] - 1))
        return
    yield _code(token.content, lines[0], "", lines)


def _html(text: str, lines: tuple[int, int], depth: int) -> Iterator[DocPart]:
    """The parts of an HTML block: headings, `<pre>`, fences without a blank line, and prose."""
    found: list[tuple[int, DocPart]] = []
    for match in _HEADING.finditer(text):
        where = _lines(text, match.start(), match.end(), lines[0])
        found.append((match.start(), DocPart("heading", where, _said(match[2]), level=int(match[1]), whole=where)))
    for match in _PRE.finditer(text):
        code = html.unescape(_TAG.sub("", match[2]))
        start = match.start(2) + len(match[2]) - len(match[2].lstrip("\n"))
        first = _lines(text, start, start, lines[0])[0]
        whole = _lines(text, match.start(), match.end(), lines[0])
        found.append((match.start(), _code(code.lstrip("\n"), first, _class(match[1] or ""), whole)))
    if depth < _NESTED and re.search(r"^ {0,3}(?:`{3}|~{3})", text, re.M):
        for token in _FENCES.parse(text):
            if token.type == "fence" and token.map:
                first = lines[0] + token.map[0]
                whole = (first, lines[0] + token.map[1] - 1)
                found.append((first, _code(token.content, first + 1, label_of(token.info), whole)))
    for match in _SUMMARY.finditer(text):
        where, said = _lines(text, match.start(), match.end(), lines[0]), _said(match[1])
        is_short = 0 < len(said) <= _LONGEST_SUMMARY
        part = DocPart("heading" if is_short else "prose", where, said, level=_FOLDED, whole=where)
        found.append((match.start(), part))
    for match in _END_OF_DETAILS.finditer(text):
        where = _lines(text, match.start(), match.end(), lines[0])
        found.append((match.start(), DocPart("heading", where, "", level=_FOLDED, whole=where)))
    if not found and (said := _said(text)):
        yield DocPart("prose", lines, said, whole=lines)
    yield from (part for _, part in sorted(found, key=lambda one: one[0]))


def _code(text: str, first: int, label: str, whole: tuple[int, int]) -> DocPart:
    code = text.rstrip("\n")
    return DocPart("code", (first, first + code.count("\n")), code, label, whole=whole)


def _lines(text: str, start: int, end: int, begin: int) -> tuple[int, int]:
    return begin + text.count("\n", 0, start), begin + text.count("\n", 0, end)


def _said(text: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", text)).split())


def _class(attributes: str) -> str:
    match = re.search(r"(?:language|lang|highlight)-([\w+-]+)", attributes)
    return match[1].lower() if match else ""


def label_of(info: str) -> str:
    """The language of a fence: `bash` of `{.bash}`, `Bash title="run.sh"` or `language-bash`."""
    found = re.sub(r"^\{(?:code-block|code|code-cell|sourcecode|prompt)\}", "", info.strip().lower())
    match = re.search(r"[a-z][\w+#-]*", found)
    return match[0].removeprefix("language-").removeprefix("lang-") if match else ""
