"""Run a problem's own starter, reference and wrong solution, each in a fresh jail."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mlbench.evals.mlagentbench.data import Prepared, packages_of
from mlbench.evals.mlagentbench.grading import Grade, grade, left
from mlbench.evals.mlagentbench.problem import Data, ResearchProblem
from mlbench.records import Execution
from mlbench.sandbox.jail import WORKSPACE, Jail, Mounts
from mlbench.sandbox.limits import MIB, bounds
from mlbench.sandbox.submission import clock_of

_LARGE = {"memory": 8192 * MIB, "written": 8192 * MIB, "processes": 512}
ROOM: dict[Data, dict[str, int]] = {
    "lite": {"memory": 4096 * MIB, "written": 2048 * MIB, "processes": 512},
    "full": _LARGE,
    "published": _LARGE,
}
"""Sandbox limits for agents and solutions, by kind of data."""


@dataclass(frozen=True)
class ReferenceRun:
    """A solution that was run: how its script ended, its workspace, its grade."""

    execution: Execution
    archive: bytes
    grade: Grade


async def tried(problem: ResearchProblem, data: Prepared, files: Path | None = None, seed: int = 0) -> ReferenceRun:
    """Run a solution as `worked` does, and grade it.

    Args:
        problem: the research problem.
        data: its data.
        files: a folder; None for the starter as it is.
        seed: given to the script as the variable SEED.

    Raises:
        RunError: the grader fails.
        SandboxUnavailableError: the sandbox failed.
    """
    execution, archive = await worked(problem, data, files, seed)
    return ReferenceRun(execution, archive, await grade(problem, data, archive))


async def worked(
    problem: ResearchProblem, data: Prepared, files: Path | None = None, seed: int = 0
) -> tuple[Execution, bytes]:
    """Run the problem's script with other files over the starter's.

    Return how the script ended, and the packed workspace.

    Args:
        problem: the research problem.
        data: its data.
        files: a folder; None for the starter as it is.
        seed: given to the script as the variable SEED.

    Raises:
        SandboxUnavailableError: the sandbox failed.
    """
    jail = await Jail.start(mounts(problem, data), bounds(ROOM[problem.data]), {"SEED": str(seed)})
    try:
        since = await clock_of(jail)
        for file in sorted(path for path in (files.rglob("*") if files else ()) if path.is_file()):
            assert files is not None
            place = f"{WORKSPACE}/{file.relative_to(files).as_posix()}"
            write = ["/bin/sh", "-c", 'mkdir -p "$(dirname "$1")"; exec cat > "$1"', "write", place]
            await jail.run(write, stdin=file.read_bytes(), env={"PATH": "/usr/bin:/bin"})
        execution, _ = await jail.run(["python", problem.script], seconds=problem.bounds.script_seconds)
        return execution, await left(problem, jail, since)
    finally:
        await jail.close()


def mounts(problem: ResearchProblem, data: Prepared) -> Mounts:
    """Return the mounts of a workspace's jail: starter, data, and read-only files."""
    fixed = tuple((data.workspace / name, f"{WORKSPACE}/{name}") for name in problem.read_only)
    return Mounts(data.workspace, packages_of(problem), shown=fixed)
