"""Fixtures of the index tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fake_index import FakeIndex, fake_index, served

from mlbench.repositories.pip_config import Upstream


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeIndex]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    with fake_index() as one:
        yield one


@pytest.fixture
def index(fake: FakeIndex, tmp_path: Path) -> Iterator[httpx.Client]:
    """A client of our index over the fake one."""
    with served(Upstream(fake.url), tmp_path / "index") as client:
        yield client
