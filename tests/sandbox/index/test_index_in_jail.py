"""pip in a jail without a network: it installs, and a second jail's installation asks nobody."""

from __future__ import annotations

import os
from pathlib import Path

import anyio
import pytest
from fake_index import FakeIndex
from jails import PYTHON, Start, sh

from mlbench.sandbox.index import inside, server
from mlbench.sandbox.jail import Jail, Mounts

pip = pytest.importorskip("pip")
pytestmark = pytest.mark.anyio


async def open_door(jail: Jail) -> None:
    opened = await jail.open(inside.command(PYTHON))
    with anyio.fail_after(20):
        while "ready" not in opened.printed():
            await anyio.sleep(0.01)


async def test_a_second_sandbox_installs_without_asking_the_index(
    start: Start, repository: Path, fake: FakeIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", fake.url)
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    fake.add("needed")
    fake.add("tiny", requires="needed", with_metadata=True)
    server.stop()
    sandboxes: set[str] = set()
    sandbox_of = server._sandbox_of
    monkeypatch.setattr(server, "_sandbox_of", lambda c: sandboxes.add(sandbox_of(c)) or sandbox_of(c))
    shown = ((server.serve().parent, inside.PLACE), (Path(pip.__file__).parent, "/opt/pip/pip"))
    settings = " ".join(f"{name}={value}" for name, value in inside.variables().items())
    install = f"exec 2>&1; env {settings} PYTHONPATH=/opt/pip {PYTHON} -m pip install --target /workspace/got tiny"
    try:
        asked = []
        for _ in range(2):
            jail = await start(mounts=Mounts(repository, shown=shown))
            await open_door(jail)
            assert "Successfully installed needed-1.0 tiny-1.0" in await sh(jail, install)
            imported = f"cd /workspace/got && {PYTHON} -c 'import tiny, needed; print(tiny.version)'"
            assert await sh(jail, imported) == "1.0\n"
            asked.append(fake.asked.total())
        assert asked == [5, 5]  # two pages, one core metadata, two wheels
        assert len(sandboxes) == 2
        assert "" not in sandboxes
    finally:
        server.stop()
