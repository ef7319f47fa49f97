"""The spawners that are ready to start a jail, each in a control group of its own where this user may make one."""

from __future__ import annotations

import atexit
import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import anyio
from inspect_ai.util import SandboxUnavailableError

from mlbench.sandbox import seccomp
from mlbench.sandbox.cgroup import ControlGroup
from mlbench.sandbox.failure import why_not_started
from mlbench.sandbox.limits import Enforcer, Limits
from mlbench.sandbox.memory_watcher import Watched
from mlbench.sandbox.streams import Descriptors, memory_file

_SPAWNER = Path(__file__).parent / "launcher.py"
_START_SECONDS = 30.0


class Spawner:
    """A process that starts one jail after the other. Host side of `spawner.py`."""

    def __init__(self, limits: Limits) -> None:
        self._log = os.fdopen(os.memfd_create("mlbench-spawner"), "rb")
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.setblocking(False)
        self._busy = False
        with theirs:
            self._process = subprocess.Popen(
                [str(Path(sys.executable).resolve()), "-I", "-S", str(_SPAWNER)],
                stdin=theirs.fileno(),
                stdout=self._log.fileno(),
                stderr=self._log.fileno(),
                env={},
                cwd="/",
                start_new_session=True,  # what a terminal sends (Ctrl-C, Ctrl-Z, hanging up) is the host's to handle
            )
        self.bound: Enforcer = ControlGroup.create(limits) or Watched(limits)
        try:
            self.bound.join(self._process.pid)
        except OSError:
            self.bound.close()
            self.bound = Watched(limits)
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
        with Descriptors() as fds:
            syscalls = fds.own(memory_file(seccomp.program()))
            try:
                socket.send_fds(self._socket, [message], [control.fileno(), log, syscalls])
            except OSError as error:
                raise SandboxUnavailableError(f"a sandbox's spawner is gone: {error.strerror}") from error
        self._busy = True
        return int((await self._expect(b"started", _START_SECONDS)).split()[1])

    async def gone(self, seconds: float) -> bool:
        """Wait until nothing of the jail is left; False where that takes longer than `seconds`."""
        if not self._busy:
            return self.alive()
        try:
            await self._expect(b"gone", seconds)
        except SandboxUnavailableError:
            return False
        self._busy = False
        return True

    async def _expect(self, word: bytes, seconds: float) -> bytes:
        """The next message that begins with this word; a start that was given up leaves others before it."""
        message = b"-"
        with anyio.move_on_after(seconds):
            while message and not message.startswith(word):
                try:
                    message = self._socket.recv(256)
                except BlockingIOError:
                    await anyio.wait_readable(self._socket)
                except OSError:
                    message = b""
        if message.startswith(word):
            return message
        reason = (
            "it is slow" if message else why_not_started(os.pread(self._log.fileno(), 4000, 0).decode(errors="replace"))
        )
        raise SandboxUnavailableError(f"a sandbox's spawner did not say {word.decode()!r}: {reason}")

    def alive(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """End it, and with it whatever it started: a jail does not outlive its parent."""
        self.forget()
        self._process.kill()
        self._process.wait()
        self.bound.close()

    def forget(self) -> None:
        """Close what this process holds of it."""
        self._socket.close()
        self._log.close()


_idle: list[Spawner] = []


def take(limits: Limits) -> Spawner:
    """A spawner with these bounds: one that is idle, else a new one."""
    with contextlib.suppress(IndexError):
        while True:
            spawner = _idle.pop()
            if spawner.alive() and spawner.bound.adapt(limits):
                return spawner
            spawner.stop()
    return Spawner(limits)


def give_back(spawner: Spawner) -> None:
    """It may start another jail; after anything odd, `stop` it instead."""
    _idle.append(spawner)


@atexit.register
def stop_all() -> None:
    """Stop the idle spawners; those in use end with their jails and this process."""
    with contextlib.suppress(IndexError):
        while True:
            _idle.pop().stop()


def _forget_all() -> None:
    """A forked child must not use, nor end, what belongs to its parent."""
    for spawner in _idle:
        spawner.forget()
    _idle.clear()


os.register_at_fork(after_in_child=_forget_all)
