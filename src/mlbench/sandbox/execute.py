"""Run one candidate in the sample's sandbox, with any provider."""

from __future__ import annotations

import posixpath
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from inspect_ai.util import SandboxEnvironment

from mlbench.records import Candidate, Execution, ExitKind, Sample
from mlbench.sandbox.bubblewrap import BubblewrapSandbox
from mlbench.sandbox.collect import collect, collect_outside
from mlbench.sandbox.jail import Jail
from mlbench.sandbox.mounts import PROBE, WORKSPACE

PYTHON_FILE = "mlbench_candidate.py"
RIDE = f"{PROBE}/run_instrumented.py"
CLAIMS = "/tmp/.mlbench-claims"
"""Folder in which the recorder stores the arrays that a Python answer passes and receives."""
_ABSENT = 'for glob; do compgen -G "$glob" >/dev/null || echo "$glob"; done'
_SHELL_FILE = "mlbench_candidate.sh"


OutsideEnv = Callable[[str], dict[str, str]]
"""Function from the repository's folder to the variables of a candidate, in a sandbox that is not a jail."""


async def execute(
    sandbox: SandboxEnvironment,
    sample: Sample,
    candidate: Candidate,
    seconds: float,
    outside_env: OutsideEnv,
    witnessed: bool = False,
    artefacts: Sequence[str] = (),
    outputs: Sequence[str] | None = None,
    claims: bool = False,
    pristine: str = "",
) -> Execution:
    """Run a candidate in the sample's folder, after its prefix, until it ends or `seconds` of wall time have passed.

    bash runs a shell candidate. A Python candidate runs as a file of that folder, so that its imports resolve there.
    Only a jail can trace an execution (`witnessed`). There, a launcher runs a Python answer and reports its calls.

    Args:
        artefacts: globs, relative to the sample's folder, of files that must exist if the time limit ends the run.
        outputs: globs of absolute paths of the files to collect first; None to collect nothing.
        claims: whether to collect the arrays that its calls pass and return.
        pristine: for a sandbox that is not a jail, the folder of the unchanged repository inside; without it, nothing
            is collected there.

    Raises:
        SandboxUnavailableError: the sandbox failed, not the candidate.
    """
    folder = sample.folder
    cwd = f"{WORKSPACE}/{folder}"
    jailed = _jailed(sandbox)
    python = candidate.kind == "python"
    name = (candidate.file or PYTHON_FILE) if python else _SHELL_FILE
    text = candidate.code if python or not sample.prefix_code else f"{sample.prefix_code}\n{candidate.code}"
    file, content = f"{folder}/{name}", f"{text}\n".encode("utf-8", errors="replace")
    await sandbox.write_file(file, content)
    rides = python and sample.kind == "python" and witnessed and jailed is not None
    if not python:
        argv = ["bash", name]
    elif sample.prefix_code:
        argv = ["bash", "-c", f"{sample.prefix_code}\npython {RIDE if rides else ''} {name}"]
    else:
        argv = ["python", *([RIDE] if rides else []), name]
    path = posixpath.normpath(f"{WORKSPACE}/{file}")
    if jailed is None:
        root = (await sandbox.exec(["pwd"])).stdout.strip()
        execution = await _elsewhere(sandbox, argv, f"{root}/{folder}", outside_env(root), seconds)
        if outputs is None or not pristine:
            return execution
        return replace(execution, outcome=await collect_outside(sandbox, root, pristine, outputs, [path]))
    execution = await jailed.run(
        argv,
        cwd=cwd,
        env={"MLBENCH_CLAIMS": CLAIMS} if claims else {},
        seconds=seconds,
        witnessed=witnessed,
        answer=(path, content) if rides else None,
    )
    jail = await jailed.jail()
    if artefacts and execution.ending is ExitKind.TIMEOUT:
        execution = replace(execution, absent=await absent(jail, artefacts, cwd))
    if outputs is not None and execution.ending is not ExitKind.MEMORY:
        execution = replace(execution, outcome=await collect(jail, [*outputs, f"{CLAIMS}/*"], [path]))
    return execution


async def absent(jail: Jail, artefacts: Sequence[str], folder: str) -> tuple[str, ...]:
    """Return the globs, relative to a folder inside, that match nothing."""
    look, _ = await jail.run(["/bin/bash", "-O", "globstar", "-c", _ABSENT, "-", *artefacts], cwd=folder)
    return tuple(look.stdout.splitlines())


def _jailed(sandbox: SandboxEnvironment) -> BubblewrapSandbox | None:
    """Return the jail behind Inspect's proxy; None if it is another sandbox."""
    if isinstance(sandbox, BubblewrapSandbox):
        return sandbox
    try:
        return sandbox.as_type(BubblewrapSandbox)
    except TypeError:
        return None


async def _elsewhere(
    sandbox: SandboxEnvironment, argv: list[str], folder: str, env: dict[str, str], seconds: float
) -> Execution:
    """Run through Inspect's common interface: no peak memory, and no output after a time-out."""
    if env:  # without the host's variables: one such as OPENBLAS_CORETYPE changes results
        argv = ["env", "-i", *(f"{name}={value}" for name, value in env.items()), *argv]
    began = time.perf_counter()
    try:
        result = await sandbox.exec(argv, cwd=folder, timeout=max(1, round(seconds)), timeout_retry=False)
    except TimeoutError:
        return Execution(ExitKind.TIMEOUT, 137, time.perf_counter() - began)
    took = time.perf_counter() - began
    return Execution(ExitKind.EXITED, result.returncode, took, stdout=result.stdout, stderr=result.stderr)
