"""Made-up published data of a problem, made ready by its `full.py`, as its jail does it, but for the jail."""

from __future__ import annotations

import atexit
import functools
import json
import shutil
import subprocess
import tempfile
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


_SERVE = """
import json, os, runpy, sys
import numpy, pandas
for line in sys.stdin:
    script, words, streams = json.loads(line)
    if not os.fork():
        for number, path in enumerate(streams, 1):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
        sys.path[0], sys.argv = os.path.dirname(script), [script, *words]
        runpy.run_path(script, run_name="__main__")
        break
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
"""


@functools.cache
def _server() -> subprocess.Popen[str]:
    """A process of the data's environment that has imported what each `full.py` needs, and forks for each of them."""
    command = [environment(REQUIREMENTS) / "bin/python", "-Bs", "-c", _SERVE]
    library = {"PYTHONPATH": str(PREPARING)}
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=library)
    atexit.register(server.communicate)
    return server


def made(name: str, raw: Path, out: Path, seed: int = 7) -> subprocess.CompletedProcess[str]:
    """What its `full.py` says of the files in `raw`."""
    command = [str(load_problem(name).hidden / "full.py"), str(raw), str(out), "--seed", str(seed)]
    server = _server()
    assert server.stdin is not None and server.stdout is not None
    with tempfile.TemporaryDirectory() as folder:
        streams = [Path(folder, each) for each in ("stdout", "stderr")]
        server.stdin.write(json.dumps([command[0], command[1:], [str(each) for each in streams]]) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        return subprocess.CompletedProcess(command, code, *(each.read_text() for each in streams))


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
