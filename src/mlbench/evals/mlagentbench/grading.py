"""Grade a workspace in a jail of its own.

If the problem measures a program, it is run first, in another jail.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from anyio import to_thread

from mlbench.evals.mlagentbench.data import CODE, LIBRARY, Prepared, packages_of
from mlbench.evals.mlagentbench.problem import ResearchProblem
from mlbench.evals.mlagentbench.timed_run import JUDGING, LIMITS, grader_message, how_it_ended, measure
from mlbench.records import Execution, ExitKind, RunError
from mlbench.sandbox.jail import WORKSPACE, Jail, Mounts
from mlbench.sandbox.submission import pack, pack_changes, packed_folder, unpack

HIDDEN = "/opt/hidden"
_SHARED = "mlbench_grading.py"

Archive = bytes | Callable[[], bytes]
"""A packed workspace, or a function that loads it: only one at a time is held in memory."""


@dataclass(frozen=True)
class Grade:
    """A score, or why there is no valid submission.

    Attributes:
        seconds: processor time of each measured run.
    """

    score: float | None
    invalid: str = ""
    seconds: tuple[float, ...] = ()


async def left(problem: ResearchProblem, jail: Jail, since: str, clear: bool = True) -> bytes:
    """Pack what is graded of a workspace.

    That is the submission, or everything that changed if the problem measures a program.

    Args:
        problem: the research problem.
        jail: of the workspace.
        since: the sandbox's time (`clock_of`) before the agent began.
        clear: whether all other processes are ended first.
    """
    if problem.measured:
        return await pack_changes(jail, since, clear)
    return await pack(jail, problem.submission, clear)


async def grade(problem: ResearchProblem, data: Prepared, archive: Archive) -> Grade:
    """Grade a workspace.

    Args:
        problem: the research problem.
        data: its data.
        archive: from `left` or `Steps.restore`.

    Raises:
        RunError: the grader itself fails: the problem is broken.
        SandboxUnavailableError: the sandbox failed.
    """
    [found] = await grades(problem, data, [archive])
    return found


async def grades(problem: ResearchProblem, data: Prepared, archives: Sequence[Archive]) -> list[Grade]:
    """Grade several workspaces.

    Measured programs take turns, run by run, so that changes in the machine's speed affect all of them.

    Args:
        problem: the research problem.
        data: its data.
        archives: from `left` or `Steps.restore`.

    Raises:
        RunError: the grader itself fails: the problem is broken.
        SandboxUnavailableError: the sandbox failed.
    """
    found: list[Grade | None] = [None] * len(archives)
    for _ in range(problem.measured.repeats if problem.measured else 1):
        for place, archive in enumerate(archives):
            so_far = found[place]
            if so_far is None or so_far.score is not None:  # what failed once has failed
                packed = archive if isinstance(archive, bytes) else await to_thread.run_sync(archive)
                found[place] = await _graded(problem, data, packed, so_far.seconds if so_far else ())
    return [each for each in found if each is not None]


async def _graded(problem: ResearchProblem, data: Prepared, archive: bytes, seconds: tuple[float, ...]) -> Grade:
    """Grade a workspace, or one more run of it: every run has to be valid."""
    if not archive:  # as it is where a workspace could not be packed; an empty one packed is not empty
        return Grade(
            None,
            "the workspace could not be packed: no process could be started in it, "
            "its disk was full, or it holds more than 100 MiB (packed) of new files",
        )
    if not problem.measured:
        return await _judged(problem, data, archive, ())
    run = await measure(problem, problem.measured, data, archive)
    if run.invalid:
        return Grade(None, run.invalid, seconds)
    return await _judged(problem, data, run.output, (*seconds, run.seconds))


async def _judged(problem: ResearchProblem, data: Prepared, archive: bytes, seconds: tuple[float, ...]) -> Grade:
    """Run the grader on packed files, in a jail of its own.

    If it exceeds its limits, it grades a perfect submission as well. If it can, the submission is at fault.
    """
    done = await _run_grader(problem, data, archive, seconds)
    if isinstance(done, str):
        return Grade(None, done, seconds)
    if done.ending in (ExitKind.TIMEOUT, ExitKind.MEMORY):
        perfect = data.hidden / "perfect"
        same = problem.measured is None and perfect.is_dir() and packed_folder(perfect)
        again = await _run_grader(problem, data, same, ()) if same else None
        if isinstance(again, Execution) and again.ending is ExitKind.EXITED and not again.exit_code:
            files, how = ", ".join(problem.submission), how_it_ended(done).partition(": ")[0]
            return Grade(None, f"{files}: with it the grader {how}", seconds)
    return replace(_read(problem, done), seconds=seconds)


async def _run_grader(
    problem: ResearchProblem, data: Prepared, archive: bytes, seconds: tuple[float, ...]
) -> Execution | str:
    """Return how the grader ended, or why the files cannot be unpacked."""
    own = ((problem.grading, CODE), (data.hidden, HIDDEN), (JUDGING / _SHARED, f"{LIBRARY}/{_SHARED}"))
    jail = await Jail.start(Mounts(data.workspace, packages_of(problem), shown=own), LIMITS)
    try:
        if fault := await unpack(jail, archive):
            return grader_message(fault)
        times = json.dumps(list(seconds)).encode()
        command = ["python", "-s", f"{CODE}/grade.py", WORKSPACE, HIDDEN]
        env = {"PYTHONPATH": LIBRARY}
        done, _ = await jail.run(command, stdin=times, cwd="/opt", env=env, seconds=LIMITS.seconds)
        return done
    finally:
        await jail.close()


def grader() -> str:
    """Return the SHA-256 of the graders' shared module; another version may score differently."""
    return hashlib.sha256((JUDGING / _SHARED).read_bytes()).hexdigest()


def _read(problem: ResearchProblem, done: Execution) -> Grade:
    try:
        answer = json.loads(done.stdout.strip().splitlines()[-1])
        score = float(answer["score"]) if "score" in answer else None
        if score is None:
            return Grade(None, grader_message(str(answer["invalid"])))
        return Grade(score) if math.isfinite(score) else Grade(None, "the score is not finite")
    except (ValueError, IndexError, KeyError, TypeError):
        raise RunError(f"{problem.grading}/grade.py fails: {how_it_ended(done)}") from None
