"""The spawners that are ready to start a jail, each in a control group of its own where this user may make one."""

from __future__ import annotations

import atexit
import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import anyio
from inspect_ai.util import SandboxUnavailableError

from mlbench.sandbox.limits import Enforcer, Limits, enforcer

_SPAWNER = Path(__file__).parent / "spawner.py"
_START_SECONDS = 30.0


class Spawner:
    """A process that starts one jail after the other. Host side of `spawner.py`."""

    def __init__(self, limits: Limits) -> None:
        self.owner = os.getpid()
        self.bound: Enforcer = enforcer(limits)
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process = subprocess.Popen(
            [str(Path(sys.executable).resolve()), "-I", "-S", str(_SPAWNER)], stdin=theirs, env={}
        )
        theirs.close()
        self.bound.join(self._process.pid)
        self._socket.setblocking(False)
        self._ready = False

    async def spawn(self, fields: Sequence[str], control: socket.socket, log: int) -> int:
        """Start a jail; returns the process id of its bwrap.

        Raises:
            SandboxUnavailableError: the spawner does not answer.
        """
        if not self._ready:
            await self._expect(b"ready", _START_SECONDS)
            self._ready = True
        message = "\0".join(fields).encode(errors="surrogateescape")
        try:
            socket.send_fds(self._socket, [message], [control.fileno(), log])
        except OSError as error:
            raise SandboxUnavailableError(f"a sandbox's spawner is gone: {error.strerror}") from error
        return int((await self._expect(b"started", _START_SECONDS)).split()[1])

    async def gone(self, seconds: float) -> bool:
        """Wait until nothing of the jail is left; False where that takes longer than `seconds`."""
        try:
            return bool(await self._expect(b"gone", seconds))
        except SandboxUnavailableError:
            return False

    async def _expect(self, word: bytes, seconds: float) -> bytes:
        message = b""
        with anyio.move_on_after(seconds):
            while True:
                try:
                    message = self._socket.recv(256)
                    break
                except BlockingIOError:
                    await anyio.wait_readable(self._socket)
                except OSError:
                    break
        if not message.startswith(word):
            raise SandboxUnavailableError(f"a sandbox's spawner did not say {word.decode()!r}")
        return message

    def alive(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """End it, and with it whatever it started."""
        self._socket.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=1.0)
        self._process.kill()
        self._process.wait()
        self.bound.close()


_idle: list[Spawner] = []


def take(limits: Limits) -> Spawner:
    """A spawner with these bounds: one that is idle, else a new one."""
    while _idle:
        spawner = _idle.pop()
        if spawner.owner == os.getpid() and spawner.alive() and spawner.bound.adapt(limits):
            return spawner
        spawner.stop()
    return Spawner(limits)


def give_back(spawner: Spawner) -> None:
    """It may start another jail; after anything odd, `stop` it instead."""
    _idle.append(spawner)


@atexit.register
def stop_all() -> None:
    """Stop the idle spawners; those in use end with their jails and this process."""
    while _idle:
        spawner = _idle.pop()
        if spawner.owner == os.getpid():
            spawner.stop()


def sweep(groups: Path) -> None:
    """Remove the empty control groups of hosts that were killed."""
    for group in groups.glob("**/mlbench-*"):
        pid = group.name.split("-")[1]
        if not Path("/proc", pid).exists():
            for _ in range(3):
                with contextlib.suppress(OSError):
                    group.rmdir()
                    break
                time.sleep(0.01)
