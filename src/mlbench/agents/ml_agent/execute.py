"""Run an answer in a bubblewrap sandbox and stream its output."""

from __future__ import annotations

import posixpath
import time
from collections.abc import Callable
from dataclasses import dataclass
from uuid import uuid4

import anyio
from inspect_ai.util import SandboxEnvironment

from mlbench.agents.ml_agent.result import SolveResult
from mlbench.agents.ml_agent.submission import RUN, run_files
from mlbench.agents.ml_agent.task_input import Job
from mlbench.records import ExitKind
from mlbench.sandbox.bubblewrap import BubblewrapConfig, BubblewrapSandbox
from mlbench.sandbox.jail import WORKSPACE, Opened

_CHUNK = 65536
# its input is our socket: the output goes there, and at the end a line with a secret word and the exit code
_STREAM = 'exec 3<&0 </dev/null; bash "$1" >&3 2>&1; code=$?; printf "\\n%s %d\\n" "$2" "$code" >&3'


@dataclass(frozen=True)
class RunSummary:
    """How an execution ended; seconds of wall time."""

    ending: ExitKind
    exit_code: int
    seconds: float


async def execute(
    config: BubblewrapConfig, job: Job, result: SolveResult, pass_on: Callable[[bytes], None]
) -> RunSummary:
    """Run an answer until it ends or reaches its time limit.

    Args:
        config: the sandbox, with its limits.
        job: the task.
        result: has the answer.
        pass_on: gets each piece of output when it arrives.

    Raises:
        SandboxUnavailableError: the sandbox failed, not the answer.
    """
    box = BubblewrapSandbox(config)
    try:
        await _write_files(box, job, result)
        jail = await box.jail()
        word = uuid4().hex
        began = time.perf_counter()
        opened = await jail.open(["bash", "-c", _STREAM, "stream", posixpath.join(WORKSPACE, RUN), word])
        tail = _Tail(word.encode(), pass_on)
        try:
            with anyio.move_on_after(config.limits.seconds):
                await _forward(opened, tail)
        finally:
            await opened.close()
        seconds = time.perf_counter() - began
        code = tail.end()
        return (
            RunSummary(ExitKind.TIMEOUT, 137, seconds) if code is None else RunSummary(ExitKind.EXITED, code, seconds)
        )
    finally:
        await box.close()


async def _write_files(box: SandboxEnvironment, job: Job, result: SolveResult) -> None:
    for file in run_files(job, result):
        await box.write_file(f"{WORKSPACE}/{file.path}", file.text)


async def _forward(opened: Opened, tail: _Tail) -> None:
    while True:
        await anyio.wait_readable(opened.socket)
        piece = opened.socket.recv(_CHUNK)
        tail.add(piece)
        if not piece or tail.ended:
            return


class _Tail:
    """Passes output on, except the last line, which holds the exit code."""

    def __init__(self, word: bytes, pass_on: Callable[[bytes], None]) -> None:
        self._mark = b"\n" + word + b" "
        self._pass_on = pass_on
        self._kept = b""

    @property
    def ended(self) -> bool:
        """Whether the last line has arrived."""
        return self._mark in self._kept and self._kept.endswith(b"\n")

    def add(self, piece: bytes) -> None:
        """Pass on everything that cannot belong to the last line."""
        self._kept += piece
        at = self._kept.find(self._mark)
        safe = at if at >= 0 else max(0, len(self._kept) - len(self._mark))
        if safe:
            self._pass_on(self._kept[:safe])
            self._kept = self._kept[safe:]

    def end(self) -> int | None:
        """Pass on the rest, and return the exit code; None if the answer was stopped."""
        before, mark, code = self._kept.partition(self._mark)
        if before:
            self._pass_on(before)
        self._kept = b""
        return int(code) if mark and code.strip().isdigit() else None
