"""The words of a Python program: literal values and used names.

Simple variables are filled in.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TypeVar

from mlbench.shell.languages import parse_python
from mlbench.shell.tokenized_text import TokenizedText

Constant = str | int | float | bool | None
_Value = TypeVar("_Value", bound=Constant)

_RUNS = {"system", "popen", "Popen", "run", "call", "check_call", "check_output", "getoutput", "split"}
_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}
_LONGEST = 10_000
_LARGEST = 1e18


def python_words(code: str) -> TokenizedText:
    """The words of a program; none if it cannot be parsed.

    Docstrings, text that is only printed, and variables that nothing reads do not count. `32 * 4` counts as 128, and
    `"data/" + name` as its result.
    """
    tree = parse_python(code)[1]
    if tree is None:
        return TokenizedText()
    reader = _PythonReader(tree)
    with suppress(RecursionError):  # nested deeper than any answer
        reader.read()
    return reader.found


class _PythonReader:
    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.found = TokenizedText()
        self.values: dict[str, Constant] = {}
        self.folded: dict[ast.AST, Constant | ValueError] = {}
        nodes = list(ast.walk(tree))
        self.read_names = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        self.fields = {child for n in nodes if isinstance(n, ast.ClassDef) for child in n.body}

    def read(self) -> None:
        """Read the whole program."""

        todo: list[ast.AST] = [self.tree]
        while todo:
            todo += reversed(list(self._take(todo.pop())))

    def _take(self, node: ast.AST) -> Iterator[ast.AST]:
        """Take the words of one node; yield the inner nodes that are still to be read."""
        match node:
            case ast.Expr(value=ast.Constant()):
                return
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                try:
                    self.values[name] = self._fold(value)
                except ValueError:
                    self.values.pop(name, None)
                if name in self.read_names or node in self.fields or _does_something(value):
                    yield value
                return
            case ast.Call(func=ast.Name(id="print"), args=args):
                yield from (arg for arg in args if not isinstance(arg, ast.Constant | ast.JoinedStr))
                for arg in args:
                    if isinstance(arg, ast.JoinedStr):
                        yield from (part.value for part in arg.values if isinstance(part, ast.FormattedValue))
                return
            case ast.Call():
                self._call(node)
            case ast.JoinedStr(values=parts):
                yield from (part.value for part in parts if isinstance(part, ast.FormattedValue))
            case ast.Attribute():
                self.found.add(node.attr)
                self.found.add(_dotted(node))
            case ast.Name(id=name, ctx=ast.Load()) if name not in self.values:
                self.found.add(name)
        try:
            self.found.add(_text(self._fold(node)))
        except ValueError:
            pass
        else:
            if not isinstance(node, ast.List | ast.Tuple | ast.Dict | ast.Set):
                return  # of `32 * 4` only 128 counts
        if not isinstance(node, ast.JoinedStr):
            yield from ast.iter_child_nodes(node)

    def _call(self, node: ast.Call) -> None:
        """Keep a call's positional arguments together, and read commands in its arguments."""
        self.found.positional += [self._word(arg) for arg in node.args] + [""]
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        for arg in [*node.args, *owner]:
            if isinstance(arg, ast.List | ast.Tuple):
                self.found.add_command([self._word(item) for item in arg.elts])
            elif name in _RUNS and " " in (text := self._word(arg)):
                self.found.scripts.append(("shell", text))

    def _word(self, node: ast.expr) -> str:
        try:
            return _text(self._fold(node))
        except ValueError:
            return ""

    def _fold(self, node: ast.AST) -> Constant:
        """The value of an expression of literals and known variables.

        Raises:
            ValueError: it is not constant, or too large.
        """
        if node not in self.folded:  # cached, or deep nesting takes quadratic time
            try:
                self.folded[node] = self._folded(node)
            except ValueError as error:
                self.folded[node] = error
        known = self.folded[node]
        if isinstance(known, ValueError):
            raise known
        return known

    def _folded(self, node: ast.AST) -> Constant:
        match node:
            case ast.Constant(value=str() | int() | float() | None as value):
                return value
            case ast.Name(id=name) if name in self.values:
                return self.values[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return _bounded(-_number(self._fold(operand)))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return _number(self._fold(operand))
            case ast.JoinedStr(values=parts):
                return _bounded("".join(_text(self._fold(part)) for part in parts))
            case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                return self._fold(value)
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                return _bounded("[" + ", ".join(_text(self._fold(item)) for item in items) + "]")
            case ast.BinOp(left=left, op=op, right=right):
                return _bounded(_combined(self._fold(left), op, self._fold(right)))
            case ast.Call(func=ast.Name(id="Path" | "str"), args=[arg], keywords=[]):
                return _text(self._fold(arg))
            case ast.Call(func=ast.Attribute(attr="join") as function, args=args) if _dotted(function).endswith(
                "path.join"
            ):
                return _bounded("/".join(_text(self._fold(arg)) for arg in args))
        raise ValueError("not a literal")


def _combined(left: Constant, op: ast.operator, right: Constant) -> Constant:
    if isinstance(left, str) and isinstance(right, str):
        if isinstance(op, ast.Add):
            return left + right
        if isinstance(op, ast.Div):  # pathlib
            return f"{left}/{right}"
    if type(op) in _OPERATORS:
        try:
            return _OPERATORS[type(op)](_number(left), _number(right))
        except ArithmeticError as error:
            raise ValueError(str(error)) from error
    raise ValueError("not known")


def _number(value: Constant) -> float:
    if not isinstance(value, int | float):
        raise ValueError("not a number")
    return _bounded(value)


def _bounded(value: _Value) -> _Value:
    if isinstance(value, str) and len(value) > _LONGEST:
        raise ValueError("too long")
    if isinstance(value, int | float) and not abs(value) < _LARGEST:
        raise ValueError("too large")
    return value


def _text(value: Constant) -> str:
    return value if isinstance(value, str) else str(_bounded(value))


def _does_something(value: ast.expr) -> bool:
    return any(isinstance(node, ast.Call | ast.Await | ast.Yield | ast.YieldFrom) for node in ast.walk(value))


def _dotted(node: ast.expr) -> str:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join([getattr(node, "id", ""), *reversed(names)])
