"""Which language a text is, decided by parsing it: Python's own parser, tree-sitter for bash."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from functools import cache

import tree_sitter
import tree_sitter_bash

from mlbench.types import Kind

_SUBSTANCE = (
    ast.Import | ast.ImportFrom | ast.Call | ast.FunctionDef | ast.ClassDef | ast.With | ast.Assign | ast.AugAssign
)


@dataclass(frozen=True)
class Language:
    """The language of a text; None where it is neither, `fault` is then the nearer language's complaint."""

    kind: Kind | None
    fault: str = ""


def language_of(code: str, label: Kind | None = None) -> Language:
    """Decide the language of `code`.

    A text that is valid in both (`ls -la` is also a subtraction) is Python only if it does something that only
    Python does, or is labelled so.

    Args:
        label: what the reply's fence calls it, if anything; it breaks ties, it never overrules a parser.
    """
    python_fault, tree = parse_python(code)
    shell_fault = shell_fault_of(code)
    python_fits = tree is not None and any(isinstance(node, _SUBSTANCE) for node in ast.walk(tree))
    if python_fits and (shell_fault or label != "shell"):
        return Language("python")
    if not shell_fault and not (label == "python" and tree is not None):
        # prose and broken Python are often valid shell: the label or the look decides
        if label == "python" or (label is None and _looks_python(code)):
            return Language(None, python_fault)
        return Language("shell")
    if tree is not None:
        return Language("python")
    return Language(None, python_fault if label == "python" or _looks_python(code) else shell_fault)


def parse_python(code: str) -> tuple[str, ast.Module | None]:
    """The fault (empty if none) and the tree (None if it does not parse)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in a candidate are its own business
            return "", ast.parse(code)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}", None
    except (ValueError, RecursionError, MemoryError) as error:
        return f"cannot be parsed: {error}", None


def shell_fault_of(code: str) -> str:
    """What the bash grammar cannot read, with its line; empty where all can be read."""
    root = parse_shell(code).root_node
    if "\0" in code:
        return "holds a NUL byte"
    if not root.has_error:
        return ""
    todo = [root]
    while todo:
        node = todo.pop()
        if node.type == "ERROR" or node.is_missing:
            found = (node.text or b"").decode(errors="replace").strip().splitlines()
            what = f"missing {node.type!r}" if node.is_missing else f"near {(found or [''])[0][:60]!r}"
            return f"line {node.start_point.row + 1}: {what}"
        todo += [child for child in reversed(node.children) if child.has_error or child.is_missing]
    return "cannot be parsed"


def parse_shell(code: str) -> tree_sitter.Tree:
    return _parser().parse(code.encode("utf-8", errors="replace"))


@cache
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def _looks_python(code: str) -> bool:
    starts = ("import ", "from ", "def ", "class ", "print(", "with ", "@")
    return any(line.startswith(starts) for line in code.splitlines())
