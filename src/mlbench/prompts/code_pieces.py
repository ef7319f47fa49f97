"""Cut program code and Markdown into the pieces that retrieval ranks: functions and classes, or sections."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from markdown_it import MarkdownIt

from mlbench.prompts.context import Document
from mlbench.repositories.documents import format_of, lines_of

_CODE_LINES = 40

_LONG_CLASS = 80


def pieces_of(document: Document) -> Iterator[slice]:
    """The functions and classes of Python, the sections of Markdown, and 40-line pieces of other files."""
    lines = lines_of(document.text)
    cuts: Iterable[int] = range(0, len(lines), _CODE_LINES)
    if document.path.endswith((".py", ".pyi")):
        cuts = _python_cuts(document.text) or cuts
    elif format_of(document.path) in ("markdown", "notebook"):
        cuts = _markdown_cuts(document.text)
    return _between(lines, sorted({0, *cuts}))


def _between(lines: list[str], cuts: list[int]) -> Iterator[slice]:
    """The text between cuts, without blank pieces; cuts are line numbers from 0."""
    at = 0
    for first, last in zip(cuts, [*cuts[1:], len(lines)], strict=True):
        text = "".join(lines[first:last])
        inner = text.strip("\n")
        if text.strip():
            begin = at + text.index(inner)
            yield slice(begin, begin + len(inner))
        at += len(text)


def _python_cuts(text: str) -> list[int]:
    """Lines where a function or class begins or has ended; methods of long classes too."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    cuts: list[int] = []

    def cut(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        begin = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        cuts.extend((begin - 1, node.end_lineno or node.lineno))

    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            cut(node)
        if isinstance(node, ast.ClassDef) and (node.end_lineno or 0) - node.lineno > _LONG_CLASS:
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                    cut(inner)
    return cuts


def _markdown_cuts(text: str) -> list[int]:
    tokens = MarkdownIt("commonmark").parse(text)
    return [token.map[0] for token in tokens if token.type == "heading_open" and token.map]
