"""Fixtures of all tests."""

from __future__ import annotations

import gc
import os
import signal
from pathlib import Path

import pytest

os.environ.setdefault("INSPECT_DISPLAY", "none")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts a background job so, and every command that a test starts would ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)

HEAVY = (
    "test_attacks.py",
    "test_full_science.py",
    "test_cli_build.py",
    "test_full_kaggle.py",
    "test_resume.py",
    "test_shards.py",
    "test_cli.py",
    "test_published_problems.py",
    "test_experiment_attacks.py",
    "test_validate_problem.py",
    "test_endpoint.py",
    "test_pocket.py",
    "test_experiment_task.py",
    "test_grading.py",
    "test_cheats.py",
    "test_check.py",
    "test_experimenters.py",
    "test_agent_bench.py",
    "test_hostile.py",
    "test_research_resumed.py",
)
"""The files that take longest. They start first, so that no process is left with one of them at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first; the order within a file stays."""
    items.sort(key=lambda item: HEAVY.index(item.path.name) if item.path.name in HEAVY else len(HEAVY))


def pytest_collection_finish() -> None:
    """Leave the thousands of tests, which stay to the end, out of every garbage collection."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder that stands for a repository, with one file."""
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "data.txt").write_text("original\n")
    return folder
