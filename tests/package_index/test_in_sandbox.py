"""pip in a sandbox without a network installs a package, and a second sandbox's installation asks no index."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import anyio
import pytest

from mlbench.package_index import client_config, process_server, server
from mlbench.records import ExitKind
from mlbench.sandbox.jail import Jail, Mounts
from mlbench.sandbox.limits import Limits
from tests.package_index.fake_index import FakeIndex

pip = pytest.importorskip("pip")
pytestmark = pytest.mark.anyio
PYTHON = str(Path(sys.executable).resolve())  # mounted in the sandbox at its own path


async def shell(jail: Jail, script: str) -> str:
    """The output of a shell script that has to end by itself."""
    execution, _ = await jail.run(["bash", "-c", script], seconds=30)
    assert execution.ending is ExitKind.EXITED, execution
    return execution.stdout


async def start_forwarder(jail: Jail) -> None:
    opened = await jail.open(client_config.forwarder_command(PYTHON))
    with anyio.fail_after(20):
        while "ready" not in opened.printed():
            await anyio.sleep(0.01)


async def test_a_second_sandbox_installs_without_asking_the_index(
    repository: Path, fake: FakeIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", fake.url)
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    fake.add("needed")
    fake.add("tiny", requires="needed", with_metadata=True)
    process_server.stop()
    sandboxes: set[str] = set()
    sandbox_of = server._sandbox_of
    monkeypatch.setattr(server, "_sandbox_of", lambda c: sandboxes.add(sandbox_of(c)) or sandbox_of(c))
    shown = ((process_server.serve().parent, client_config.MOUNT_POINT), (Path(pip.__file__).parent, "/opt/pip/pip"))
    settings = " ".join(f"{name}={value}" for name, value in client_config.environment_variables().items())
    install = f"exec 2>&1; env {settings} PYTHONPATH=/opt/pip {PYTHON} -m pip install --target /workspace/got tiny"
    try:
        asked = []
        for _ in range(2):
            jail = await Jail.start(Mounts(repository, shown=shown), Limits())
            try:
                await start_forwarder(jail)
                assert "Successfully installed needed-1.0 tiny-1.0" in await shell(jail, install)
                imported = f"cd /workspace/got && {PYTHON} -c 'import tiny, needed; print(tiny.version)'"
                assert await shell(jail, imported) == "1.0\n"
            finally:
                await jail.close()
            asked.append(fake.asked.total())
        assert asked == [5, 5]  # two pages, one core metadata, two wheels
        assert len(sandboxes) == 2
        assert "" not in sandboxes
    finally:
        process_server.stop()
