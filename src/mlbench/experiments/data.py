"""A problem's data, prepared once: `visible/` joins the workspace, `hidden/` is the grader's alone."""

from __future__ import annotations

import hashlib
import io
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path

from mlbench.experiments.problem import Problem
from mlbench.repositories.building import built
from mlbench.repositories.cache import cache_folder
from mlbench.repositories.environments import environment
from mlbench.sandbox.jail import Jail, Mounts
from mlbench.sandbox.limits import MIB, Limits
from mlbench.types import Ending, RunError

REQUIREMENTS = Path(__file__).parent / "requirements.txt"
CODE, OUT = "/opt/problem", "/tmp/out"
_LIMITS = Limits(seconds=600, memory=4096 * MIB, written=2048 * MIB)
_LARGEST = 1024 * MIB


@dataclass(frozen=True)
class Prepared:
    """Folders: what an agent starts from (the starter and its data), what only the grader sees."""

    workspace: Path
    hidden: Path


def place_of(problem: Problem) -> Prepared:
    """Where the data of a problem stand once they are prepared."""
    key = hashlib.sha256(f"{problem.digest()} {problem.data_seed}".encode()).hexdigest()[:16]
    target = cache_folder("experiments") / f"{problem.name}-{key}"
    return Prepared(target / "visible", target / "hidden")


async def prepared(problem: Problem) -> Prepared:
    """The data in their small form, made in a jail and kept; whoever asks again gets the same files.

    Raises:
        RunError: `prepare.py` fails or leaves too much; says its last line.
        SandboxUnavailableError: the sandbox failed.
    """
    data = place_of(problem)
    target = data.workspace.parent
    if not target.is_dir():
        archive = await _made(problem)

        def fill(folder: Path) -> None:
            with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
                tar.extractall(folder, filter="data")
            for part in ("visible", "hidden"):
                (folder / part).mkdir(exist_ok=True)
            shutil.copytree(problem.visible, folder / "visible", dirs_exist_ok=True)

        built(target, fill)
    return data


async def _made(problem: Problem) -> bytes:
    mounts = Mounts(cache_folder("empty"), environment(REQUIREMENTS), shown=((problem.hidden, CODE),))
    jail = await Jail.start(mounts, _LIMITS)
    try:
        command = ["python", "-sE", f"{CODE}/prepare.py", OUT, "--seed", str(problem.data_seed)]
        done, _ = await jail.run(["bash", "-c", f'mkdir -p {OUT} && exec "$@"', "prepare", *command])
        if done.ending is not Ending.EXITED or done.exit_code:
            last = (done.stderr.strip().splitlines() or [str(done.ending)])[-1]
            raise RunError(f"{problem.folder}/hidden/prepare.py fails: {last[:300]}")
        packed, data = await jail.run(["/bin/tar", "-C", OUT, "-c", "."], keep=None, env={"PATH": "/usr/bin:/bin"})
        if packed.exit_code or len(data) > _LARGEST:
            raise RunError(f"{problem.folder}/hidden/prepare.py leaves nothing that can be kept")
        return data
    finally:
        await jail.close()
