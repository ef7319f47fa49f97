"""The grader: outside of the agent's sandbox, on what it left as data; a problem of speed is run before."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, replace
from pathlib import Path

import anyio

from mlbench.experiments.data import CODE, REQUIREMENTS, Prepared
from mlbench.experiments.problem import Measured, Problem
from mlbench.repositories.environments import environment
from mlbench.sandbox.jail import WORKSPACE, Jail, Mounts
from mlbench.sandbox.limits import MIB, Limits
from mlbench.sandbox.workspace import pack, pack_changes, unpack
from mlbench.types import Ending, Execution, RunError
from mlbench.verdict.policy import last_lines

HIDDEN, _LIBRARY = "/opt/hidden", "/opt/lib"
_JUDGING = Path(__file__).parent / "judging"
_COUNTED = ("python", "-I", "-S", f"{_LIBRARY}/counted.py")
_LIMITS = Limits(seconds=120, memory=2048 * MIB, written=1024 * MIB)
_SYSTEM = {"PATH": "/usr/bin:/bin"}
_PATIENCE = 500  # looks, 20 ms apart
_TICK = 0.001  # seconds: no run takes less


@dataclass(frozen=True)
class Grade:
    """A score, or why there is no valid submission. `seconds` are those of processor time of each measured run."""

    score: float | None
    invalid: str = ""
    seconds: tuple[float, ...] = ()


async def left(problem: Problem, jail: Jail, since: str) -> bytes:
    """What of a workspace is graded, packed: the submission; where a program is measured, everything that changed.

    Args:
        since: what `clock_of` said before anybody worked in it.
    """
    return await (pack_changes(jail, since) if problem.measured else pack(jail, problem.submission))


async def grade(problem: Problem, data: Prepared, archive: bytes) -> Grade:
    """The grade of a workspace.

    Args:
        archive: of `left`, or of `Steps.restore`.

    Raises:
        RunError: the grader itself fails: the problem is broken.
        SandboxUnavailableError: the sandbox failed.
    """
    if not archive:  # as it is where a workspace could not be packed; an empty one packed is not empty
        return Grade(
            None,
            "the workspace could not be packed: no process could be started in it, "
            "its disk was full, or it holds more than 100 MiB (packed) of new files",
        )
    if not problem.measured:
        return await _judged(problem, data, archive, ())
    ran = await _measured(problem, problem.measured, data, archive)
    if ran.invalid:
        return Grade(None, ran.invalid, ran.seconds)
    # what every run left is judged: a program that is right only now and then would else be as fast as its wrong runs
    grades = [await _judged(problem, data, output, ran.seconds) for output in ran.outputs]
    return next((each for each in grades if each.score is None), grades[-1])


async def _judged(problem: Problem, data: Prepared, archive: bytes, seconds: tuple[float, ...]) -> Grade:
    """The grader's word on packed files, in a jail of its own."""
    jail = await Jail.start(_mounts(problem, data, grader=True), _LIMITS)
    try:
        if fault := await unpack(jail, archive):
            return Grade(None, _line(fault), seconds)
        times = json.dumps(list(seconds)).encode()
        command = ["python", "-s", f"{CODE}/grade.py", WORKSPACE, HIDDEN]
        env = {"PYTHONPATH": _LIBRARY}
        done, _ = await jail.run(command, stdin=times, cwd="/opt", env=env, seconds=_LIMITS.seconds)
        return replace(_read(problem, done), seconds=seconds)
    finally:
        await jail.close()


@dataclass(frozen=True)
class _Ran:
    outputs: tuple[bytes, ...] = ()
    seconds: tuple[float, ...] = ()
    invalid: str = ""


async def _measured(problem: Problem, measured: Measured, data: Prepared, archive: bytes) -> _Ran:
    """Run what the agent left on inputs that it has not seen, each time in a fresh jail."""
    outputs: list[bytes] = []
    seconds: list[float] = []
    for _ in range(measured.repeats):
        jail = await Jail.start(_mounts(problem, data), _LIMITS)
        try:
            if fault := await unpack(jail, archive):
                return _Ran(invalid=_line(fault))
            for name in measured.inputs:
                write = ["/bin/sh", "-c", 'rm -rf "$1"; exec cat > "$1"', "write", f"{WORKSPACE}/{name}"]
                written, _ = await jail.run(write, stdin=(data.hidden / name).read_bytes(), env=_SYSTEM)
                if written.exit_code:
                    return _Ran(
                        (), tuple(seconds), f"{name}: other inputs cannot be put in its place: {_last(written)}"
                    )
            remove = ["/bin/rm", "-rf", *(f"{WORKSPACE}/{name}" for name in measured.outputs)]
            removed, _ = await jail.run(remove, env=_SYSTEM)
            if removed.exit_code:
                return _Ran((), tuple(seconds), f"what was left of an earlier run cannot be removed: {_last(removed)}")
            before = await _spent(jail)
            await jail.run([*_COUNTED, "true"])
            own = await _spent(jail)  # with what it costs to count
            done, _ = await jail.run([*_COUNTED, *measured.run], seconds=measured.seconds)
            if done.ending is not Ending.EXITED or done.exit_code:
                return _Ran((), tuple(seconds), f"`{' '.join(measured.run)}` fails: {_last(done)}")
            await jail.clear()  # what it left running worked for it, too
            seconds.append(max((await _spent(jail)) - own - (own - before), _TICK))
            outputs.append(await pack(jail, measured.outputs))
        except _Endless:
            return _Ran((), tuple(seconds), f"`{' '.join(measured.run)}` fails: what it started does not end")
        finally:
            await jail.close()
    return _Ran(tuple(outputs), tuple(seconds))


class _Endless(Exception):
    """Something still runs, or is on its way out."""


async def _spent(jail: Jail) -> float:
    """Seconds of processor time of all that ran in a jail in which nothing is to run any more.

    What was killed needs a while to be gone, the longer the more memory it held, and is counted only then. Until then
    there may be no room for another process, and the look itself may fail.

    Raises:
        _Endless: it does not become still.
    """
    for _ in range(_PATIENCE):
        seen, _ = await jail.run(["/bin/ls", "/proc"], env=_SYSTEM)
        if not seen.exit_code and sum(name.isdigit() for name in seen.stdout.split()) == 2:  # the jail's first, and ls
            return seen.processor
        await anyio.sleep(0.02)
    raise _Endless


def grader() -> str:
    """SHA-256 of what graders share: another one may score otherwise."""
    return hashlib.sha256((_JUDGING / "mlbench_grading.py").read_bytes()).hexdigest()


def _mounts(problem: Problem, data: Prepared, grader: bool = False) -> Mounts:
    """The jail of a measured run, which sees nothing hidden, or the grader's."""
    other = problem.measured.inputs if problem.measured else ()
    fixed = tuple((data.workspace / name, f"{WORKSPACE}/{name}") for name in problem.read_only if name not in other)
    library, counted = ((_JUDGING / name, f"{_LIBRARY}/{name}") for name in ("mlbench_grading.py", "counted.py"))
    own = ((problem.hidden, CODE), (data.hidden, HIDDEN), library)
    shown = own if grader else (*fixed, counted)
    return Mounts(data.workspace, environment(REQUIREMENTS), shown=shown)


def _read(problem: Problem, done: Execution) -> Grade:
    try:
        said = json.loads(done.stdout.strip().splitlines()[-1])
        score = float(said["score"]) if "score" in said else None
        if score is None:
            return Grade(None, _line(str(said["invalid"])))
        return Grade(score) if math.isfinite(score) else Grade(None, "the score is not finite")
    except (ValueError, IndexError, KeyError, TypeError):
        raise RunError(f"{problem.folder}/hidden/grade.py fails: {_last(done)}") from None


def _last(done: Execution) -> str:
    """How a command failed, with the last that it printed."""
    how = {
        Ending.EXITED: f"exit {done.exit_code}",
        Ending.TIMEOUT: f"ended after {done.seconds:.0f} s, its limit",
        Ending.MEMORY: "ended for the memory that it took",
    }[done.ending]
    return ": ".join([how, *last_lines(done.stderr, 1)])


def _line(text: str) -> str:
    """What hostile code may have had a hand in, as one line that is safe to show."""
    return " ".join(last_lines(text)) or "the grader gives no reason"
