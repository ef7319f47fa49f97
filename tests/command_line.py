"""Run `mlbench` as a real process that costs no imports: forked from a process that has made them.

Each command has its own folder, environment, output and exit code, as a process that a shell starts. Only the second
that Python needs to import Inspect and its kin is saved.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MLBENCH = Path(sys.executable).with_name("mlbench")
"""The installed command, for tests that read its output while it runs."""
_SECONDS = 300.0
_SERVER = "from tests.command_line import _serve; _serve({fd})"
_PRELOADED = (
    "mlbench.cli",
    "mlbench._registry",
    "mlbench.eval_runs",
    "mlbench.interface_check.api",
    "mlbench.results.load_log",
    "mlbench.suite_builder.pipeline",
    "inspect_ai.model",
    "openai",
)


class Command:
    """A command under way, with the methods of `subprocess.Popen` that tests need. Its output is read at its end."""

    def __init__(self, arguments: tuple[str, ...], cwd: Path, env: Mapping[str, str], background: bool) -> None:
        request = {"arguments": arguments, "cwd": str(cwd), "env": dict(env), "background": background}
        text = json.dumps(request).encode()
        self.returncode: int | None = None
        self._out, self._err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115  (`communicate` closes)
        self._answer, theirs = socket.socketpair()
        self._answer.settimeout(_SECONDS)  # the first command waits for the imports
        with theirs, open(os.devnull, "rb") as empty:
            streams = [each.fileno() for each in (empty, self._out, self._err, theirs)]
            connection = _server()
            socket.send_fds(connection, [len(text).to_bytes(4, "big")], streams)
            connection.sendall(text)
        self.pid = self._number()

    def wait(self, timeout: float | None = None) -> int:
        """Wait until the command has ended, and return its exit code.

        Raises:
            TimeoutError: it has not ended in time.
        """
        if self.returncode is None:
            self._answer.settimeout(timeout)
            self.returncode = self._number()
            self._answer.close()
        return self.returncode

    def poll(self) -> int | None:
        """Return the exit code, or None if the command has not ended."""
        with contextlib.suppress(TimeoutError):
            self.wait(0.001)
        return self.returncode

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Wait until the command has ended, and return its output and its errors."""
        self.wait(timeout)
        texts = []
        for stream in (self._out, self._err):
            stream.seek(0)
            texts.append(stream.read().decode())
            stream.close()
        return texts[0], texts[1]

    def kill(self) -> None:
        """End the command, if it has not ended."""
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def _number(self) -> int:
        answer = self._answer.recv(4)
        if len(answer) < 4:
            _server.cache_clear()  # the next command gets another
            self._err.seek(0)
            raise RuntimeError(f"the process that forks mlbench has ended: {self._err.read()!r}")
        return int.from_bytes(answer, "big", signed=True)


def start(*arguments: str, cwd: Path, env: Mapping[str, str]) -> Command:
    """Start one command in a session of its own, so that it and its children can be killed at once.

    Args:
        arguments: What stands after `mlbench` on the command line.
        cwd: The working folder.
        env: The whole environment.
    """
    return Command(arguments, cwd, env, background=True)


def mlbench(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, seconds: float = _SECONDS
) -> subprocess.CompletedProcess[str]:
    """Run one command to its end.

    Args:
        arguments: What stands after `mlbench` on the command line.
        cwd: The working folder.
        env: The whole environment (default: that of the tests).
        seconds: The wall clock time after which the command is killed.

    Raises:
        TimeoutError: The command has not ended in time.
        RuntimeError: The process that forks has ended.
    """
    command = Command(arguments, cwd, os.environ if env is None else env, background=False)
    try:
        stdout, stderr = command.communicate(seconds)
    finally:
        command.kill()
    return subprocess.CompletedProcess(["mlbench", *arguments], command.returncode or 0, stdout, stderr)


@functools.cache
def _server() -> socket.socket:
    """A connection to the process that forks; it ends when the connection is closed."""
    ours, theirs = socket.socketpair()
    path = os.pathsep.join(filter(None, [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]))
    subprocess.Popen(
        [sys.executable, "-c", _SERVER.format(fd=theirs.fileno())],
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path},
    )
    theirs.close()
    atexit.register(ours.close)
    return ours


def _serve(number: int) -> None:
    """Fork a child for each request, and answer with its process id and its exit code."""
    sys.path.remove(str(Path(__file__).parents[1]))
    for name in _PRELOADED:
        importlib.import_module(name)
    gc.freeze()  # a child that collects no garbage of ours copies no pages
    connection = socket.socket(fileno=number)
    while True:
        head, streams, _, _ = socket.recv_fds(connection, 4, 4)
        if not head:
            return
        text = b""
        while len(text) < int.from_bytes(head, "big"):
            text += connection.recv(1 << 20)
        request = json.loads(text)
        if not request["background"]:
            _run(connection, request, streams)
        elif not os.fork():  # a copy waits for this command, and its parent serves others
            _run(connection, request, streams)
            os._exit(0)
        for stream in streams:
            os.close(stream)


def _run(connection: socket.socket, request: Mapping[str, Any], streams: list[int]) -> None:
    """Fork the command, and wait for its end."""
    answer = socket.socket(fileno=os.dup(streams[3]))
    child = multiprocessing.get_context("fork").Process(target=_become, args=(connection, answer, request, streams))
    child.start()
    with answer, contextlib.suppress(BrokenPipeError):  # nobody waits any more
        answer.sendall((child.pid or 0).to_bytes(4, "big"))
        child.join()
        answer.sendall((child.exitcode or 0).to_bytes(4, "big", signed=True))


def _become(connection: socket.socket, answer: socket.socket, request: Mapping[str, Any], streams: list[int]) -> None:
    """Make this process the command that is asked for, and run it."""
    from mlbench.cli import main

    connection.close()
    answer.close()
    os.close(streams.pop())
    if request["background"]:
        os.setsid()
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
        os.close(stream)
    sys.stdin = os.fdopen(0)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv = [str(MLBENCH), *request["arguments"]]
    try:
        main()
    finally:
        atexit._run_exitfuncs()  # a forked child leaves without the interpreter's end
