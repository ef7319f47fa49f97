"""Only regular files are read and written: anything else is refused at once, and nothing waits for it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest
from inspect_ai.util import SandboxEnvironment

from mlbench.sandbox.bubblewrap import BubblewrapConfig, BubblewrapSandbox
from tests.sandbox.jails import PYTHON

pytestmark = pytest.mark.anyio

SPECIAL = """
import os, socket
os.mkfifo("fifo")
os.symlink("fifo", "to-fifo")
os.symlink("/dev/zero", "to-device")
os.symlink("/dev/stdin", "to-input")
os.symlink("missing/file", "to-nothing")
os.symlink("loop", "loop")
socket.socket(socket.AF_UNIX).bind("socket")
os.mkdir("folder")
os.symlink("folder", "to-folder")
open("locked", "w").close(); os.chmod("locked", 0)
"""
REFUSED = {
    "fifo": (PermissionError, PermissionError),
    "to-fifo": (PermissionError, PermissionError),
    "socket": (PermissionError, PermissionError),
    "to-device": (PermissionError, PermissionError),
    "/dev/full": (PermissionError, PermissionError),
    "to-input": (PermissionError, PermissionError),
    "folder": (IsADirectoryError, IsADirectoryError),
    "to-folder": (IsADirectoryError, IsADirectoryError),
    "locked": (PermissionError, PermissionError),
    "to-nothing": (FileNotFoundError, OSError),
    "loop": (FileNotFoundError, OSError),
    "fifo/file": (FileNotFoundError, PermissionError),
}


@pytest.fixture
async def sandbox(repository: Path) -> AsyncIterator[SandboxEnvironment]:
    environments = await BubblewrapSandbox.sample_init("check", BubblewrapConfig(repository=str(repository)), {})
    made = environments["default"]
    try:
        done = await made.exec([PYTHON, "-c", SPECIAL])
        assert done.success, done.stderr
        yield made
    finally:
        await BubblewrapSandbox.sample_cleanup("check", None, environments, False)


async def test_what_is_no_regular_file_is_refused_at_once(sandbox: SandboxEnvironment) -> None:
    """`write_file` onto a FIFO waited two minutes for a reader, `read_file` was told nothing but "permission"."""
    for name, (reading, writing) in REFUSED.items():
        with anyio.fail_after(20):
            with pytest.raises(reading, match=name):
                await sandbox.read_file(name)
            with pytest.raises(writing, match=name):
                await sandbox.write_file(name, "x")


async def test_a_fifo_that_comes_after_the_look_blocks_nobody(sandbox: SandboxEnvironment) -> None:
    """A process inside swaps the file and the FIFO all the time; whatever is found, nothing waits."""
    swap = "ln -f data.txt plain; while :; do ln -f plain both; ln -f fifo both; done"
    await sandbox.exec(["bash", "-c", f"({swap}) >/dev/null 2>&1 & echo"])
    with anyio.fail_after(100):
        for turn in range(30):
            for ask in (sandbox.read_file("both"), sandbox.write_file("both", "x" * turn)):
                with contextlib.suppress(OSError):
                    await ask


@pytest.mark.parametrize("size", [0, 1, 1 << 20, (3 << 20) + 7])
async def test_regular_files_come_back_whole(sandbox: SandboxEnvironment, size: int) -> None:
    data = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    await sandbox.write_file("a folder/of=a file", data)
    assert await sandbox.read_file("a folder/of=a file", text=False) == data
    await sandbox.write_file("a folder/of=a file", b"short")
    assert await sandbox.read_file("a folder/of=a file") == "short"
