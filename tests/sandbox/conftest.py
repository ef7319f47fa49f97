"""Fixtures of the sandbox tests: jails that are closed at the end, and eyes for what is left on the host."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from mlbench.sandbox import launcher_pool
from mlbench.sandbox.jail import Jail, Mounts
from mlbench.sandbox.limits import Limits
from tests.sandbox.jails import Start


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The tests neither need nor change what this machine has cached."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("MLBENCH_CACHE", str(folder))
        yield folder
    launcher_pool.stop_all()


@pytest.fixture
async def start(repository: Path) -> AsyncIterator[Start]:
    """Starts a jail on `repository`, with these limits; all are closed at the end."""
    jails: list[Jail] = []

    async def start_one(*, mounts: Mounts | None = None, **limits: float) -> Jail:
        jails.append(await Jail.start(mounts or Mounts(repository), Limits.model_validate(limits)))
        return jails[-1]

    yield start_one
    for jail in jails:
        await jail.close()


@pytest.fixture
async def jail(start: Start) -> Jail:
    return await start()


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As on a machine where this user may not make control groups."""
    launcher_pool.stop_all()
    monkeypatch.setattr(launcher_pool.ControlGroup, "create", lambda limits: None)
    yield
    launcher_pool.stop_all()


@pytest.fixture(params=["control group", "watcher"])
def enforced(request: pytest.FixtureRequest) -> None:
    """Both ways to hold a sandbox to its bounds."""
    if request.param == "watcher":
        request.getfixturevalue("watched")
    else:
        group = launcher_pool.ControlGroup.create(Limits())
        if group is None:
            pytest.skip("this user may not make control groups")
        group.close()
