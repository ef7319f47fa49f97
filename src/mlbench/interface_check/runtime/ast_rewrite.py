"""Rewrite a candidate's Python so that a hook sees each of its calls.

`f(a, *b, k=c)` becomes `HOOK.ask(f, site)(a, *b, k=c)`. The hook returns `f` itself, or a function that records the
call and then makes it. Order of evaluation, frames (`super()`, `locals()`), line numbers and exceptions do not change.
"""

from __future__ import annotations
import __future__

import ast
import os
import types
from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType

    from .call_hook import Hook

HOOK = "_h" + os.urandom(8).hex()  # the only name added to a candidate's globals; it cannot be guessed


def instrument(source: str, filename: str, hook: Hook) -> CodeType:
    """Compile the candidate's text so that each call asks the hook.

    The hook is a constant of the code, so no name leads to it.

    Args:
        source: the text.
        filename: the name of its file in tracebacks.
        hook: the hook.

    Raises:
        SyntaxError, ValueError: as `compile` does.
    """
    tree = ast.parse(source, filename)
    return _holding(compile(_Instrument(hidden=True).visit(tree), filename, "exec", dont_inherit=True), hook)


def _holding(code: CodeType, hook: Hook) -> CodeType:
    constants = tuple(
        hook if type(one) is str and one == HOOK else _holding(one, hook) if isinstance(one, types.CodeType) else one
        for one in code.co_consts
    )
    return code.replace(co_consts=constants)


def instrumented(source: str, filename: str, loops: bool = False) -> list[tuple[int, int, list[str], CodeType]]:
    """Compile each statement separately: (first line, last line, names that it binds, code).

    Run the code with HOOK in its globals.

    Args:
        source: the text.
        filename: the name of its file in tracebacks.
        loops: also ask `HOOK.going_on()` at each turn of a loop, and leave the loop if it returns False.

    Raises:
        SyntaxError, ValueError: as `compile` does.
    """
    compile(source, filename, "exec", dont_inherit=True)  # finds errors that span statements
    tree = ast.parse(source, filename)
    flags = 0
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for alias in node.names:
                flags |= getattr(__future__, alias.name).compiler_flag
    parts = []
    transform = _Instrument(loops)
    for node in tree.body:
        names = [one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
        first, last = node.lineno, node.end_lineno or node.lineno
        module = ast.Module([transform.visit(node)], [])
        parts.append((first, last, names, compile(module, filename, "exec", flags, dont_inherit=True)))
    return parts


class _Instrument(ast.NodeTransformer):
    def __init__(self, loops: bool = False, hidden: bool = False) -> None:
        self.loops = loops
        self.hidden = hidden
        self.sites = 0

    def _hooked(self, callee: ast.expr) -> ast.expr:
        self.sites += 1
        hook = ast.Constant(HOOK) if self.hidden else ast.Name(HOOK, ast.Load())
        asked = ast.Call(ast.Attribute(hook, "ask", ast.Load()), [callee, ast.Constant(self.sites)], [])
        for part in (hook, asked.func, asked.args[1], asked):
            ast.copy_location(part, callee)
        return asked

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.func = self._hooked(node.func)
        return node

    def _definition(self, node: Any) -> ast.AST:
        returns, node.returns = getattr(node, "returns", None), None
        self.generic_visit(node)
        node.returns = returns
        node.decorator_list = [self._hooked(decorator) for decorator in node.decorator_list]
        return node  # type: ignore[no-any-return]

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _definition

    def visit_arg(self, node: ast.arg) -> ast.AST:  # unchanged, because annotations may be kept as text
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
            node.target = self.visit(node.target)
        return node

    def _loop(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        if self.loops:
            node.body.insert(0, _placed(ast.parse(f"if not {HOOK}.going_on(): break").body[0], node))
        return node  # type: ignore[no-any-return]

    visit_For = visit_AsyncFor = visit_While = _loop


def _placed(statement: ast.stmt, place: ast.AST) -> ast.stmt:
    for part in ast.walk(statement):
        ast.copy_location(part, place)
    return statement
