"""What it costs to keep a step of an experiment: a workspace of 200 MB, of which a step changes little.

Must hold: a step's snapshot, with all that makes it durable: median of at most 50 ms. A copy of the workspace is
taken beside it, for comparison, and so are a step in which nothing changed, and one that leaves a model.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import anyio

from benchmarks.record import Figure, record
from mlbench.evals.mlagentbench.snapshots import SnapshotStep, Steps
from mlbench.evals.mlagentbench.workspace_diff import WorkspaceWatcher
from mlbench.sandbox import launcher_pool
from mlbench.sandbox.jail import Jail, Mounts
from mlbench.sandbox.limits import MIB, Limits

FILES, EACH = 2_000, 100_000  # bytes
ROUNDS = 30
COPIES = 3
LITTLE = "for name in train.py submission.csv log.txt; do seq 2000 > $name; done"
MODEL = "head -c 10000000 /dev/urandom > model.bin"


async def snapshots(jail: Jail, folder: Path, script: str) -> list[float]:
    """Milliseconds of each snapshot after a script that changes something."""
    steps, watch = Steps(folder), WorkspaceWatcher(jail)
    steps.begin()
    await watch.begin()
    found = []
    for number in range(1, ROUNDS + 1):
        done, _ = await jail.run(["bash", "-c", script])
        assert done.exit_code == 0, done.stderr
        began = time.perf_counter()
        steps.add(SnapshotStep(number, "execute_script"), await watch.take())
        found.append((time.perf_counter() - began) * 1000)
    steps.restore(ROUNDS)
    return found


def copies(workspace: Path, folder: Path) -> list[float]:
    """Milliseconds of copies of the whole workspace."""
    found = []
    for number in range(COPIES):
        began = time.perf_counter()
        shutil.copytree(workspace, folder / f"copy-{number}")
        found.append((time.perf_counter() - began) * 1000)
        shutil.rmtree(folder / f"copy-{number}")
    return found


async def measure(folder: Path) -> list[Figure]:
    """All figures, in the order of the table."""
    workspace = folder / "workspace"
    (workspace / "data").mkdir(parents=True)
    for number in range(FILES):
        (workspace / "data" / f"{number}.bin").write_bytes(os.urandom(EACH))
    jail = await Jail.start(Mounts(workspace), Limits(written=512 * MIB))
    try:
        few, none, model = [await snapshots(jail, folder / "steps", script) for script in (LITTLE, "true", MODEL)]
    finally:
        await jail.close()
    whole = median(copies(workspace, folder))
    return [
        Figure("a snapshot after three small files changed, median", median(few), 50.0, "ms"),
        Figure("after nothing changed, median", median(none), 50.0, "ms"),
        Figure("after a model of 10 MB was written, median", median(model), None, "ms"),
        Figure("a copy of the workspace, median", whole, None, "ms"),
        Figure("the copy to the snapshot", whole / median(few), 1.0, "x", at_most=False),
    ]


def main() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MLBENCH_CACHE"] = f"{folder}/cache"
        try:
            return record("snapshots", anyio.run(measure, Path(folder)))
        finally:
            launcher_pool.stop_all()


if __name__ == "__main__":
    sys.exit(not main())
