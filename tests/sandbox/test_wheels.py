"""Wheels that are built here."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlbench.repositories.agent_env import Pin
from mlbench.repositories.cache import cache_folder
from mlbench.sandbox import wheels


@pytest.mark.anyio
async def test_what_one_python_built_is_not_for_another(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path))
    built = cache_folder("wheels", "toad-1-x86_64-3.11.7") / "toad-1-cp311-cp311-linux_x86_64.whl"
    built.touch()
    (cache_folder("wheels", "toad-1-x86_64-3.12.1") / "cannot-be-built").touch()
    found = []
    for python in ("x86_64-3.11.7", "x86_64-3.12.1"):
        monkeypatch.setattr(wheels, "this_python", lambda python=python: python)
        found.append(await wheels._wheel(Pin("toad", "1")))
    assert found == [built, None]
