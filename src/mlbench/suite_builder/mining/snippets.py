"""Completes Python snippets with earlier ones of their page that define missing names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from mlbench.shell.languages import parse_python
from mlbench.suite_builder.mining.needed_code import (
    KNOWN,
    call_name,
    changed,
    classes,
    names_in,
    needed_part,
    without_comments,
    without_last_comments,
)
from mlbench.suite_builder.mining.placeholders import value_of
from mlbench.suite_builder.types import CodeBlock

MOST_LINES = 120
"""Lines of the page from the first piece to the last; longer is too much to read as one task."""


@dataclass(frozen=True)
class Names:
    """What a text binds at its top level, and what it uses without binding it first."""

    bound: frozenset[str]
    lacking: frozenset[str]


@dataclass(frozen=True)
class Snippet:
    """A piece of Python with the earlier blocks that it needs.

    Attributes:
        blocks: from the first needed block to the piece itself.
        lacking: names that nothing above binds.
        setup: the headings of the one other section that binds names which it needs; empty if there is none.
    """

    code: str
    blocks: tuple[CodeBlock, ...]
    lacking: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()

    @property
    def segment(self) -> tuple[int, int]:
        return min(each.segment[0] for each in self.blocks), max(each.segment[1] for each in self.blocks)


def whole(block: CodeBlock, above: Sequence[CodeBlock]) -> Snippet:
    """The block with those blocks above it that bind the names it lacks.

    Blocks that are too far above, or that are examples of their own, give their imports only. Of the others, what the
    block does not need is left out: a reader cannot know that it belongs to the example.

    Args:
        block: the piece.
        above: the page's Python blocks above it, in order.
    """
    lacking = set(names_of(block.code).lacking)
    used, codes = [block], [without_last_comments(block.code)]
    setup: tuple[str, ...] = ()
    own = imports_of([each.code for each in above])  # in the page's order
    objects = {name for name, text in own.items() if text.startswith("from ") and name not in _BY_CONVENTION}
    for earlier in reversed(above):
        if not lacking or block.lines[1] - earlier.lines[0] >= MOST_LINES:
            break
        names = names_of(earlier.code)
        others = names.bound - imports_of([earlier.code]).keys()
        is_apart = block.headings[: len(earlier.headings)] != earlier.headings
        lacking |= {name for name in classes(earlier.code) if any(name in texts(code) for code in codes)}
        changes = set() if is_apart else changed(earlier.code) & lacking & objects  # `cfg.merge_from_file(file)`
        if is_apart and others & lacking:
            if setup not in ((), earlier.headings):
                continue  # nobody could say in a sentence of which sections it is made
            setup = earlier.headings
        # else its imports alone are taken below
        if others & lacking or changes or (names.bound & lacking and not others):
            part, lacking = needed_part(earlier.code, lacking)
            used.insert(0, earlier)
            codes.insert(0, part)
    known = {name: text for name, text in _BY_CONVENTION.items() if name not in own} | own
    codes = [*_together(text for name, text in known.items() if name in lacking), *codes]
    if set_before := [
        line for each in above for line in _ENVIRON.findall(each.code) if not any(line in c for c in codes)
    ]:
        codes = ["import os", *dict.fromkeys(set_before), *codes]  # before the imports that read it
    lacking -= known.keys()
    constants = {name for name in lacking if _CONSTANT.fullmatch(name)}
    code = _with_values(without_comments("\n".join(codes)), constants)
    return Snippet(code, tuple(used), tuple(sorted(lacking - constants)), setup)


_ENVIRON = re.compile(r"""(?m)^os\.environ\[["'](?!\w*(?:KEY|TOKEN|SECRET|PASSW))\w+["']\] *= *["'][^"'\n]*["']$""")
"""A variable that a page sets to a text, and that is no secret of the reader."""
_BY_CONVENTION = {
    "display": "from IPython.display import display",  # notebooks have it without an import
    "np": "import numpy as np",
    "pd": "import pandas as pd",
    "plt": "import matplotlib.pyplot as plt",
    "torch": "import torch",
    "tf": "import tensorflow as tf",
}
"""Imports that pages leave out because every reader knows them."""


def imports_of(codes: Sequence[str]) -> dict[str, str]:
    """By the name that it binds, each import of some pieces of code. The last one counts, wherever it stands."""
    return {name: text for code in codes for name, text in _imports(code)}


def _together(imports: Iterable[str]) -> list[str]:
    """Imports with those of one module in one line: `from lib import Net, Data`."""
    found: dict[str, list[str]] = {}
    for text in imports:
        module, _, name = text.partition(" import ")
        found.setdefault(module, []).append(name)
    return [f"{module} import {', '.join(names)}" if names[0] else module for module, names in found.items()]


@lru_cache(maxsize=4096)
def _imports(code: str) -> tuple[tuple[str, str], ...]:
    """The names that a text imports at its top level, each with a statement of its own."""
    _, tree = parse_python(code)
    found: list[tuple[str, str]] = []
    for node in tree.body if tree else ():
        for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            alone = type(node)(**{**vars(node), "names": [alias]})
            found.append((alias.asname or alias.name.partition(".")[0], ast.unparse(alone)))
    return tuple(found)


_CONSTANT = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+")


def _with_values(code: str, names: set[str]) -> str:
    """The code with plausible values for capital names that no line sets, like `NUM_CLASSES`."""
    _, tree = parse_python(code)
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in names] if tree else []
    rows = [row.encode() for row in code.split("\n")]
    for node in sorted(found, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        value = value_of(node.id).strip("'")
        text = value if re.fullmatch(r"[\d.]+", value) else repr(value)
        row, at = rows[node.lineno - 1], node.col_offset
        rows[node.lineno - 1] = row[:at] + text.encode() + row[at + len(node.id) :]
    return b"\n".join(rows).decode()


@lru_cache(maxsize=4096)
def names_of(code: str) -> Names:
    """The names of a text; a name that is bound in one branch counts as bound. Nothing is run."""
    _, tree = parse_python(code)
    if tree is None:
        return Names(frozenset(), frozenset())
    bound: set[str] = set()
    lacking: set[str] = set()
    for statement in tree.body:
        uses, binds = names_in(statement)
        lacking |= uses - bound - KNOWN
        bound |= binds
    return Names(frozenset(bound), frozenset(lacking))


def imported(code: str) -> set[str]:
    """The top-level modules that a text imports anywhere."""
    _, tree = parse_python(code)
    found: set[str] = set()
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def texts(code: str) -> set[str]:
    """The short texts of a piece of Python."""
    _, tree = parse_python(code)
    found = (node.value for node in ast.walk(tree or ast.Module([], [])) if isinstance(node, ast.Constant))
    return {value for value in found if isinstance(value, str) and len(value) < 200}


def called(code: str) -> set[str]:
    """The names of the functions that a text calls."""
    _, tree = parse_python(code)
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree else []
    return {call_name(each) for each in calls} - {""}


MOST_LINES_OF_CODE = 40
"""Lines of code, without comments and blank lines; longer is a program, not a call."""


def waits(code: str) -> bool:
    """Whether the code asks a person or runs for ever."""
    _, tree = parse_python(code)
    return any(
        (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "input")
        or (isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and bool(node.test.value))
        for node in (ast.walk(tree) if tree else ())
    )


def lines_of_code(code: str) -> int:
    return sum(1 for row in code.split("\n") if row.strip() and not row.lstrip().startswith("#"))


_SHOWING = frozenset({"print", "len", "display", "show", "type", "help", "dir", "list", "keys"})


def only_shows(code: str) -> bool:
    """Whether nothing is called with a value to vary: imports, definitions, `print(model)`."""
    _, tree = parse_python(code)
    return tree is None or not any(
        isinstance(node, ast.Call) and (node.args or node.keywords) and call_name(node.func) not in _SHOWING
        for statement in tree.body
        if not isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)
        for node in ast.walk(statement)
    )


def has_gap(code: str) -> bool:
    """Whether `...` is in place of a value: an argument, an assigned value, an element."""
    _, tree = parse_python(code)
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Call):
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
        elif isinstance(node, ast.Assign):
            given = [node.value]
        else:
            continue
        if any(isinstance(each, ast.Constant) and each.value is ... for each in given):
            return True
    return False
