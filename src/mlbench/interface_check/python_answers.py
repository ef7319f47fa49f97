"""Ask the server about a Python answer, and check the lines that were not reached statically.

Execution decides (`runtime/python_runner.py`). griffe reads the repository's files for the lines that were not
reached. It knows no `sys.path` and no names made at run time. So only a name that is certainly missing, or a call that
certainly does not bind, is a fault.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import griffe

from mlbench.reasons import CheckReason, Reason

MOST_IMPORTS = 50


def imports_of(code: str) -> tuple[str, ...]:
    """The modules that a text imports at its top level, in order, as `module` or `module:name`.

    The server imports modules of the repository once, and forks for each text with the same imports.
    """
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    modules: list[str] = []
    for node in body:
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            modules += [f"{node.module}:{alias.name}" for alias in node.names if alias.name != "*"] or [node.module]
    return tuple(dict.fromkeys(modules))[:MOST_IMPORTS]


def question(code: str, folder: str, env: Mapping[str, str], bounds: Mapping[str, float]) -> dict[str, Any]:
    """Build the request to the server for a Python answer.

    Args:
        code: the answer.
        folder: its working folder, inside the jail.
        env: its variables.
        bounds: `cpu` and `wall` seconds.
    """
    request = {"do": "code", "code": code, "cwd": folder, "env": dict(env), **bounds}
    return {**request, "imports": list(imports_of(code))}


def beyond(repository: Path, folders: Sequence[Path], code: str, line: int) -> tuple[CheckReason, str]:
    """Find a fault in the lines that were not run: (reason, message), both empty if there is none.

    Args:
        repository: the checkout.
        folders: the module search path: the working folder, then the environment's folders.
        code: the answer.
        line: the first line that was not run.
    """
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "", ""
    names: dict[str, griffe.Object] = {}
    for node in tree.body:
        late = node.lineno >= line
        for reason, message, bound in _imported(node, repository, folders):
            names.update(bound)
            if reason and late:
                return reason, f"line {node.lineno}: {message}"
        if late:
            for call in ast.walk(node):
                fault = _unbound(call, names) if isinstance(call, ast.Call) else ""
                if fault:
                    return Reason.CALL_DOES_NOT_BIND, f"line {node.lineno}: {fault}"
        for rebound in ast.walk(node):
            if isinstance(rebound, ast.Name) and isinstance(rebound.ctx, ast.Store):
                names.pop(rebound.id, None)
    return "", ""


Found = tuple[CheckReason, str, dict[str, "griffe.Object"]]


def _imported(node: ast.stmt, repository: Path, folders: Sequence[Path]) -> Iterator[Found]:
    """The names that an import from the repository binds, or its fault."""
    if not isinstance(node, ast.ImportFrom) or not node.module or node.level:
        return
    top, *rest = node.module.split(".")
    folder = next((root for root in folders if (root / top).is_dir() or (root / f"{top}.py").is_file()), None)
    if folder is None or not folder.resolve().is_relative_to(repository.resolve()):
        return
    at = folder.joinpath(top, *rest)
    file = at / "__init__.py" if at.is_dir() else at.with_suffix(".py")
    if not at.is_dir() and not file.is_file():
        if folder.joinpath(top, *rest[:-1]).is_dir() and (folder / top / "__init__.py").is_file():
            yield Reason.NO_SUCH_MODULE, f"No module named {node.module!r}", {}
        return
    module = _module(str(file)) if file.is_file() else None
    for alias in node.names:
        if alias.name == "*" or (at / alias.name).is_dir() or (at / f"{alias.name}.py").is_file():
            continue
        if module is None:
            yield "", "", {}
        elif alias.name in module.members:
            member = module.members[alias.name]
            yield "", "", {} if member.is_alias else {alias.asname or alias.name: member}  # type: ignore[dict-item]
        elif not _open(module):
            yield Reason.NO_SUCH_NAME, f"cannot import name {alias.name!r} from {node.module!r}", {}


@lru_cache(maxsize=512)
def _module(file: str) -> griffe.Module | None:
    """The members of one file; None if griffe cannot read it."""
    path = Path(file)
    try:
        return griffe.visit(path.stem, filepath=path, code=path.read_text(encoding="utf-8", errors="replace"))
    except (SyntaxError, ValueError, OSError, RecursionError):
        return None


def _open(module: griffe.Module) -> bool:
    """Whether a module may have names that its text does not show."""
    return (
        "__getattr__" in module.members or any("*" in name for name in module.members) or bool(module.imports.get("*"))
    )


def _unbound(call: ast.Call, names: Mapping[str, griffe.Object]) -> str:
    """Why a call of a plain function or class certainly does not bind; empty if it may."""
    if not isinstance(call.func, ast.Name) or call.func.id not in names:
        return ""
    if any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords):
        return ""
    target = names[call.func.id]
    own = 0
    if isinstance(target, griffe.Class):
        inner = target.members.get("__init__")
        target, own = (inner if isinstance(inner, griffe.Function) else target), 1
    if not isinstance(target, griffe.Function) or target.decorators:
        return ""
    parameters = list(target.parameters)[own:]
    kinds = griffe.ParameterKind
    known = {one.name for one in parameters if one.kind is not kinds.positional_only}
    if not any(one.kind is kinds.var_keyword for one in parameters):
        for keyword in call.keywords:
            if keyword.arg not in known:
                return f"{call.func.id}() got an unexpected keyword argument {keyword.arg!r}"
    places = [one for one in parameters if one.kind in (kinds.positional_only, kinds.positional_or_keyword)]
    if len(call.args) > len(places) and not any(one.kind is kinds.var_positional for one in parameters):
        return f"{call.func.id}() takes {len(places)} positional arguments but {len(call.args)} were given"
    passed = {one.name for one in places[: len(call.args)]} | {keyword.arg for keyword in call.keywords}
    plain = (kinds.positional_only, kinds.positional_or_keyword, kinds.keyword_only)
    missing = [one.name for one in parameters if one.kind in plain and one.required and one.name not in passed]
    return f"{call.func.id}() missing required argument {missing[0]!r}" if missing else ""
