"""Fixtures of the scorers' tests: verdicts are remembered in a folder of the test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.invocations import memory


@pytest.fixture(autouse=True)
def remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "remembered"
    folder.mkdir()
    monkeypatch.setattr(memory, "cache_folder", lambda *parts: folder)
    return folder
