"""Run an agent's program once on unseen inputs, and measure its processor time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import anyio

from mlbench.evals.mlagentbench.data import LIBRARY, Prepared, packages_of
from mlbench.evals.mlagentbench.problem import Measured, ResearchProblem
from mlbench.judging.policy import last_lines
from mlbench.records import Execution, ExitKind
from mlbench.sandbox.jail import WORKSPACE, Jail, Mounts
from mlbench.sandbox.limits import MIB, Limits
from mlbench.sandbox.submission import pack, unpack

JUDGING = Path(__file__).parent / "grader_runtime"
LIMITS = Limits(seconds=120, memory=2048 * MIB, written=1024 * MIB)

_COUNTED = ("python", "-I", "-S", f"{LIBRARY}/cpu_time.py")
_SYSTEM = {"PATH": "/usr/bin:/bin"}
_PATIENCE = 500  # looks, 20 ms apart
_TICK = 0.001  # seconds: no run takes less


@dataclass(frozen=True)
class TimedRun:
    """The packed output of a measured run and its processor time (seconds), or why it is invalid."""

    output: bytes = b""
    seconds: float = 0.0
    invalid: str = ""


async def measure(problem: ResearchProblem, measured: Measured, data: Prepared, archive: bytes) -> TimedRun:
    """Run the program once, in a fresh jail.

    Args:
        problem: the research problem.
        measured: what is run.
        data: of the problem.
        archive: the packed workspace.

    Raises:
        SandboxUnavailableError: the sandbox failed.
    """
    jail = await Jail.start(mounts(problem, data), LIMITS)
    try:
        if fault := await unpack(jail, archive):
            return TimedRun(invalid=grader_message(fault))
        for name in measured.inputs:
            write = ["/bin/sh", "-c", 'rm -rf "$1"; exec cat > "$1"', "write", f"{WORKSPACE}/{name}"]
            written, _ = await jail.run(write, stdin=(data.hidden / name).read_bytes(), env=_SYSTEM)
            if written.exit_code:
                return TimedRun(invalid=f"{name}: other inputs cannot be put in its place: {how_it_ended(written)}")
        remove = ["/bin/rm", "-rf", *(f"{WORKSPACE}/{name}" for name in measured.outputs)]
        removed, _ = await jail.run(remove, env=_SYSTEM)
        if removed.exit_code:
            return TimedRun(invalid=f"what was left of an earlier run cannot be removed: {how_it_ended(removed)}")
        before = await _spent(jail)
        await jail.run([*_COUNTED, "true"])
        own = await _spent(jail)  # with what it costs to count
        done, _ = await jail.run([*_COUNTED, *measured.run], seconds=measured.seconds)
        if done.ending is not ExitKind.EXITED or done.exit_code:
            return TimedRun(invalid=f"`{' '.join(measured.run)}` fails: {how_it_ended(done)}")
        await jail.clear()  # what it left running worked for it, too
        seconds = max((await _spent(jail)) - own - (own - before), _TICK)
        output = await pack(jail, measured.outputs)
        return (
            TimedRun(output, seconds)
            if output
            else TimedRun(invalid="what a run left could not be packed: it is too large")
        )
    except _Endless:
        return TimedRun(invalid=f"`{' '.join(measured.run)}` fails: what it started does not end")
    finally:
        await jail.close()


def mounts(problem: ResearchProblem, data: Prepared) -> Mounts:
    """Return the mounts of the jail: nothing hidden, and writable inputs."""
    others = problem.measured.inputs if problem.measured else ()
    fixed = tuple((data.workspace / name, f"{WORKSPACE}/{name}") for name in problem.read_only if name not in others)
    counted = (JUDGING / "cpu_time.py", f"{LIBRARY}/cpu_time.py")
    return Mounts(data.workspace, packages_of(problem), shown=(*fixed, counted))


class _Endless(Exception):
    """A process is still running or ending."""


async def _spent(jail: Jail) -> float:
    """Seconds of processor time of all processes of a jail, after waiting until none runs.

    A killed process is counted only when it is gone, which takes longer the more memory it held. Until then there
    may be no room for another process, and the look itself may fail.

    Raises:
        _Endless: a process does not end.
    """
    for _ in range(_PATIENCE):
        seen, _ = await jail.run(["/bin/ls", "/proc"], env=_SYSTEM)
        if not seen.exit_code and sum(name.isdigit() for name in seen.stdout.split()) == 2:  # the jail's first, and ls
            return seen.processor
        await anyio.sleep(0.02)
    raise _Endless


def how_it_ended(done: Execution) -> str:
    """Describe how a command failed, with the end of its output."""
    how = {
        ExitKind.EXITED: f"exit {done.exit_code}",
        ExitKind.TIMEOUT: f"ended after {done.seconds:.0f} s, its limit",
        ExitKind.MEMORY: "ended for the memory that it took",
    }[done.ending]
    return ": ".join([how, *last_lines(done.stderr, 1)])


def grader_message(text: str) -> str:
    """Return what a grader says, hostile text, as one printable line."""
    return " ".join(last_lines(text)) or "the grader gives no reason"
