"""What of a piece of Python the code below it needs: the statements that bind its names or change their objects."""

from __future__ import annotations

import ast
import builtins
import io
import re
import tokenize
from collections.abc import Iterable, Set

from mlbench.shell.languages import parse_python

KNOWN = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}
"""Names that no code has to bind."""
_SHOWS = re.compile(r"print|show|plot|display|score|accuracy|report|summary|describe|^(?:len|type|help|dir|list)$")
_KEEPS = re.compile(r"save|dump|export|write")
"""Names of calls that write an object somewhere and leave it as it is."""
_REBINDS = ast.Assign | ast.AnnAssign | ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom


def needed_part(code: str, wanted: Set[str]) -> tuple[str, set[str]]:
    """The statements of a piece that bind or change some names, with what these need in turn.

    Args:
        code: the piece.
        wanted: the names that later code lacks.

    Returns:
        The statements, and the names that the code above has to bind.
    """
    _, tree = parse_python(code)
    lacking, kept = set(wanted), list[ast.stmt]()
    for statement in reversed(tree.body if tree else []):
        uses, binds = names_in(statement)
        if not (binds | _changed(statement)) & lacking:
            continue
        kept.insert(0, statement)
        if isinstance(statement, _REBINDS):
            lacking -= binds
        lacking |= uses - KNOWN
    lines = code.split("\n")
    return "\n".join("\n".join(lines[_first(each) - 1 : each.end_lineno]) for each in kept), lacking


def changed(code: str) -> set[str]:
    """The names whose objects the statements of a piece may change."""
    _, tree = parse_python(code)
    return {name for statement in (tree.body if tree else ()) for name in _changed(statement)}


def classes(code: str) -> set[str]:
    """The classes that a piece defines with a decorator, which may register them by name."""
    _, tree = parse_python(code)
    found = (node for node in (tree.body if tree else ()) if isinstance(node, ast.ClassDef) and node.decorator_list)
    return {node.name for node in found}


def done_with(code: str, names: Set[str]) -> set[str]:
    """What a piece calls on objects of some names, or with them: `fit` of `model.fit(x)`, `train` of `train(model)`.

    Args:
        code: the piece.
        names: the names of the objects.
    """
    _, tree = parse_python(code)
    found = set()
    for node in ast.walk(tree) if tree else ():
        if not isinstance(node, ast.Call) or _SHOWS.search(name := call_name(node.func)):
            continue
        if names & _bases([node.func, *node.args, *(each.value for each in node.keywords)]):
            found.add(name)
    return found


def without_last_comments(code: str) -> str:
    """A piece up to its last statement: comments below it are printed output, or end in `...`."""
    _, tree = parse_python(code)
    last = tree.body[-1].end_lineno if tree and tree.body else None
    return "\n".join(code.split("\n")[:last])


def without_comments(code: str) -> str:
    """A piece without its comments: what they say of a value is untrue once the value varies."""
    lines = code.split("\n")
    try:
        found = [each for each in tokenize.generate_tokens(io.StringIO(code).readline) if each.type == tokenize.COMMENT]
    except (tokenize.TokenError, SyntaxError):
        return code
    for each in found:
        row, column = each.start
        lines[row - 1] = lines[row - 1][:column].rstrip()
    emptied = {each.start[0] - 1 for each in found if not lines[each.start[0] - 1].strip()}
    return "\n".join(line for at, line in enumerate(lines) if at not in emptied)


def _first(statement: ast.stmt) -> int:
    """The line on which a statement begins, with its decorators."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return min([statement.lineno, *(each.lineno for each in statement.decorator_list)])
    return statement.lineno


def _changed(statement: ast.stmt) -> set[str]:
    """The names whose objects a statement may change: `model.eval()`, `x[0] = 1`, `del x["name"]`, `train(model)`."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return set()
    found: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            found |= _bases([node])
        elif isinstance(node, ast.Expr) and isinstance(call := node.value, ast.Call):
            plain = isinstance(call.func, ast.Name)
            given = [*call.args, *(each.value for each in call.keywords)] if plain else [call.func]
            name = call_name(call.func)
            found |= set() if _SHOWS.search(name) or _KEEPS.search(name) else _bases(given)
    return found


def _bases(nodes: Iterable[ast.expr]) -> set[str]:
    """The names at the beginning of some expressions: `model` of `model.encoder[0].bias`."""
    found = set()
    for node in nodes:
        while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
            node = node.func if isinstance(node, ast.Call) else node.value
        if isinstance(node, ast.Name):
            found.add(node.id)
    return found


def names_in(statement: ast.stmt) -> tuple[set[str], set[str]]:
    """The names that a statement uses, and those that it binds."""
    uses: set[str] = set()
    binds: set[str] = set()
    for node in ast.walk(statement):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                uses.add(name)
            case ast.Name(id=name):
                binds.add(name)
            case ast.alias(name=name, asname=other):
                binds.add(other or name.partition(".")[0])
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AsyncFunctionDef(name=name):
                binds.add(name)
            case ast.arg(arg=name) | ast.ExceptHandler(name=str(name)):
                binds.add(name)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                binds.add(name)
    simple = isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr)
    if simple and not any(
        isinstance(node, ast.comprehension | ast.Lambda | ast.NamedExpr) for node in ast.walk(statement)
    ):
        return uses, binds  # `x = f(x)` uses an x from above
    return uses - binds, binds


def call_name(function: ast.expr) -> str:
    """The last name of a called expression: `fit` of `model.fit`; empty if it has none."""
    return (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )
