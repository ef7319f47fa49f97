"""Replies without blocks: whole code, indented code, commands between prose, inline code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from markdown_it import MarkdownIt

from mlbench.judging.extract.blocks import ReplyBlock
from mlbench.judging.extract.sessions import without_prompts
from mlbench.shell.languages import is_code, looks_like_shell, parse_python

_OTHERS = MarkdownIt("zero").enable(["code", "list", "blockquote"])
_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)([^`\n]+?)\1(?!`)")
_LEAD = re.compile(
    r"^[ \t]*(?:>[ \t]*|[-*+•][ \t]+|\d{1,3}[.)][ \t]+|#{1,6}[ \t]+)*"
    r"(?:\**[A-Za-z][A-Za-z ()/]{0,60}?\**[:：]\**[ \t]+|[A-Za-z][^\n:.|]{0,80}?[ \t]by running[ \t]+)?"
    r"[*\"'“`]*(?=\S)"
)
_MARKDOWN = re.compile(r"[*`>|\"']|[-+] |\d{1,3}[.)] |[A-Za-z][A-Za-z ]{0,40}:[ \t]+\S|#\+\w")
_LABEL_LINE = re.compile(r"\A(?:#{1,6} )?\w[\w ]{0,30}:[ \t]*\n+(?=\S)")
_QUOTED = re.compile(r"^\s*[\"'“*]")
_UNCERTAIN = re.compile(r"\beither\s*\Z", re.IGNORECASE)


def whole(text: str) -> ReplyBlock | None:
    """The reply as one block if it is nothing but code."""
    code = _LABEL_LINE.sub("", text.strip())
    if not code or _MARKDOWN.match(code) or not is_code(without_prompts(code)):
        return None
    tree = parse_python(code)[1]
    is_data = tree is not None and not any(
        isinstance(n, ast.Call | ast.Import | ast.ImportFrom) for n in ast.walk(tree)
    )
    return None if is_data and not looks_like_shell(code) else ReplyBlock(code, origin="whole reply")


def indented(text: str) -> list[ReplyBlock]:
    """Blocks indented by four spaces, as in Markdown."""
    lines = text.split("\n")
    found = [token for token in _OTHERS.parse(text) if token.type == "code_block" and token.map]
    ends = [0, *(token.map[1] for token in found if token.map)]
    return [
        ReplyBlock(
            token.content,
            origin="indented block",
            before="\n".join(lines[ends[at] : token.map[0]])[-2000:],
            after="\n".join(lines[token.map[1] : token.map[1] + 20])[:1000],
        )
        for at, token in enumerate(found)
        if token.map
    ]


def command_lines(text: str) -> list[ReplyBlock]:
    """Each run of command lines with continuations, also in lists, tables and after labels."""
    blocks: list[ReplyBlock] = []
    kept: list[str] = []
    prose: list[str] = []
    goes_on = False
    for line in text.split("\n"):
        if kept and line.lstrip().startswith("|"):  # each row of a table is a command of its own
            blocks.append(ReplyBlock("\n".join(kept), "bash", "command lines", "\n".join(prose)[-2000:]))
            kept, prose = [], []
        bare = line.strip() if goes_on else _command(line)
        if goes_on or bare:
            if not kept and (lead := line[: line.find(bare)].strip() if bare in line else ""):
                prose.append(lead)
            kept.append(bare)
            goes_on = bare.endswith("\\")
            continue
        if kept and line.strip() and not line.lstrip().startswith("#"):
            blocks.append(ReplyBlock("\n".join(kept), "bash", "command lines", "\n".join(prose)[-2000:], line[:1000]))
            kept, prose = [], []
        prose.append(line)
    if kept:
        blocks.append(ReplyBlock("\n".join(kept), "bash", "command lines", "\n".join(prose)[-2000:]))
    return blocks


def _command(line: str) -> str:
    """The command on a line, without list marker, label, quotes or table cells around it."""
    if line.lstrip().startswith("|"):
        cells = [cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]
        return next((cell for cell in cells if looks_like_shell(cell)), "")
    session = without_prompts(line).strip()
    if _is_command(session):
        return session
    lead = _LEAD.match(line)
    bare = line[lead.end() :].strip() if lead else ""
    if _QUOTED.match(line):
        bare = re.sub(r"(?<=\S)[\"'”*`]+\.?$", "", bare)
    if lead and lead[0].rstrip().endswith(" running"):
        bare = bare.removesuffix(".")
    return bare if _is_command(bare) else ""


def _is_command(text: str) -> bool:
    return "`" not in text and looks_like_shell(text) and not text.endswith((".", ":"))


def python_lines(text: str) -> list[ReplyBlock]:
    """From the first import on, the most paragraphs that are valid Python together."""
    begin = re.search(r"^(?:import \w|from [\w.]+ import )", text, re.M)
    if begin is None:
        return []
    paragraphs = text[begin.start() :].split("\n\n")[:40]
    for count in range(len(paragraphs), 0, -1):
        code = "\n\n".join(paragraphs[:count])
        if parse_python(code)[1] is not None:
            return [ReplyBlock(code, "python", "Python lines", text[: begin.start()][-2000:])]
    return []


def inline(text: str) -> list[ReplyBlock]:
    """Inline code that is a command or a program, with its prose; none if several are offered."""
    blocks = list(_spans(text))
    return [] if any(_UNCERTAIN.search(block.before) for block in blocks) and len(blocks) > 1 else blocks


def _spans(text: str) -> Iterator[ReplyBlock]:
    position = 0
    for span in _INLINE.finditer(text):
        code = span[2].strip()
        if " " in code and is_code(without_prompts(code)):
            yield ReplyBlock(
                code, "", "inline code", text[position : span.start()][-1000:], text[span.end() : span.end() + 300]
            )
            position = span.end()
