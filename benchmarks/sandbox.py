"""The bubblewrap sandbox: how fast it starts, and that candidates leave nothing behind.

Must hold: start to the first finished `exec true`: median of at most 20 ms, a further one of at most 8 ms; 200
candidates, each with a daemon, a background process and files, leave no process, mount, file or control group.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import anyio
import psutil

from benchmarks.record import Figure, record
from mlbench.repositories.cache import cache_folder
from mlbench.sandbox import launcher_pool
from mlbench.sandbox.cgroup import ROOT
from mlbench.sandbox.jail import Jail, Mounts
from mlbench.sandbox.limits import Limits

ROUNDS = 200
WARM_UP = 5
CANDIDATES = 200
AT_ONCE = 4
MARK = "864321"  # how long the candidates' processes sleep: it tells them from others
CANDIDATE = f"""
setsid sleep {MARK} > /dev/null 2>&1 < /dev/null &
sleep {MARK} &
for folder in /workspace /home/user /tmp /dev/shm; do echo data > $folder/left; done
"""


async def timings(mounts: Mounts) -> tuple[list[float], list[float], list[float]]:
    """Milliseconds from a jail's start to its first finished command, of a further command, of its close."""
    first: list[float] = []
    further: list[float] = []
    close: list[float] = []
    for number in range(WARM_UP + ROUNDS):
        times = [time.perf_counter()]
        jail = await Jail.start(mounts, Limits())
        for _ in range(2):
            execution, _ = await jail.run(["true"])
            assert execution.exit_code == 0
            times.append(time.perf_counter())
        await jail.close()
        times.append(time.perf_counter())
        if number >= WARM_UP:
            for figures, begin, end in zip((first, further, close), times[:-1], times[1:], strict=True):
                figures.append((end - begin) * 1000)
    return first, further, close


async def run_candidates(mounts: Mounts) -> None:
    """Let candidates leave what they can, several at once."""

    async def worker(count: int) -> None:
        for _ in range(count):
            jail = await Jail.start(mounts, Limits())
            execution, _ = await jail.run(["bash", "-c", CANDIDATE])
            assert execution.exit_code == 0
            await jail.close()

    async with anyio.create_task_group() as group:
        for _ in range(AT_ONCE):
            group.start_soon(worker, CANDIDATES // AT_ONCE)


def present(repository: Path) -> dict[str, int]:
    """How much of everything there is on this machine that a candidate could have left."""
    named = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
    return {
        "processes": len(psutil.Process().children(recursive=True)) + sum(MARK in words for words in named),
        "mounts": len(Path("/proc/self/mountinfo").read_text().splitlines()),
        "files": sum(1 for folder in (cache_folder(), repository) for _ in folder.rglob("*")),
        "control groups": sum(1 for _ in ROOT.rglob(f"mlbench-{os.getpid()}-*")),
        "descriptors": len(os.listdir("/proc/self/fd")),
    }


async def measure(repository: Path) -> list[Figure]:
    """All figures, in the order of the table."""
    mounts = Mounts(repository)
    first, further, close = await timings(mounts)
    launcher_pool.stop_all()
    before = present(repository)
    await run_candidates(mounts)
    launcher_pool.stop_all()
    await anyio.sleep(1)  # threads close the pipes of background processes
    after = present(repository)
    return [
        Figure("start to first finished `exec true`, median", median(first), 20.0, "ms"),
        Figure("a further `exec true`, median", median(further), 8.0, "ms"),
        Figure("close, median", median(close), None, "ms"),
        *(Figure(f"{kind} left by {CANDIDATES} candidates", after[kind] - before[kind], 0.0) for kind in before),
    ]


def main() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MLBENCH_CACHE"] = f"{folder}/cache"
        repository = Path(folder) / "repository"
        repository.mkdir()
        (repository / "data.txt").write_text("data\n")
        return record("sandbox", anyio.run(measure, repository))


if __name__ == "__main__":
    sys.exit(not main())
