"""Fixtures of the scorers' tests: verdicts are remembered in a folder of the test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.interface_check import verdict_cache


@pytest.fixture(autouse=True)
def remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "remembered"
    folder.mkdir()
    monkeypatch.setattr(verdict_cache, "cache_folder", lambda *parts: folder)
    return folder
