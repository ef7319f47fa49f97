"""The places at which a file reads `sys.argv`, from its text, and what it calls the words there."""

from __future__ import annotations

import ast
import linecache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def places_in(file: str) -> dict[int, str]:
    """The places that a file reads of `sys.argv`, with its names for them; none if it reads it in another way.

    A place that it gives no name has an empty one.
    """
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[int, str] = {}
    plain = set()
    functions = {node.name: node.args for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        for at, target in _unpacked(node):
            found.setdefault(at, target)
            plain |= {id(inner) for inner in ast.walk(node.value)}  # type: ignore[attr-defined]
        for name, value in _named(node, functions):
            for inner in ast.walk(value):
                if (place := _place_of(inner)) is not None:
                    found.setdefault(place, name)
    for node in ast.walk(tree):
        if (place := _place_of(node)) is not None:
            plain.add(id(node.value))  # type: ignore[attr-defined]
            found.setdefault(place, "")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
            plain |= {id(each) for each in node.args}
    is_plain = all(id(node) in plain for node in ast.walk(tree) if _is_argv(node))
    return found if is_plain else {}


def _unpacked(node: ast.AST) -> Iterator[tuple[int, str]]:
    """The places and names of `a, b = sys.argv[1:]`."""
    if not (isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple)):
        return
    value, names = node.value, [each.id for each in node.targets[0].elts if isinstance(each, ast.Name)]
    first: object = 0
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice) and value.slice.upper is None:
        first = getattr(value.slice.lower, "value", None)
        value = value.value
    if _is_argv(value) and type(first) is int and len(names) == len(node.targets[0].elts):
        yield from enumerate(names, first)


def _named(node: ast.AST, functions: dict[str, ast.arguments]) -> Iterator[tuple[str, ast.expr]]:
    """What a statement or call names: targets of assignments, keywords, parameters of the file's functions."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        pairs = [(node.targets[0], node.value)]
        if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = list(zip(node.targets[0].elts, node.value.elts))  # noqa: B905  Python 3.8 has no `strict`
        yield from ((target.id, value) for target, value in pairs if isinstance(target, ast.Name))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
        yield node.target.id, node.value
    elif isinstance(node, ast.Call):
        known = functions.get(node.func.id) if isinstance(node.func, ast.Name) else None
        parameters = [each.arg for each in (*known.posonlyargs, *known.args)] if known else []
        yield from zip(parameters, node.args)  # noqa: B905
        yield from ((each.arg, each.value) for each in node.keywords if each.arg)


def _is_argv(node: ast.AST) -> bool:
    is_attribute = isinstance(node, ast.Attribute) and node.attr == "argv"
    return is_attribute or (isinstance(node, ast.Name) and node.id == "argv")


def _place_of(node: ast.AST) -> int | None:
    """The place that an expression reads of `sys.argv`: 2 of `sys.argv[2]`."""
    if not isinstance(node, ast.Subscript) or not _is_argv(node.value):
        return None
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    return key if type(key) is int and key >= 0 else None
