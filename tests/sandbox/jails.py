"""What the sandbox tests look at: a jail's processes as the host sees them, what is left on the host."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
import psutil

from mlbench.records import ExitKind
from mlbench.sandbox.jail import Jail

PYTHON = str(Path(sys.executable).resolve())  # the agent's interpreter, in view at its own path
_naps = itertools.count(1000)
Start = Callable[..., Awaitable[Jail]]


async def sh(jail: Jail, script: str, seconds: float = 30.0) -> str:
    """The output of a shell script that must come to its own end."""
    execution, _ = await jail.run(["bash", "-c", script], seconds=seconds)
    assert execution.ending is ExitKind.EXITED, execution
    return execution.stdout


async def python(jail: Jail, script: str, seconds: float = 30.0) -> str:
    """The output of a Python script that must succeed."""
    execution, _ = await jail.run([PYTHON, "-c", script], seconds=seconds)
    assert (execution.ending, execution.exit_code) == (ExitKind.EXITED, 0), execution
    return execution.stdout


def inside(jail: Jail) -> list[psutil.Process]:
    """The host's view of a jail's processes: bwrap, the agent, what commands left."""
    return psutil.Process(jail._spawner._process.pid).children(recursive=True)


def agent_of(jail: Jail) -> psutil.Process:
    return psutil.Process(inside(jail)[0].children()[0].pid)


def nap() -> str:
    """A command that sleeps for long, and that nothing else on this machine runs."""
    return f"sleep {next(_naps)}.{os.getpid()}"


def running(command: str) -> list[int]:
    """Processes of this machine with exactly this command line."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.cmdline() == command.split():
                found.append(process.pid)
    return found


async def all_running(command: str, count: int = 1) -> bool:
    """Whether so many processes of this command line come to run; a shell returns before its `&` has started one."""
    with anyio.move_on_after(20):
        while len(running(command)) < count:
            await anyio.sleep(0.05)
    return len(running(command)) == count


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))
