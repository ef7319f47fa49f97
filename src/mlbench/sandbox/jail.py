"""A running jail: bubblewrap around an init process, a copy-on-write workspace, and commands in it.

    launcher (in a control group) -> user and mount namespace -> tmpfs of bounded size -> overlay over the repository
    -> bwrap -> init process as PID 1 -> commands

Everything that a candidate writes is on that tmpfs, in mount namespaces that vanish with the last process. No
repository is copied, and nothing stays behind.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import anyio
from inspect_ai.util import SandboxUnavailableError

from mlbench.records import Execution, ExitKind
from mlbench.sandbox import launcher_pool, trace_decoder
from mlbench.sandbox import mounts as view
from mlbench.sandbox.failure import Failed, who_failed, why_not_started
from mlbench.sandbox.launcher_pool import Launcher
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.mounts import ENVIRONMENT, HOME, TOOLS, WORKSPACE, Mounts
from mlbench.sandbox.streams import CapturedOutput, Descriptors, Kept, drain, drain_now, feed, leftovers, memory_file

__all__ = ["ENVIRONMENT", "HOME", "TOOLS", "WORKSPACE", "Jail", "Mounts"]

START_SECONDS = 30.0
_GRACE_SECONDS = 0.05
_PATIENCE_SECONDS = 5.0


class Jail:
    """One sandbox, from its start to its close. Use `await Jail.start(...)` and `await jail.close()`."""

    def __init__(
        self, launcher: Launcher, control: socket.socket, limits: Limits, env: Mapping[str, str], python: str
    ) -> None:
        self._launcher = launcher
        self._control = control
        self._closed = False
        self._keys = itertools.count(1)
        self._kills_at_start = launcher.bound.memory_kills()
        self.limits = limits
        self.env = dict(env)
        self.python = python
        """The interpreter of the environment, which nothing inside can change."""

    @classmethod
    async def start(cls, mounts: Mounts, limits: Limits, env: Mapping[str, str] | None = None) -> Jail:
        """Start a jail and wait until its init process answers.

        Args:
            mounts: what the jail shows of the host.
            limits: limits of memory, processes, disk and output.
            env: variables of every command, besides PATH, HOME, LANG and the thread counts.

        Raises:
            SandboxUnavailableError: the jail did not start, or not in time; says why.
        """
        fields = view.start_fields(mounts, limits)
        launcher = launcher_pool.take(limits)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.setblocking(False)
        jail = cls(launcher, ours, limits, view.environment(mounts, env or {}), str(view.interpreter(mounts)))
        with os.fdopen(os.memfd_create("mlbench-jail"), "rb") as log:
            try:
                with theirs:
                    pid = await launcher.spawn(fields, theirs, log.fileno())
                launcher.bound.watch(pid, jail._clear)
                ready = None
                with anyio.move_on_after(START_SECONDS):
                    await anyio.wait_readable(ours)
                    ready = ours.recv(64)
                if ready is None:
                    raise SandboxUnavailableError(f"the sandbox did not start within {START_SECONDS:.0f} s")
                if ready != b"ready":
                    printed = os.pread(log.fileno(), 4000, 0).decode(errors="replace")
                    raise SandboxUnavailableError(f"the sandbox did not start: {why_not_started(printed)}")
            except BaseException:
                await jail.close()
                raise
        return jail

    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        cwd: str = WORKSPACE,
        env: Mapping[str, str] | None = None,
        seconds: float | None = None,
        keep: int | None = -1,
        witnessed: bool = False,
        answer: tuple[str, bytes] | None = None,
        printed: CapturedOutput | None = None,
    ) -> tuple[Execution, bytes]:
        """Run a command until it ends or `seconds` of wall time have passed; then kill its process tree.

        Args:
            keep: bytes of each output stream to keep (beginning and end); -1 for the jail's limit, None for all.
            witnessed: whether to trace the processes of the command; only one command at a time can be traced.
            answer: for a trace, path and content of the one Python file that may differ from the repository.
            printed: object that receives the output while the command runs; `keep` is then ignored.

        Returns:
            The execution (output as text), and standard output as bytes.

        Raises:
            SandboxUnavailableError: the sandbox failed, not the command.
        """
        try:
            env = {**self.env, **(env or {})}
            request = _request(argv, cwd, env)
        except ValueError as error:  # no kernel can run this, so the command is to blame
            return Execution(ExitKind.EXITED, 126, 0.0, stderr=f"cannot start the command: {error}"), b""
        printed = printed or CapturedOutput(self.limits.output if keep == -1 else keep)
        out, err = printed.out, printed.err
        status, timed_out, took = _Status(), False, 0.0
        kills_before = self._memory_kills()
        key = b"%d" % next(self._keys)
        with Descriptors() as fds:
            theirs = [fds.own(request)]
            in_read, in_write = fds.pipe()
            (out_read, out_write), (err_read, err_write), (status_read, status_write) = (fds.pipe() for _ in range(3))
            theirs = [in_read, out_write, err_write, status_write, *theirs]
            seen = fds.own(memory_file(trace_decoder.told(answer))) if witnessed else -1
            theirs += [fds.own(os.dup(seen))] if witnessed else []
            for fd in (in_write, out_read, err_read, status_read):
                os.set_blocking(fd, False)

            began = time.perf_counter()
            try:
                await self._send(b"exec " + key, theirs)
            except SandboxUnavailableError:
                if kills_before > 0 and not self._closed:  # an earlier command made the sandbox end
                    return Execution(ExitKind.MEMORY, 137, 0.0), b""
                raise
            for fd in theirs:
                fds.close(fd)
            drained = anyio.Event()

            async def feed_and_close() -> None:
                await feed(in_write, stdin)
                fds.close(in_write)

            async def drain_and_close(fd: int, kept: Kept) -> None:
                await drain(fd, kept)
                fds.close(fd)
                if out_read not in fds and err_read not in fds:
                    drained.set()

            try:
                async with anyio.create_task_group() as group:
                    group.start_soon(feed_and_close)
                    group.start_soon(drain_and_close, out_read, out)
                    group.start_soon(drain_and_close, err_read, err)
                    with anyio.move_on_after(seconds) as scope:
                        await status.read(status_read)
                    timed_out = scope.cancelled_caught
                    if timed_out:
                        await self._kill(key, status, status_read)
                    took = time.perf_counter() - began
                    with anyio.move_on_after(_GRACE_SECONDS):  # for the output of its children
                        await drained.wait()
                    group.cancel_scope.cancel()
            except BaseException:
                if not status.ended:
                    await self._kill(key, status, status_read)
                raise
            finally:
                held = [(fd, kept) for fd, kept in ((out_read, out), (err_read, err)) if fd in fds]
                for fd, kept in held:
                    drain_now(fd, kept)
                leftovers.adopt([fds.release(fd) for fd, _ in held])
            witness = trace_decoder.witness(seen, env, self.limits.processes) if witnessed else None
        execution = self._execution(status, timed_out, took, kills_before, out, err)
        return replace(execution, witness=witness), out.bytes()

    async def open(self, argv: Sequence[str], *, cwd: str = WORKSPACE, env: Mapping[str, str] | None = None) -> Opened:
        """Start a command whose standard input is a stream socket, and return the other end.

        It runs until it ends or until `Opened.close()`. Its output goes to a file in memory.

        Raises:
            SandboxUnavailableError: the sandbox failed, not the command.
        """
        key = b"%d" % next(self._keys)
        with Descriptors() as fds:
            request = fds.own(_request(argv, cwd, {**self.env, **(env or {})}))
            status_read, status_write = fds.pipe()
            log = fds.own(os.memfd_create("mlbench-log"))
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
            ours.setblocking(False)
            os.set_blocking(status_read, False)
            try:
                with theirs:
                    await self._send(b"exec " + key, [theirs.fileno(), log, log, status_write, request])
            except BaseException:
                ours.close()
                raise
            return Opened(self, key, ours, fds.release(status_read), fds.release(log))

    async def clear(self) -> None:
        """End every process inside; the jail keeps running."""
        await self._send(b"clear", [])

    async def close(self) -> None:
        """End everything inside and wait until it has ended. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        with anyio.CancelScope(shield=True):
            self._launcher.bound.unwatch()
            self._control.close()  # the init process then ends, and as PID 1 it ends everything
            if await self._launcher.gone(_PATIENCE_SECONDS):
                launcher_pool.give_back(self._launcher)
            else:
                self._launcher.stop()

    def _execution(
        self, status: _Status, timed_out: bool, took: float, kills_before: int, out: Kept, err: Kept
    ) -> Execution:
        if self._closed and status.exit_code is None:
            raise SandboxUnavailableError("the sandbox was closed while a command was running in it")
        memory_killed = self._memory_kills() > (kills_before if status.exit_code is not None else 0)
        if who_failed(status.exit_code, timed_out=timed_out, memory_killed=memory_killed) is Failed.SANDBOX:
            raise SandboxUnavailableError("the sandbox ended while a command was running in it")
        return Execution(
            ending=ExitKind.TIMEOUT if timed_out else ExitKind.MEMORY if memory_killed else ExitKind.EXITED,
            exit_code=status.exit_code if status.exit_code is not None else 137,
            seconds=took,
            peak_memory=status.peak_memory,
            processor=status.processor,
            stdout=out.text(),
            stderr=err.text(),
            dropped_bytes=out.dropped + err.dropped,
        )

    def _memory_kills(self) -> int:
        return self._launcher.bound.memory_kills() - self._kills_at_start

    def _clear(self) -> None:
        self._control.send(b"clear")

    async def _kill(self, key: bytes, status: _Status, status_read: int) -> None:
        """End a command and its descendants and wait for it, even if this task is cancelled meanwhile."""
        with anyio.move_on_after(_PATIENCE_SECONDS, shield=True), contextlib.suppress(SandboxUnavailableError):
            await self._send(b"kill " + key, [])
            await status.read(status_read)

    async def _send(self, message: bytes, fds: list[int]) -> None:
        while True:
            try:
                socket.send_fds(self._control, [message], fds)
                return
            except (
                BlockingIOError
            ):  # the init process is busy; several tasks cannot wait for one socket, but all can poll it
                await anyio.sleep(0.002)
            except OSError as error:
                raise SandboxUnavailableError(f"the sandbox does not listen: {error.strerror}") from error


class Opened:
    """A running command, and the socket to talk to it."""

    def __init__(self, jail: Jail, key: bytes, ours: socket.socket, status_fd: int, log: int) -> None:
        self._jail, self._key, self._status_fd, self._log = jail, key, status_fd, log
        self._status = _Status()
        self.socket = ours

    def printed(self) -> str:
        """Return the last 4,000 bytes of its output."""
        size = os.fstat(self._log).st_size
        return os.pread(self._log, 4000, max(0, size - 4000)).decode(errors="replace")

    async def close(self) -> None:
        """End the command and its descendants. Safe to call twice."""
        if self.socket.fileno() < 0:
            return
        self.socket.close()
        if not self._jail._closed:
            await self._jail._kill(self._key, self._status, self._status_fd)
        os.close(self._status_fd)
        os.close(self._log)


class _Status:
    """The report of a command's end: exit code, peak memory in bytes, processor time in seconds."""

    def __init__(self) -> None:
        self.ended = False  # with or without a report
        self.exit_code: int | None = None
        self.peak_memory = 0
        self.processor = 0.0
        self._report = Kept(None)

    async def read(self, fd: int) -> None:
        await drain(fd, self._report)
        self.ended = True
        if words := self._report.bytes().split():
            self.exit_code, self.peak_memory = int(words[1]), int(words[2]) * 1024
            self.processor = int(words[3]) / 1000


def _request(argv: Sequence[str], cwd: str, env: Mapping[str, str]) -> int:
    """Write a request to a file in memory, because a command line may be longer than a message of a socket.

    Raises:
        ValueError: no program can get these arguments.
    """
    fields = [cwd, str(len(argv)), *argv, *(f"{name}={value}" for name, value in env.items())]
    if any("\0" in field for field in fields):
        raise ValueError("a command, folder or variable holds a NUL byte")
    if not argv or not argv[0]:
        raise ValueError("it is empty")
    return memory_file("\0".join(fields).encode("utf-8", errors="surrogateescape"))
