"""The package: importing it is cheap, and Inspect finds what we register."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import mlbench

BIN = Path(sys.executable).parent
NAMES = ["CheckEnv", "CheckTarget", "Checker", "RunConfig", "__version__", "check", "evaluate", "report", "verify"]


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_importing_the_package_imports_nothing_heavy() -> None:
    heavy = "{'inspect_ai', 'pydantic', 'jinja2', 'yaml', 'rich', 'typer', 'tree_sitter', 'anyio'}"
    assert run(f"import sys, mlbench; print(sorted({heavy} & set(sys.modules)))").strip() == "[]"


def test_the_command_line_waits_with_heavy_imports() -> None:
    heavy = "{'inspect_ai', 'pydantic', 'jinja2', 'yaml', 'tree_sitter'}"
    assert run(f"import sys, mlbench.cli; print(sorted({heavy} & set(sys.modules)))").strip() == "[]"


def test_all_is_explicit() -> None:
    assert mlbench.__all__ == NAMES
    assert set(NAMES) <= set(dir(mlbench))
    assert all(getattr(mlbench, name) for name in mlbench.__all__)
    assert not hasattr(mlbench, "nosuch")


def test_a_renamed_name_says_its_new_name() -> None:
    with pytest.raises(AttributeError, match=r"mlbench\.Subject is now mlbench\.CheckTarget"):
        getattr(mlbench, "Subject")  # noqa: B009


def test_inspect_finds_us() -> None:
    assert [entry.value for entry in entry_points(group="inspect_ai", name="mlbench")] == ["mlbench._registry"]


def test_judging_knows_nothing_of_the_engine() -> None:
    """`judging/` is pure: it needs the records and the parsers alone."""
    heavy = "{'inspect_ai', 'anyio', 'rich', 'typer', 'jinja2'}"
    code = f"import sys, mlbench.judging.policy, mlbench.judging.extract; print(sorted({heavy} & set(sys.modules)))"
    assert run(code).strip() == "[]"
