"""Which room of the package may import which: no upward import, no circle, and an exception only with a reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import mlbench

PACKAGE = Path(mlbench.__file__).parent

EXECUTION = {"records", "reasons", "atomic_write", "truncate", "repositories", "package_index", "sandbox", "run_config"}
SCORING = {
    *EXECUTION,
    "score_records",
    "runtime",
    "shell",
    "judging",
    "prompts",
    "suites",
    "interface_check",
    "scoring",
}

ALLOWED: dict[str, set[str]] = {
    "atomic_write": set(),
    "source_digest": set(),
    "same_facts": set(),
    "truncate": set(),
    "replies": set(),  # of Inspect's events
    "reasons": set(),
    "records": {"reasons"},
    "score_records": {"records", "reasons"},
    "endpoints": {"records"},
    "web": {"records"},
    "runtime": set(),  # interface_check/runtime runs under foreign Pythons: the standard library only
    "repositories": {"records", "atomic_write"},
    "package_index": {"records", "atomic_write", "repositories"},
    "shell": {"records", "reasons"},
    "judging": {"records", "reasons", "runtime", "shell"},
    "sandbox": {
        "records",
        "reasons",
        "atomic_write",
        "runtime",
        "repositories",
        "package_index",
    },  # it mounts runtime/ into each jail
    "run_config": {"records", "sandbox"},
    "prompts": {"records", "repositories"},
    "suites": {"records", "source_digest", "repositories", "judging"},
    "interface_check": {
        "records",
        "reasons",
        "source_digest",
        "atomic_write",
        "runtime",
        "repositories",
        "shell",
        "sandbox",
    },
    "scoring": SCORING - {"scoring"},
    "human": {"records", "atomic_write", "repositories", "prompts", "suites", "web"},
    "agents": {*SCORING, "replies"},
    "evals": {*SCORING, "replies", "agents", "human"},
    "results": {
        "records",
        "reasons",
        "score_records",
        "atomic_write",
        "truncate",
        "same_facts",
        "replies",
        "web",
        "judging",
        "repositories",
        "prompts",
        "suites",
        "human",
        "evals",
    },
    "harbor": {*SCORING, "agents", "evals"},
    "training": {*SCORING},
    "suite_builder": {*SCORING, "web", "results"},
    "twins": {*SCORING, "suite_builder"},  # its checks of references
    "cluster": {*SCORING, "source_digest", "suite_builder"},
    "_registry": {"sandbox", "evals"},  # Inspect's entry point
    "doctor": {"records", "repositories", "sandbox"},
    "eval_models": {"records", "endpoints", "run_config", "prompts", "doctor"},
    "eval_runs": {"records", "endpoints", "run_config", "eval_models", "_registry"},
    "same_run": {"run_config", "same_facts", "eval_runs"},
    "api": {
        "records",
        "run_config",
        "prompts",
        "suites",
        "human",
        "evals",
        "results",
        "eval_models",
        "eval_runs",
        "same_run",
        "doctor",
        "cluster",
        "source_digest",
    },
    "sweep": {"records", "run_config", "same_facts", "prompts", "suites", "scoring"},
    "cli": {
        *SCORING,
        "human",
        "agents",
        "evals",
        "harbor",
        "results",
        "cluster",
        "suite_builder",
        "twins",
        "training",
        "same_run",
        "doctor",
        "eval_models",
        "eval_runs",
        "api",
        "sweep",
    },
    "__main__": {"cli"},
}
"""The rooms from bottom to top, with the rooms that each may import: only rooms above it in this table."""

EXCEPTIONS: dict[tuple[str, str], str] = {}
"""By importing and imported module: why the import stays although the table forbids it."""


@dataclass(frozen=True)
class Import:
    """One import of one of the package's modules by another; `early` if it runs when the module is imported."""

    module: str
    imported: str
    line: int
    early: bool


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name. Problems of mlagentbench are data."""
    names = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
        if not {"problems", "data"} & set(parts):
            names[".".join(parts).removesuffix(".__init__")] = file
    return names


@cache
def imports() -> tuple[Import, ...]:
    """All imports between the package's modules."""
    return tuple(each for name, file in modules().items() for each in _imports_of(name, file))


def _imports_of(module: str, file: Path) -> Iterator[Import]:
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    tree = ast.parse(file.read_text(encoding="utf-8"))
    late = {id(inner) for node in ast.walk(tree) if _runs_later(node) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base]).rstrip(".")
            names = [f"{base}.{alias.name}" if f"{base}.{alias.name}" in modules() else base for alias in node.names]
        for name in names:
            if name in modules() and name not in ("mlbench", module):  # the root has names of all rooms, lazily
                yield Import(module, name, getattr(node, "lineno", 0), id(node) not in late)


def _runs_later(node: ast.AST) -> bool:
    """Whether what stands in a node is not run when its module is imported."""
    checking = isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
    return checking or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def room_of(module: str) -> str:
    """The room of a module: `sandbox` of `mlbench.sandbox.jail`."""
    if f"{module}.".startswith("mlbench.interface_check.runtime."):
        return "runtime"
    return module.split(".")[1] if "." in module else ""


def test_a_room_imports_only_rooms_below_it() -> None:
    order = list(ALLOWED)
    for position, (room, below) in enumerate(ALLOWED.items()):
        assert below <= set(order[:position]), f"{room}: {sorted(below - set(order[:position]))} are not above it"
    assert {room_of(name) for name in modules() if name != "mlbench"} == set(order)


@pytest.mark.parametrize("room", ALLOWED)
def test_rooms_import_what_the_table_allows(room: str) -> None:
    wrong = [
        f"{each.module}, line {each.line}: imports {each.imported}"
        for each in imports()
        if room_of(each.module) == room
        and room_of(each.imported) not in {room, *ALLOWED[room]}
        and (each.module, each.imported) not in EXCEPTIONS
    ]
    assert wrong == []


def test_every_exception_is_still_needed() -> None:
    found = {(each.module, each.imported) for each in imports()}
    needless = [pair for pair in EXCEPTIONS if pair not in found]
    assert needless == [], "these imports are gone: take them out of EXCEPTIONS"


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    graph: dict[str, set[str]] = {name: set() for name in modules()}
    for each in imports():
        inside = each.imported.startswith(f"{each.module}.")  # a package's own module is loaded after the package began
        if each.early and not (inside and modules()[each.module].name == "__init__.py"):
            graph[each.module].add(each.imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_a_class_name_occurs_once() -> None:
    """62 class names stood in several modules, four of them `Desk`."""
    homes: dict[str, list[str]] = {}
    for name, file in modules().items():
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(name)
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def test_few_dicts_hold_just_anything() -> None:
    """Records and types say what crosses modules; `interface_check/runtime` imports none of them."""
    texts = [file.read_text() for file in modules().values() if "runtime" not in file.parts]
    assert sum("dict[str, Any]" in line for text in texts for line in text.splitlines()) <= 40


def test_no_module_is_longer_than_400_lines() -> None:
    assert [name for name, file in modules().items() if len(file.read_text().splitlines()) > 400] == []
