"""Running one candidate in the sample's sandbox, whichever provider it is."""

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
"""Where the recorder puts the arrays that a Python answer's calls take and return."""
_ABSENT = 'for glob; do compgen -G "$glob" >/dev/null || echo "$glob"; done'
_SHELL_FILE = "mlbench_candidate.sh"


OutsideEnv = Callable[[str], dict[str, str]]
"""Variables for a candidate in a sandbox that is no jail, from the folder in which the repository stands."""


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
    """Run a candidate in the sample's folder, after its prefix, to its end or to `seconds` of wall time.

    A shell candidate is run by bash, a Python candidate as a file of the folder, so that its imports resolve there.
    Only a jail can be `witnessed`; there a Python candidate to a Python sample runs through a launcher, which reports
    its calls.

    Args:
        artefacts: globs, from the sample's folder, of what has to be there where the time limit ends a run.
        outputs: globs, of absolute paths, of the files that matter most among those that it leaves behind; None where
            nobody asks what it leaves.
        claims: whether the arrays that its calls take and return are left behind, too.
        pristine: for a sandbox that is no jail, where the unchanged repository can be read from inside; without it,
            nobody looks there for what is left.

    Raises:
        SandboxUnavailableError: the sandbox failed, not the candidate.
    """
    folder = sample.path.removeprefix("./").rstrip("/") or "."
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
    """Those of some globs, from a folder inside, that match nothing there."""
    look, _ = await jail.run(["/bin/bash", "-O", "globstar", "-c", _ABSENT, "-", *artefacts], cwd=folder)
    return tuple(look.stdout.splitlines())


def _jailed(sandbox: SandboxEnvironment) -> BubblewrapSandbox | None:
    """The jail behind the proxy that Inspect hands out, if it is one."""
    if isinstance(sandbox, BubblewrapSandbox):
        return sandbox
    try:
        return sandbox.as_type(BubblewrapSandbox)
    except TypeError:
        return None


async def _elsewhere(
    sandbox: SandboxEnvironment, argv: list[str], folder: str, env: dict[str, str], seconds: float
) -> Execution:
    """Through Inspect's common interface: no peak memory, and a time-out keeps no output."""
    if env:  # nothing of the host's: a variable such as OPENBLAS_CORETYPE changes figures
        argv = ["env", "-i", *(f"{name}={value}" for name, value in env.items()), *argv]
    began = time.perf_counter()
    try:
        result = await sandbox.exec(argv, cwd=folder, timeout=max(1, round(seconds)), timeout_retry=False)
    except TimeoutError:
        return Execution(ExitKind.TIMEOUT, 137, time.perf_counter() - began)
    took = time.perf_counter() - began
    return Execution(ExitKind.EXITED, result.returncode, took, stdout=result.stdout, stderr=result.stderr)
