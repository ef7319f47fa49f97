"""Prepare a problem's data: `visible/` joins the workspace, only the grader sees `hidden/`."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import anyio

from mlbench.evals.mlagentbench.download import held, sums
from mlbench.evals.mlagentbench.problem import LOCKS, ResearchProblem, Tier
from mlbench.evals.mlagentbench.problem_faults import blamed_line
from mlbench.records import ExitKind, RunError
from mlbench.repositories.build_once import built
from mlbench.repositories.cache import cache_folder
from mlbench.repositories.environments import environment, environment_folder
from mlbench.repositories.repo_environments import repo_environment, repo_environment_folder
from mlbench.sandbox.archives import extract_tar
from mlbench.sandbox.jail import Jail, Mounts
from mlbench.sandbox.limits import MIB, Limits

REQUIREMENTS = Path(__file__).parent / "requirements.txt"
CODE, RAW, OUT, LIBRARY = "/opt/problem", "/opt/raw", "/tmp/out", "/opt/lib"
PREPARING = Path(__file__).parent / "data_runtime"
_SMALL = (Limits(memory=4096 * MIB, written=2048 * MIB), 600)
_LARGE = (Limits(memory=8192 * MIB, written=8192 * MIB), 3600)
"""Limits and seconds of the script that prepares the data."""
_SHARED = (*sorted(PREPARING.glob("*.py")), REQUIREMENTS)
_LARGEST = 2048 * MIB


@dataclass(frozen=True)
class Prepared:
    """Folders: the agent's starting point (starter and data), and what only the grader sees."""

    workspace: Path
    hidden: Path


def packages_of(problem: ResearchProblem) -> Path:
    """Return the environment of a problem's workspace and grader, which is built at the first call.

    Raises:
        NoWheelError: a package has no wheel.
        RunError: it cannot be built; quotes uv.
    """
    if not problem.environment:
        return environment(REQUIREMENTS)
    return repo_environment(LOCKS / f"{problem.environment}.cpu.txt", seeded=False)


def has_packages(problem: ResearchProblem) -> bool:
    """Return whether the environment of a problem is built."""
    if not problem.environment:
        return environment_folder(REQUIREMENTS.read_bytes()).is_dir()
    return repo_environment_folder(LOCKS / f"{problem.environment}.cpu.txt", seeded=False).is_dir()


def place_of(problem: ResearchProblem) -> Prepared:
    """Return the folder of a problem's prepared data.

    Raises:
        RunError: the data are the published ones and are not downloaded.
    """
    shared = hashlib.sha256(b"".join(file.read_bytes() for file in _SHARED)).hexdigest()
    what = f"{problem.digest()} {shared} {problem.data_seed}"
    if problem.tier is not Tier.STANDARD:
        what += f" {problem.tier}"
    if problem.data != "lite":
        what += f" {json.dumps(sums(problem), sort_keys=True)}"
    target = cache_folder("experiments") / f"{problem.name}-{hashlib.sha256(what.encode()).hexdigest()[:16]}"
    return Prepared(target / "visible", target / "hidden")


async def prepared(problem: ResearchProblem) -> Prepared:
    """Return a problem's data, which are prepared in a jail at the first call.

    Raises:
        RunError: `prepare.py` or `full.py` fails or writes too much, or a published file has changed.
        SandboxUnavailableError: the sandbox failed.
    """
    data = place_of(problem)
    target = data.workspace.parent
    if not target.is_dir():
        archive = await made(problem)

        def fill(folder: Path) -> None:
            extract_tar(io.BytesIO(archive), folder, _LARGEST)
            for part in ("visible", "hidden"):
                (folder / part).mkdir(exist_ok=True)
            shutil.copytree(problem.visible, folder / "visible", dirs_exist_ok=True)

        built(target, fill)
    return data


async def made(problem: ResearchProblem) -> bytes:
    """Make the data, packed: `prepare.py` generates small ones, `full.py` converts downloaded ones.

    Raises:
        RunError: the script fails or writes too much.
        SandboxUnavailableError: the sandbox failed.
    """
    full = problem.data != "lite"
    script, given = ("full.py", (RAW,)) if full else ("prepare.py", ())
    raw = ((await anyio.to_thread.run_sync(held, problem), RAW),) if full else ()
    shown = ((problem.hidden, CODE), (PREPARING, LIBRARY), *raw)
    mounts = Mounts(cache_folder("empty"), packages_of(problem), shown=shown)
    where = f"{problem.hidden}/{script}"
    limits, seconds = _LARGE if full else _SMALL
    jail = await Jail.start(mounts, limits)
    try:
        command = ["python", "-s", f"{CODE}/{script}", *given, OUT, "--seed", str(problem.data_seed)]
        command += [] if problem.tier is Tier.STANDARD else ["--tier", problem.tier]
        done, _ = await jail.run(
            ["bash", "-c", f'mkdir -p {OUT} && exec "$@"', "prepare", *command],
            seconds=seconds,
            env={"PYTHONPATH": LIBRARY},
        )
        if done.ending is not ExitKind.EXITED or done.exit_code:
            last = (done.stderr.strip().splitlines() or [str(done.ending)])[-1]
            raise RunError(f"{where}{blamed_line(done.stderr, script)} fails: {last[:300]}")
        packed, data = await jail.run(["/bin/tar", "-C", OUT, "-c", "."], keep=None, env={"PATH": "/usr/bin:/bin"})
        if packed.exit_code or len(data) > _LARGEST:
            raise RunError(f"{where} wrote no file, or more than can be kept")
        return data
    finally:
        await jail.close()
