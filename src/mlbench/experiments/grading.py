"""The grader: outside of the agent's sandbox, on what it left as data; a problem of speed is run before."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

from mlbench.experiments.data import CODE, REQUIREMENTS, Prepared
from mlbench.experiments.problem import Measured, Problem
from mlbench.repositories.environments import environment
from mlbench.sandbox.jail import WORKSPACE, Jail, Mounts
from mlbench.sandbox.limits import MIB, Limits
from mlbench.sandbox.workspace import pack, unpack
from mlbench.types import Ending, Execution, RunError

HIDDEN, _LIBRARY = "/opt/hidden", "/opt/lib"
_JUDGING = Path(__file__).parent / "judging" / "mlbench_grading.py"
_LIMITS = Limits(seconds=120, memory=2048 * MIB, written=1024 * MIB)
_SYSTEM = {"PATH": "/usr/bin:/bin"}


@dataclass(frozen=True)
class Grade:
    """A score, or why there is no valid submission. `seconds` are those of processor time of each measured run."""

    score: float | None
    invalid: str = ""
    seconds: tuple[float, ...] = ()


async def grade(problem: Problem, data: Prepared, archive: bytes) -> Grade:
    """The grade of a workspace.

    Args:
        archive: what differs from the workspace that the agent got, as `sandbox.workspace.pack` packs it.

    Raises:
        RunError: the grader itself fails: the problem is broken.
        SandboxUnavailableError: the sandbox failed.
    """
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
            return Grade(None, fault, seconds)
        times = json.dumps(list(seconds)).encode()
        command = ["python", "-s", f"{CODE}/grade.py", WORKSPACE, HIDDEN]
        done, _ = await jail.run(command, stdin=times, cwd="/opt", env={"PYTHONPATH": _LIBRARY})
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
    inputs = tuple((data.hidden / name, f"{WORKSPACE}/{name}") for name in measured.inputs)
    for _ in range(measured.repeats):
        jail = await Jail.start(_mounts(problem, data), _LIMITS)
        try:
            if fault := await unpack(jail, archive):
                return _Ran(invalid=fault)
            for path, place in inputs:
                write = ["/bin/sh", "-c", 'rm -rf "$1"; exec cat > "$1"', "write", place]
                await jail.run(write, stdin=path.read_bytes(), env=_SYSTEM)
            remove = ["/bin/rm", "-rf", *(f"{WORKSPACE}/{name}" for name in measured.outputs)]
            before, _ = await jail.run(remove, env=_SYSTEM)
            done, _ = await jail.run(list(measured.run), seconds=measured.seconds)
            await jail.clear()  # what it left running worked for it, too
            after, _ = await jail.run(["/bin/true"], env=_SYSTEM)
            seconds.append(after.processor - before.processor)
            if done.ending is not Ending.EXITED or done.exit_code:
                return _Ran((), tuple(seconds), f"`{' '.join(measured.run)}` fails: {_last(done)}")
            outputs.append(await pack(jail, measured.outputs))
        finally:
            await jail.close()
    return _Ran(tuple(outputs), tuple(seconds))


def _mounts(problem: Problem, data: Prepared, grader: bool = False) -> Mounts:
    """The jail of a measured run, which sees nothing hidden, or the grader's."""
    other = problem.measured.inputs if problem.measured else ()
    fixed = tuple((data.workspace / name, f"{WORKSPACE}/{name}") for name in problem.read_only if name not in other)
    own = ((problem.hidden, CODE), (data.hidden, HIDDEN), (_JUDGING, f"{_LIBRARY}/{_JUDGING.name}"))
    shown = own if grader else fixed
    return Mounts(data.workspace, environment(REQUIREMENTS), shown=shown)


def _read(problem: Problem, done: Execution) -> Grade:
    try:
        said = json.loads(done.stdout.strip().splitlines()[-1])
        return Grade(float(said["score"])) if "score" in said else Grade(None, str(said["invalid"]))
    except (ValueError, IndexError, KeyError, TypeError):
        raise RunError(f"{problem.folder}/hidden/grade.py fails: {_last(done)}") from None


def _last(done: Execution) -> str:
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return (lines or [f"{done.ending}, exit {done.exit_code}"])[-1].strip()[:300]
