"""Running one candidate in the sample's sandbox, whichever provider it is."""

from __future__ import annotations

import posixpath
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from inspect_ai.util import SandboxEnvironment

from mlbench.sandbox.bubblewrap import BubblewrapSandbox
from mlbench.sandbox.jail import Jail
from mlbench.sandbox.view import PROBE, WORKSPACE
from mlbench.types import Ending, Execution, Sample

PYTHON_FILE = "mlbench_candidate.py"
RIDE = f"{PROBE}/ride.py"
_ABSENT = 'for glob; do compgen -G "$glob" >/dev/null || echo "$glob"; done'
_SHELL_FILE = "mlbench_candidate.sh"


OutsideEnv = Callable[[str], dict[str, str]]
"""Variables for a candidate in a sandbox that is no jail, from the folder in which the repository stands."""


async def execute(
    sandbox: SandboxEnvironment,
    sample: Sample,
    code: str,
    seconds: float,
    outside_env: OutsideEnv,
    witnessed: bool = False,
    artefacts: Sequence[str] = (),
) -> Execution:
    """Run `code` in the sample's folder, after its prefix, to its end or to `seconds` of wall time.

    A shell candidate is run by bash, a Python candidate as a file of the folder, so that its imports resolve there.
    Only a jail can be `witnessed`; there a Python candidate runs through a launcher, which reports its calls.

    Args:
        artefacts: globs, from the sample's folder, of what has to be there where the time limit ends a run.

    Raises:
        SandboxUnavailableError: the sandbox failed, not the candidate.
    """
    folder = sample.path.removeprefix("./").rstrip("/") or "."
    jailed = _jailed(sandbox)
    if sample.kind == "python":
        file, run = f"{folder}/{PYTHON_FILE}", f"python {RIDE if witnessed and jailed else ''} {PYTHON_FILE}"
        text = code
    else:
        file, run = f"{folder}/{_SHELL_FILE}", ""
        text = f"{sample.prefix_code}\n{code}\n" if sample.prefix_code else f"{code}\n"
    content = text.encode("utf-8", errors="replace")
    await sandbox.write_file(file, content)
    if sample.kind == "shell":
        argv = ["bash", _SHELL_FILE]
    elif sample.prefix_code:
        argv = ["bash", "-c", f"{sample.prefix_code}\n{run}"]
    else:
        argv = run.split()
    if jailed:
        answer = (posixpath.normpath(f"{WORKSPACE}/{file}"), content) if sample.kind == "python" else None
        cwd = f"{WORKSPACE}/{folder}"
        execution = await jailed.run(argv, cwd=cwd, seconds=seconds, witnessed=witnessed, answer=answer)
        if artefacts and execution.ending is Ending.TIMEOUT:
            execution = replace(execution, absent=await absent(await jailed.jail(), artefacts, cwd))
        return execution
    root = (await sandbox.exec(["pwd"])).stdout.strip()
    return await _elsewhere(sandbox, argv, f"{root}/{folder}", outside_env(root), seconds)


async def absent(jail: Jail, artefacts: Sequence[str], folder: str) -> tuple[str, ...]:
    """Those of some globs, from a folder inside, that match nothing there."""
    look, _ = await jail.run(["/bin/bash", "-O", "globstar", "-c", _ABSENT, "-", *artefacts], cwd=folder)
    return tuple(look.stdout.splitlines())


def _jailed(sandbox: SandboxEnvironment) -> BubblewrapSandbox | None:
    """The jail behind the proxy that Inspect hands out, if it is one."""
    try:
        return sandbox.as_type(BubblewrapSandbox)
    except TypeError:
        return None


async def _elsewhere(
    sandbox: SandboxEnvironment, argv: list[str], folder: str, env: dict[str, str], seconds: float
) -> Execution:
    """Through Inspect's common interface: no peak memory, and a time-out keeps no output."""
    began = time.perf_counter()
    try:
        result = await sandbox.exec(argv, cwd=folder, env=env, timeout=max(1, round(seconds)), timeout_retry=False)
    except TimeoutError:
        return Execution(Ending.TIMEOUT, 137, time.perf_counter() - began)
    took = time.perf_counter() - began
    return Execution(Ending.EXITED, result.returncode, took, stdout=result.stdout, stderr=result.stderr)
