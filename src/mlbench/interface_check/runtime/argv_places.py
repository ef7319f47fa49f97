"""The places at which a file reads `sys.argv`, from its text, and what it calls the words there."""

from __future__ import annotations

import ast
import linecache


def places_in(file: str) -> dict[int, str]:
    """The places that a file reads of `sys.argv`, with its names for them; none if it reads it in another way."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[int, str] = {}
    plain = set()
    functions = {node.name: node.args for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        for name, value in _named(node, functions):
            for inner in ast.walk(value):
                if (place := _place_of(inner)) is not None:
                    found.setdefault(place, name)
    for node in ast.walk(tree):
        if (place := _place_of(node)) is not None:
            plain.add(id(node.value))  # type: ignore[attr-defined]
            found.setdefault(place, f"argument_{place}")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
            plain |= {id(each) for each in node.args}
    others = (node for node in ast.walk(tree) if _is_argv(node) and id(node) not in plain)
    return {} if any(True for _ in others) else found


def _named(node: ast.AST, functions: dict[str, ast.arguments]) -> list[tuple[str, ast.expr]]:
    """What a statement or call names: the target of an assignment, keywords, parameters of the file's functions."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
        return [(node.targets[0].id, node.value)]
    if not isinstance(node, ast.Call):
        return []
    known = functions.get(node.func.id) if isinstance(node.func, ast.Name) else None
    parameters = [each.arg for each in (*known.posonlyargs, *known.args)] if known else []
    given = zip(parameters, node.args)  # noqa: B905  Python 3.8 has no `strict`
    return [*given, *((each.arg, each.value) for each in node.keywords if each.arg)]


def _is_argv(node: ast.AST) -> bool:
    return (isinstance(node, ast.Attribute) and node.attr == "argv") or (
        isinstance(node, ast.Name) and node.id == "argv"
    )


def _place_of(node: ast.AST) -> int | None:
    """The place that an expression reads of `sys.argv`: 2 of `sys.argv[2]`."""
    if not isinstance(node, ast.Subscript) or not _is_argv(node.value):
        return None
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    return key if type(key) is int and key >= 0 else None
