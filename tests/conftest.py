"""Fixtures of all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ.setdefault("INSPECT_DISPLAY", "none")


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
