"""Made-up published data of a problem, made ready by its `full.py`, as its jail does it, but for the jail."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from mlbench.evals.mlagentbench.data import PREPARING, REQUIREMENTS, Prepared
from mlbench.evals.mlagentbench.problem import ResearchProblem, load_problem
from mlbench.repositories.environments import environment
from tests.mlagentbench import published_data


@dataclass(frozen=True)
class Ready:
    """A problem with made-up published data, and what became of them."""

    problem: ResearchProblem
    raw: Path
    data: Prepared


def made(name: str, raw: Path, out: Path, seed: int = 7) -> subprocess.CompletedProcess[str]:
    """What its `full.py` says of the files in `raw`."""
    python, script = environment(REQUIREMENTS) / "bin/python", load_problem(name).hidden / "full.py"
    command = [python, "-Bs", script, raw, out, "--seed", str(seed)]
    library = {"PYTHONPATH": str(PREPARING)}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=library)


def ready_of(name: str, folder: Path, size: int) -> Ready:
    """Of so many rows, pictures or texts; of none where nothing is fetched."""
    raw, out = folder / "raw", folder / "made"
    raw.mkdir()
    if size:
        getattr(published_data, name.replace("-", "_"))(raw, size)
    done = made(name, raw, out)
    assert (done.returncode, done.stderr) == (0, "")
    problem = load_problem(name, "full")
    shutil.copytree(problem.visible, out / "visible", dirs_exist_ok=True)
    return Ready(problem, raw, Prepared(out / "visible", out / "hidden"))
