"""Fixtures of the package index tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from mlbench.repositories.pip_config import Upstream
from mlbench.sandbox import launcher_pool
from tests.package_index.fake_index import FakeIndex, fake_index, served


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache of the tests' own, so that this machine's cache neither matters nor changes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLBENCH_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
    launcher_pool.stop_all()


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
