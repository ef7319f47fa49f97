"""Find the failed statement of a module, the names that it binds, and the statements after it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any


class Joined(ast.NodeTransformer):
    """Rewrites `", ".join(kinds)` to convert each value with `str`, because a stub is no string."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "join" and len(node.args) == 1:
            names = [ast.Name("map", ast.Load()), ast.Name("str", ast.Load())]
            node.args = [ast.Call(names[0], [names[1], node.args[0]], [])]
        return ast.fix_missing_locations(node)


def joins_stubs(error: BaseException) -> bool:
    return isinstance(error, TypeError) and "expected str instance, Stub" in str(error)


def following(body: list[ast.stmt], line: int) -> tuple[ast.stmt | None, list[ast.stmt]]:
    """Return the statement on a line, and the statements after it."""
    for index, statement in enumerate(body):
        if not _first_line(statement) <= line <= (statement.end_lineno or line):
            continue
        if isinstance(statement, (ast.If, ast.Try, ast.With)):
            for part in _parts(statement):
                if part and _first_line(part[0]) <= line <= (part[-1].end_lineno or line):
                    failed, rest = following(part, line)
                    return failed, [*rest, *body[index + 1 :]]
        return statement, body[index + 1 :]
    return None, [statement for statement in body if statement.lineno > line]


def _first_line(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])


def _parts(statement: Any) -> Iterator[list[ast.stmt]]:
    yield statement.body
    for handler in getattr(statement, "handlers", ()):
        yield handler.body
    yield getattr(statement, "orelse", [])
    yield getattr(statement, "finalbody", [])


def bound(statement: ast.stmt) -> Iterable[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                yield (alias.asname or alias.name).partition(".")[0]
