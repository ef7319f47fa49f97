"""One running jail: bubblewrap around an agent, a copy-on-write workspace, commands started in it.

    spawner (in a control group) -> user and mount namespace -> tmpfs of bounded size -> overlay over the repository
    -> bwrap -> agent as PID 1 -> commands

Everything that a candidate can write stands on that one tmpfs, inside mount namespaces that vanish with the last process:
no repository is copied and nothing stays behind.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
from inspect_ai.util import SandboxUnavailableError

from mlbench.repositories.cache import cache_folder
from mlbench.sandbox import nursery
from mlbench.sandbox.failure import Failed, who_failed, why_not_started
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.nursery import Spawner
from mlbench.sandbox.streams import Kept, drain, feed, leftovers
from mlbench.types import Ending, Execution

WORKSPACE = "/workspace"
HOME = "/home/user"
ENVIRONMENT = "/opt/env"
TOOLS = "/opt/tools"
START_SECONDS = 30.0
_HERE = Path(__file__).parent
_GRACE_SECONDS = 0.05
_PATIENCE_SECONDS = 5.0


@dataclass(frozen=True)
class Mounts:
    """What a jail sees besides the system: host folders.

    repository: seen copy-on-write at /workspace.
    environment: a virtual environment, read-only at /opt/env, its `bin` first in PATH.
    tools: a folder of console scripts, read-only, next in PATH.
    """

    repository: Path
    environment: Path | None = None
    tools: Path | None = None


class Jail:
    """One sandbox, from its start to its close. Use `await Jail.start(...)` and `await jail.close()`."""

    def __init__(self, spawner: Spawner, control: socket.socket, limits: Limits, env: Mapping[str, str]) -> None:
        self._spawner = spawner
        self._control = control
        self._closed = False
        self._kills_at_start = spawner.bound.memory_kills()
        self.limits = limits
        self.env = dict(env)

    @classmethod
    async def start(cls, mounts: Mounts, limits: Limits, env: Mapping[str, str] | None = None) -> Jail:
        """Start a jail and wait until its agent answers.

        Args:
            env: variables for every command, beyond PATH, HOME, LANG and the thread counts.

        Raises:
            SandboxUnavailableError: this machine cannot, or it took too long; says why.
        """
        fields = _fields(mounts, limits)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        log = os.memfd_create("mlbench-jail")
        try:
            jail = cls(nursery.take(limits), ours, limits, _inner_environment(mounts, env or {}))
            try:
                pid = await jail._spawner.spawn(fields, theirs, log)
                theirs.close()
                jail._spawner.bound.watch(pid)
                ready = b""
                with anyio.move_on_after(START_SECONDS):
                    await anyio.wait_readable(ours)
                    ready = ours.recv(64)
                if ready != b"ready":
                    printed = os.pread(log, 4000, 0).decode(errors="replace")
                    raise SandboxUnavailableError(f"the sandbox did not start: {why_not_started(printed)}")
            except BaseException:
                await jail.close()
                raise
            return jail
        finally:
            theirs.close()
            os.close(log)

    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        cwd: str = WORKSPACE,
        env: Mapping[str, str] | None = None,
        seconds: float | None = None,
        keep: int | None = -1,
    ) -> tuple[Execution, bytes]:
        """Run a command to its end, or to `seconds` of wall time; its whole process tree is then killed.

        Args:
            keep: bytes of each output stream to keep, head and tail; -1 for the jail's limit, None for all.

        Returns:
            The execution (output as text), and standard output as bytes.

        Raises:
            SandboxUnavailableError: the sandbox failed, not the command.
        """
        kept_out, kept_err = (Kept(self.limits.output if keep == -1 else keep) for _ in range(2))
        kills_before = self._memory_kills()
        request = _request(argv, cwd, {**self.env, **(env or {})})
        (in_read, in_write), (out_read, out_write), (err_read, err_write), (status_read, status_write) = (
            os.pipe2(os.O_CLOEXEC) for _ in range(4)
        )
        theirs = [in_read, out_write, err_write, status_write, request]
        began = time.perf_counter()
        try:
            await self._send(b"exec", theirs)
        except BaseException as error:
            for fd in (in_write, out_read, err_read, status_read):
                os.close(fd)
            if isinstance(error, SandboxUnavailableError) and kills_before:
                return Execution(Ending.MEMORY, 137, 0.0), b""  # an earlier command took the jail down with it
            raise
        finally:
            for fd in theirs:
                os.close(fd)
        for fd in (in_write, out_read, err_read, status_read):
            os.set_blocking(fd, False)

        status = _Status()
        timed_out = False
        open_pipes = {out_read, err_read}

        async def drain_to_end(fd: int, kept: Kept) -> None:
            await drain(fd, kept)
            open_pipes.discard(fd)
            os.close(fd)

        try:
            async with anyio.create_task_group() as group:
                group.start_soon(feed, in_write, stdin)
                group.start_soon(drain_to_end, out_read, kept_out)
                group.start_soon(drain_to_end, err_read, kept_err)
                with anyio.move_on_after(seconds) as scope:
                    await status.read(status_read)
                timed_out = scope.cancelled_caught
                if timed_out and status.key:
                    await self._send(b"kill " + status.key, [])
                    with anyio.move_on_after(5):
                        await status.read(status_read)
                took = time.perf_counter() - began
                with anyio.move_on_after(_GRACE_SECONDS):  # what is in the pipes still
                    while open_pipes:
                        await anyio.sleep(0.001)
                group.cancel_scope.cancel()
        except BaseException:
            if status.key and status.exit_code is None and not self._closed:
                with contextlib.suppress(OSError):
                    self._control.send(b"kill " + status.key)
            raise
        finally:
            os.close(status_read)
            leftovers.adopt(list(open_pipes))
        memory_killed = self._memory_kills() > (kills_before if status.exit_code is not None else 0)
        failed = who_failed(
            status.exit_code, timed_out=timed_out, memory_killed=memory_killed, closed_by_us=self._closed
        )
        if failed is Failed.SANDBOX:
            raise SandboxUnavailableError("the sandbox ended while a command was running in it")
        ending = Ending.TIMEOUT if timed_out else Ending.MEMORY if memory_killed else Ending.EXITED
        execution = Execution(
            ending=ending,
            exit_code=status.exit_code if status.exit_code is not None else 137,
            seconds=took,
            peak_memory=status.peak_memory,
            stdout=kept_out.text(),
            stderr=kept_err.text(),
            dropped_bytes=kept_out.dropped + kept_err.dropped,
        )
        return execution, kept_out.bytes()

    async def close(self) -> None:
        """End everything inside and wait until it is gone. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        with anyio.CancelScope(shield=True):
            self._control.close()  # the agent hears it and ends; it is PID 1: its end is the end of all
            self._spawner.bound.watch(0)
            if await self._spawner.gone(_PATIENCE_SECONDS):
                nursery.give_back(self._spawner)
            else:
                self._spawner.stop()

    def _memory_kills(self) -> int:
        return self._spawner.bound.memory_kills() - self._kills_at_start

    async def _send(self, message: bytes, fds: list[int]) -> None:
        try:
            while True:
                try:
                    socket.send_fds(self._control, [message], fds)
                    return
                except BlockingIOError:
                    await anyio.wait_writable(self._control)
        except OSError as error:
            raise SandboxUnavailableError(f"the sandbox does not listen: {error.strerror}") from error


class _Status:
    """What the agent reports of one command: its key when it started, its exit code and peak memory at its end."""

    def __init__(self) -> None:
        self.key = b""
        self.exit_code: int | None = None
        self.peak_memory = 0
        self._buffer = b""

    async def read(self, fd: int) -> None:
        while self.exit_code is None:
            try:
                data = os.read(fd, 256)
            except BlockingIOError:
                await anyio.wait_readable(fd)
                continue
            if not data:
                return
            self._buffer += data
            *lines, self._buffer = self._buffer.split(b"\n")
            for line in lines:
                word, *numbers = line.split()
                if word == b"started":
                    self.key = numbers[0]
                else:
                    self.exit_code, self.peak_memory = int(numbers[0]), int(numbers[1]) * 1024


def _request(argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> int:
    """The request as a file in memory: a command line may be longer than a socket's message."""
    fields = [cwd, str(len(argv)), *argv, *(f"{name}={value}" for name, value in env.items())]
    if any("\0" in field for field in fields):
        raise ValueError("a command, folder or variable holds a NUL byte")
    fd = os.memfd_create("mlbench-request")
    data = memoryview("\0".join(fields).encode("utf-8", errors="surrogateescape"))
    while data:
        data = data[os.write(fd, data) :]
    return fd


def _inner_environment(mounts: Mounts, env: Mapping[str, str]) -> dict[str, str]:
    path = [f"{ENVIRONMENT}/bin"] if mounts.environment else []
    path += [TOOLS] if mounts.tools else []
    return {
        "PATH": ":".join([*path, "/usr/local/bin", "/usr/bin", "/bin"]),
        "HOME": HOME,
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        **env,
    }


def _fields(mounts: Mounts, limits: Limits) -> list[str]:
    """What the spawner is told: mount point, size, lower folder, then the command line from bwrap to the agent."""
    lower = str(mounts.repository.resolve())
    if any(sign in lower for sign in ",:\\"):
        raise SandboxUnavailableError(f"the path {lower} holds a comma, colon or backslash: move it")
    bwrap = shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin")
    if bwrap is None:
        raise SandboxUnavailableError("bubblewrap is not installed (Debian: apt-get install bubblewrap)")
    return [str(cache_folder("scratch")), str(limits.written), lower, bwrap, *_arguments(mounts, limits)]


def _arguments(mounts: Mounts, limits: Limits) -> list[str]:
    python = _agent_python(mounts)
    args = ["--unshare-all", "--unshare-user", "--disable-userns", "--uid", "1000", "--gid", "1000"]
    args += ["--as-pid-1", "--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv"]
    args += ["--proc", "/proc", "--dev", "/dev", "--size", str(limits.written), "--tmpfs", "/dev/shm"]
    args += ["--remount-ro", "/dev"]
    args += _system_mounts()
    for file in ("passwd", "group"):
        args += ["--ro-bind", str(_HERE / "etc" / file), f"/etc/{file}"]
    args += _read_only(python.parent.parent)
    if mounts.environment:
        args += ["--ro-bind", str(mounts.environment.resolve()), ENVIRONMENT]
    if mounts.tools:
        args += ["--ro-bind", str(mounts.tools.resolve()), TOOLS]
    args += _masks([Path("/usr"), python.parent.parent])
    args += ["--ro-bind", str(_HERE / "agent.py"), "/opt/agent.py"]
    args += ["--bind", "tree", WORKSPACE, "--bind", "home", HOME, "--bind", "tmp", "/tmp"]
    args += ["--remount-ro", "/", "--chdir", WORKSPACE, "--"]
    args += [str(python), "-I", "-S", "/opt/agent.py"]
    return [*args, str(limits.written), str(limits.open_files), str(limits.processes)]


def _system_mounts() -> list[str]:
    """/usr read-only, the links or folders beside it, and the few files of /etc that programs need."""
    args = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        path = Path("/", name)
        if path.is_symlink():
            args += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            args += ["--ro-bind", str(path), str(path)]
    for name in ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime"):
        args += ["--ro-bind-try", name, name]
    return args


def _read_only(folder: Path) -> list[str]:
    return [] if folder.is_relative_to("/usr") else ["--ro-bind", str(folder), str(folder)]


def _masks(visible: list[Path]) -> list[str]:
    """Empty folders over what would show the answers: this package and its cache, where they stand in view."""
    args: list[str] = []
    for secret in (_HERE.parent, cache_folder()):
        if any(secret.is_relative_to(folder) for folder in visible):
            args += ["--tmpfs", str(secret)]
    return args


def _agent_python(mounts: Mounts) -> Path:
    """The interpreter itself, not the link that a virtual environment has to it."""
    link = mounts.environment / "bin" / "python" if mounts.environment else Path(sys.executable)
    python = link.resolve()
    if not python.is_file():
        raise SandboxUnavailableError(f"no Python behind {link}")
    return python
