"""The needs of a Python reference: modules, API names, keywords and texts."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator, Set

from mlbench.records import Check
from mlbench.suite_builder.oracle.needs import Need, NeedKind, argument_of, marked, values_of
from mlbench.suites.recipes import Recipe

_METHODS = """
to cuda cpu eval train item numpy unsqueeze squeeze shape detach mean sum view reshape size backward step zero_grad
parameters state_dict load_state_dict float half int long tolist keys values items format join append write read print
open close flatten permute transpose repeat clone max min argmax norm t T all any
"""
_COMMON = frozenset(_METHODS.split())
"""Names that every reader of Python, NumPy and PyTorch knows."""


def python_needs(recipe: Recipe, check: Check, modules: Set[str]) -> Iterator[Need]:
    """The modules, API names, keywords and texts of a Python reference.

    Args:
        recipe: the recipe.
        check: the interface check of one of its references.
        modules: the names of the repository's folders and Python files.
    """
    try:
        tree = ast.parse(marked(recipe))
    except (SyntaxError, ValueError):
        return
    calls = {_last(call.function): call.function for each in check.invocations for call in each.calls}
    ours = {root for function in calls.values() if (root := function.partition(".")[0]) in modules}
    ours |= {part.removesuffix(".py") for part in recipe.program.split("/")}
    reader = _NeedsReader(recipe, calls, ours, _foreign(tree, ours, calls))
    for node in ast.walk(tree):
        yield from reader.needs(node)


class _NeedsReader:
    def __init__(self, recipe: Recipe, calls: dict[str, str], ours: set[str], foreign: set[str]) -> None:
        self._recipe, self._calls, self._ours, self._foreign = recipe, calls, ours, foreign

    def needs(self, node: ast.AST) -> Iterator[Need]:
        """The needs that one node adds."""
        match node:
            case ast.ImportFrom(module=str(module)) if not self._is_foreign(module):
                yield Need(NeedKind.MODULE, module, (module,))
                for alias in node.names:
                    yield Need(NeedKind.NAME, alias.name, (alias.name,), self._calls.get(alias.name, ""))
            case ast.Import():
                for alias in node.names:
                    if alias.name.partition(".")[0] in self._ours:
                        yield Need(NeedKind.MODULE, alias.name, (alias.name,))
            case ast.Call() if not self._is_foreign(_chain(node.func)):
                yield from self._call(node)
            case ast.Constant(value=str(text)) if argument_of(text) in self._recipe.followers:
                yield from values_of(self._recipe, text)  # wherever it stands
            case ast.Subscript(slice=ast.Constant(value=str(text))) if not self._is_foreign(_chain(node.value)):
                yield from values_of(self._recipe, text)
            case _:
                return

    def _call(self, node: ast.Call) -> Iterator[Need]:
        name = _last(_chain(node.func))
        if isinstance(node.func, ast.Attribute):
            if name in _COMMON:
                return
            if name in self._calls or _chain(node.func).partition(".")[0] in self._ours:
                yield Need(NeedKind.NAME, name, (name,), self._calls.get(name, ""))
            elif not _chain(node.func):
                return
        elif isinstance(node.func, ast.Name) and name in dir(builtins):
            return
        yield from self._positions(node, name)
        for keyword in node.keywords:
            if keyword.arg:
                yield Need(NeedKind.KEYWORD, keyword.arg, (keyword.arg,), self._calls.get(name, ""))
        for value in [*node.args, *(keyword.value for keyword in node.keywords)]:
            yield from self._texts(value)

    def _positions(self, node: ast.Call, name: str) -> Iterator[Need]:
        """The need of a signature, or of a call like this one, if constants are passed without their names."""
        fixed = [value for value in node.args if isinstance(value, ast.Constant | ast.List | ast.Tuple | ast.Dict)]
        named = isinstance(node.func, ast.Name | ast.Attribute)  # `processors['eval']` has no signature of its name
        if fixed and named and name[:1].islower() and name in self._calls:
            yield Need(NeedKind.POSITIONS, f"{name}(…)", (name,), self._calls[name], len(node.args))

    def _texts(self, value: ast.expr) -> Iterator[Need]:
        """The texts in an argument, but for those of calls inside it."""
        match value:
            case ast.Constant(value=str(text)) if text.strip():
                yield from values_of(self._recipe, text)
            case ast.List() | ast.Tuple() | ast.Set():
                for each in value.elts:
                    yield from self._texts(each)
            case ast.Dict():
                for each in [*(key for key in value.keys if key), *value.values]:
                    yield from self._texts(each)
            case _:
                return

    def _is_foreign(self, dotted: str) -> bool:
        return dotted.partition(".")[0] in self._foreign


def _foreign(tree: ast.Module, ours: set[str], calls: dict[str, str]) -> set[str]:
    """The names that stand for other libraries, for values made by them, and for builtins."""
    found = set(dir(builtins))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] not in ours:
            names = {alias.name: alias.asname or alias.name for alias in node.names}
            found |= set() if calls.keys() & names.keys() else {node.module.partition(".")[0], *names.values()}
        elif isinstance(node, ast.Import):
            others = [alias for alias in node.names if alias.name.partition(".")[0] not in ours]
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in others}
    for node in tree.body:
        made = node.value if isinstance(node, ast.Assign) else None
        if isinstance(node, ast.Assign) and isinstance(made, ast.Call) and _root(made) in found:
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


def _root(node: ast.expr) -> str:
    return _chain(node).partition(".")[0]


def _chain(node: ast.expr) -> str:
    """The dotted name of an expression, through calls and subscripts: `a.b` of `a().b[0]`; empty if it has none."""
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            inner = _chain(node.value)
            return f"{inner}.{node.attr}" if inner else ""
        case ast.Call():
            return _chain(node.func)
        case ast.Subscript():
            return _chain(node.value)
        case _:
            return ""


def _last(dotted: str) -> str:
    """The last name of a dotted one; calls and subscripts are left out, `__init__` is its class."""
    return re.sub(r"\([^()]*\)|\[[^\]]*\]", "", dotted).removesuffix(".__init__").rpartition(".")[2]
