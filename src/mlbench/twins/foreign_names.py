"""Finds the names that a repository shares with libraries: those cannot be renamed everywhere."""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import re
import warnings
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

import numpy as np

from mlbench.twins.new_names import library_names
from mlbench.twins.repo_texts import RepoTexts

_TYPES = (
    str,
    bytes,
    list,
    dict,
    set,
    tuple,
    int,
    float,
    complex,
    slice,
    range,
    object,
    Path,
    io.TextIOWrapper,
    np.ndarray,
)
_PASS_ON = {"dict", "update", "partial", "set_defaults", "Namespace", "replace", "defaults", "setdefault"}
"""Functions whose keywords are names of the caller's choice."""


@cache
def _common() -> frozenset[str]:
    """Names of Python, NumPy and PyTorch that a variable or its attributes may have.

    A source does not show the types of its variables, and PyTorch need not be installed here.
    """
    names = {name for owner in (*_TYPES, builtins, np) for name in dir(owner)}
    return frozenset([*names, *keyword.kwlist, *library_names()])


def foreign_names(repo: RepoTexts, references: Collection[str], names: Collection[str]) -> set[str]:
    """Those of some names that a library has too, as far as the sources show.

    A name is foreign if it is an attribute of a module that is not the repository's, a keyword of a function that the
    repository does not define, a method of a class that extends a library's class, or a name of Python itself.

    Args:
        repo: the repository's texts.
        references: Python references, which are read like its sources.
        names: the names in question.
    """
    foreign = {name for name in names if name in _common() or name.startswith("__")}
    open_ = set(names) - foreign
    if not open_:
        return foreign
    any_of = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(open_)))})\b")
    sources = [text for _, text in repo.python() if any_of.search(text)]
    for source in sources:
        foreign.update(shared for shared in _of_source(source, repo) if shared in open_)
    for source in references:
        foreign.update(shared for shared in _of_source(source, repo, strings=True) if shared in open_)
    return foreign


def _of_source(source: str, repo: RepoTexts, strings: bool = False) -> Iterator[str]:
    """The foreign names of a source; with `strings` also the texts that it passes to libraries, such as `"RGB"`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # Python 2: the check of the references decides
    nodes = list(ast.walk(tree))
    libraries = set(_library_names(nodes, repo))
    yield from libraries
    for node in nodes:
        if isinstance(node, ast.Attribute):
            if _root(node) in libraries:
                yield node.attr
        elif isinstance(node, ast.Call):
            callee = node.func
            name = callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", "")
            is_own = (name in repo.definitions or name in _PASS_ON) and _root(callee) not in libraries
            if not is_own:
                yield from (each.arg for each in node.keywords if each.arg)
                passed = [each.value for each in node.args if strings and isinstance(each, ast.Constant)]
                yield from (each for each in passed if isinstance(each, str))
        elif isinstance(node, ast.ClassDef):
            bases = {base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in node.bases}
            if bases - repo.definitions - {"object"}:
                yield from (each.name for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))


def _library_names(nodes: Collection[ast.AST], repo: RepoTexts) -> Iterator[str]:
    """The names that a source imports from libraries, as it calls them."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] not in repo.path_parts:
                    yield (alias.asname or alias.name).partition(".")[0]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            is_own = (node.module or "").partition(".")[0] in repo.path_parts
            for alias in [] if is_own else node.names:
                yield alias.name
                yield alias.asname or alias.name


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
