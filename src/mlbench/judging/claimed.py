"""Rewrite the invocation that an answer claims, without any of the answer's text.

Nothing runs here.

A claim counts only after it was checked against the reference and run again (`scoring/reference_outcomes.py`).
"""

from __future__ import annotations

import ast
import posixpath
import shlex
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

from mlbench.judging.call_sites import CallSite
from mlbench.judging.process_evidence import WitnessedRun
from mlbench.judging.values import same

MOST_PROGRAMS, LONGEST = 8, 20_000
"""Bounds of a claimed invocation: programs, and characters of its text."""
_WORKSPACE = "/workspace"


def claimed_script(seen: Sequence[WitnessedRun], scripts: Collection[str]) -> str:
    """The witnessed programs as a shell script; empty if they cannot be started this way.

    Args:
        seen: the witnessed runs, in order.
        scripts: names of the repository's console scripts.
    """
    lines = []
    for run in seen:
        start = _start(run, scripts)
        if start is None:
            return ""
        lines.append(f"cd {shlex.quote(posixpath.join(_WORKSPACE, run.invocation.cwd))}")
        lines.append(shlex.join([*start, *run.invocation.argv]))
    text = "\n".join(["set -e", *lines])
    return text if 0 < len(seen) <= MOST_PROGRAMS and len(text) <= LONGEST else ""


def _start(run: WitnessedRun, scripts: Collection[str]) -> list[str] | None:
    """The words that start a program of the repository; None for code and for other programs."""
    invocation = run.invocation
    if invocation.how == "console-script":
        names = [name for name in map(posixpath.basename, run.process.argv[:2]) if name in scripts]
        return names[:1] or None
    if not invocation.program.endswith(".py") or invocation.how not in ("file", "module"):
        return None
    path = posixpath.relpath(invocation.program, invocation.cwd)
    if invocation.how == "file":
        return ["python", path]
    module = path.removesuffix(".py").removesuffix("/__main__")
    return None if module.startswith("..") else ["python", "-m", module.replace("/", ".")]


def claimed_calls(reference: str, ours: Sequence[CallSite], theirs: Sequence[CallSite]) -> str:
    """The reference with the plain values of the answer's calls; empty if nothing differs.

    Args:
        reference: the reference's code.
        ours, theirs: the calls of the reference and of the answer.
    """
    try:
        tree = ast.parse(reference)
    except (SyntaxError, ValueError):
        return ""
    left, changed = defaultdict(list), False
    for call in theirs:
        left[call.name].append(call)
    calls = {name: _calls_of(tree, name) for name in {call.name for call in ours}}
    for call in ours:
        nodes, like = calls[call.name], left[call.name]
        if not nodes or not like:
            continue
        node, other = nodes.pop(0), like.pop(0)
        for name in sorted(other.given):
            value = other.values[name]
            if not name.isidentifier() or not _is_literal(value) or same(call.values.get(name), value):
                continue
            node.keywords = [each for each in node.keywords if each.arg != name]
            node.keywords.append(ast.keyword(name, _node(value)))
            changed = True
    return ast.unparse(ast.fix_missing_locations(tree)) if changed else ""


def _calls_of(tree: ast.AST, name: str) -> list[ast.Call]:
    """The calls of a function by the last part of its name, in textual order."""
    last = name.rpartition(".")[2]
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if called == last:
                found.append(node)
    return sorted(found, key=lambda node: (node.lineno, node.col_offset))


def _is_literal(value: Any) -> bool:
    if isinstance(value, list):
        return len(value) <= 16 and all(_is_literal(each) for each in value)
    return isinstance(value, bool | int | float | str)


def _node(value: Any) -> ast.expr:
    return ast.List([_node(each) for each in value], ast.Load()) if isinstance(value, list) else ast.Constant(value)
