"""Run `mlbench` as a real process that costs no imports: forked from a process that has made them.

Each command has its own folder, environment, output and exit code, as a process that a shell starts. Only the second
that Python needs to import Inspect and its kin is saved.
"""

from __future__ import annotations

import atexit
import functools
import gc
import importlib
import json
import multiprocessing
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MLBENCH = Path(sys.executable).with_name("mlbench")
"""The installed command, for tests that need a process of its own."""
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
    request = {"arguments": arguments, "cwd": str(cwd), "env": dict(os.environ if env is None else env)}
    text = json.dumps(request).encode()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, open(os.devnull, "rb") as empty:
        connection = _server()
        connection.settimeout(seconds)
        try:
            socket.send_fds(connection, [len(text).to_bytes(4, "big")], [empty.fileno(), out.fileno(), err.fileno()])
            connection.sendall(text)
            answer = connection.recv(4)
        except TimeoutError:
            _server.cache_clear()  # the next command gets another
            connection.close()
            raise
        if len(answer) < 4:
            _server.cache_clear()
            raise RuntimeError(f"the process that forks mlbench has ended: {err.read()!r}")
        out.seek(0)
        err.seek(0)
        code = int.from_bytes(answer, "big", signed=True)
        return subprocess.CompletedProcess(["mlbench", *arguments], code, out.read().decode(), err.read().decode())


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
    """Fork a child for each request, and answer with its exit code."""
    sys.path.remove(str(Path(__file__).parents[1]))
    for name in _PRELOADED:
        importlib.import_module(name)
    gc.freeze()  # a child that collects no garbage of ours copies no pages
    connection = socket.socket(fileno=number)
    while True:
        head, streams, _, _ = socket.recv_fds(connection, 4, 3)
        if not head:
            return
        text = b""
        while len(text) < int.from_bytes(head, "big"):
            text += connection.recv(1 << 20)
        arguments = (connection, json.loads(text), streams)
        child = multiprocessing.get_context("fork").Process(target=_become, args=arguments)
        child.start()
        for stream in streams:
            os.close(stream)
        child.join()
        connection.sendall((child.exitcode or 0).to_bytes(4, "big", signed=True))


def _become(connection: socket.socket, request: Mapping[str, Any], streams: list[int]) -> None:
    """Make this process the command that is asked for, and run it."""
    from mlbench.cli import main

    connection.close()
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
