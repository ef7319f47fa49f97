"""Launcher processes that are ready to start jails, each in its own control group if this user may create one."""

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

_LAUNCHER = Path(__file__).parent / "launcher.py"
_START_SECONDS = 30.0


class Launcher:
    """Host side of `launcher.py`: a process that starts one jail after the other."""

    def __init__(self, limits: Limits) -> None:
        self._log = os.fdopen(os.memfd_create("mlbench-launcher"), "rb")
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.setblocking(False)
        self._busy = False
        with theirs:
            self._process = subprocess.Popen(
                [str(Path(sys.executable).resolve()), "-I", "-S", str(_LAUNCHER)],
                stdin=theirs.fileno(),
                stdout=self._log.fileno(),
                stderr=self._log.fileno(),
                env={},
                cwd="/",
                start_new_session=True,  # signals of the terminal (Ctrl-C, Ctrl-Z, hang-up) are handled by this process
            )
        self.bound: Enforcer = ControlGroup.create(limits) or Watched(limits)
        try:
            self.bound.join(self._process.pid)
        except OSError:
            self.bound.close()
            self.bound = Watched(limits)
        self._ready = False

    async def spawn(self, fields: Sequence[str], control: socket.socket, log: int) -> int:
        """Start a jail and return the process id of its bwrap.

        Raises:
            SandboxUnavailableError: the launcher does not answer.
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
                raise SandboxUnavailableError(f"a sandbox's launcher is gone: {error.strerror}") from error
        self._busy = True
        return int((await self._expect(b"started", _START_SECONDS)).split()[1])

    async def gone(self, seconds: float) -> bool:
        """Wait until the jail has completely ended; return False if that takes longer than `seconds`."""
        if not self._busy:
            return self.alive()
        try:
            await self._expect(b"gone", seconds)
        except SandboxUnavailableError:
            return False
        self._busy = False
        return True

    async def _expect(self, word: bytes, seconds: float) -> bytes:
        """Return the next message that starts with this word; an abandoned start may leave others before it."""
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
        raise SandboxUnavailableError(f"a sandbox's launcher did not say {word.decode()!r}: {reason}")

    def alive(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """End the launcher and its jail, which does not outlive it."""
        self.forget()
        self._process.kill()
        self._process.wait()
        self.bound.close()

    def forget(self) -> None:
        """Close the descriptors of this process for it."""
        self._socket.close()
        self._log.close()


_idle: list[Launcher] = []


def take(limits: Limits) -> Launcher:
    """Return a launcher with these limits: an idle one, else a new one."""
    with contextlib.suppress(IndexError):
        while True:
            launcher = _idle.pop()
            if launcher.alive() and launcher.bound.adapt(limits):
                return launcher
            launcher.stop()
    return Launcher(limits)


def give_back(launcher: Launcher) -> None:
    """Return a launcher to the pool. After an error, `stop` it instead."""
    _idle.append(launcher)


@atexit.register
def stop_all() -> None:
    """Stop the idle launchers; the others end with their jails and this process."""
    with contextlib.suppress(IndexError):
        while True:
            _idle.pop().stop()


def _forget_all() -> None:
    """In a forked child: forget the parent's launchers without ending them."""
    for launcher in _idle:
        launcher.forget()
    _idle.clear()


os.register_at_fork(after_in_child=_forget_all)
