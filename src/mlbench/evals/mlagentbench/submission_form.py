"""Check the form of a submission without grading it: an agent may ask as often as it likes, and learns no score.

Predictions are read by the problem's grader, of which only the refusal is told. A program is run on the inputs that
the agent knows, and its outputs are compared with the starter's: what it prints could tell it about unseen inputs.
"""

from __future__ import annotations

import json
from pathlib import Path

from mlbench.evals.mlagentbench.data import LIBRARY, REQUIREMENTS, Prepared
from mlbench.evals.mlagentbench.grading import grade
from mlbench.evals.mlagentbench.problem import Measured, ResearchProblem
from mlbench.evals.mlagentbench.reference_runs import worked
from mlbench.evals.mlagentbench.timed_run import JUDGING, LIMITS, grader_message, how_it_ended, measure
from mlbench.records import RunError
from mlbench.repositories.environments import environment
from mlbench.sandbox.jail import WORKSPACE, Jail, Mounts
from mlbench.sandbox.submission import unpack

_KNOWN = "/tmp/known"
_STARTERS: dict[Path, bytes] = {}
"""What the starter leaves on the inputs that agents know, by the folder of the data."""


async def form_fault(problem: ResearchProblem, data: Prepared, archive: bytes) -> str:
    """Return what is wrong with the form of a submission, with the file; empty if it can be graded.

    Args:
        problem: the research problem.
        data: its data.
        archive: from `grading.left`.

    Raises:
        RunError: the grader or the starter fails: the problem is broken.
        SandboxUnavailableError: the sandbox failed.
    """
    if problem.measured is None:
        return (await grade(problem, data, archive)).invalid
    run = await measure(problem, problem.measured, _of_known_inputs(data), archive)
    return run.invalid or await _compared(problem.measured, data, run.output, await _starter(problem, data))


def _of_known_inputs(data: Prepared) -> Prepared:
    """The data with the inputs that the agent has in place of the unseen ones."""
    return Prepared(data.workspace, data.workspace)


async def _starter(problem: ResearchProblem, data: Prepared) -> bytes:
    assert problem.measured
    if data.workspace not in _STARTERS:
        _, archive = await worked(problem, data)
        run = await measure(problem, problem.measured, _of_known_inputs(data), archive)
        if run.invalid:
            raise RunError(f"the starter of {problem.name} fails on its own inputs: {run.invalid}")
        _STARTERS[data.workspace] = run.output
    return _STARTERS[data.workspace]


async def _compared(measured: Measured, data: Prepared, output: bytes, known: bytes) -> str:
    """Compare packed outputs with the starter's, in a jail."""
    library = tuple((JUDGING / name, f"{LIBRARY}/{name}") for name in ("mlbench_grading.py", "form_check.py"))
    jail = await Jail.start(Mounts(data.workspace, environment(REQUIREMENTS), shown=library), LIMITS)
    try:
        system = {"PATH": "/usr/bin:/bin"}
        if fault := await unpack(jail, known):
            raise RunError(f"what the starter leaves cannot be unpacked: {fault}")
        keep = 'mkdir -p "$1"; shift; for name; do mv "$name" "$0"; done'
        await jail.run(["/bin/sh", "-c", keep, _KNOWN, _KNOWN, *measured.outputs], env=system)
        if fault := await unpack(jail, output):
            return grader_message(fault)
        command = ["python", "-s", f"{LIBRARY}/form_check.py", WORKSPACE, _KNOWN, *measured.outputs]
        done, _ = await jail.run(command, cwd="/opt", env={"PYTHONPATH": LIBRARY}, seconds=LIMITS.seconds)
        try:
            invalid = str(json.loads(done.stdout)["invalid"])
        except (ValueError, KeyError, TypeError):
            raise RunError(f"the check of the form fails: {how_it_ended(done)}") from None
        return grader_message(invalid) if invalid else ""
    finally:
        await jail.close()
