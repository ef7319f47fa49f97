"""The witness: what it costs a real execution, with the references of the bundled suite.

Must hold: a reference takes at most 10 ms, or 5 %, longer, at the median; the start of an interpreter at most 5 ms.
Each reference runs alternately with and without a witness, in a jail of its own; the best of five counts, as others use
the machine.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from statistics import median

import anyio

from benchmarks.record import Figure, record
from mlbench.records import Candidate, Sample
from mlbench.sandbox import launcher_pool
from mlbench.sandbox.bubblewrap import BubblewrapSandbox
from mlbench.sandbox.execute import execute
from mlbench.sandbox.jail import Jail, Mounts
from mlbench.sandbox.limits import Limits
from mlbench.scoring.runtime import SuiteRuntime, machine
from mlbench.suites.suite import load_split

REFERENCES = 26
ROUNDS = 5
STARTS = 40


async def seconds(place: SuiteRuntime, sample: Sample, witnessed: bool) -> float:
    """Wall time of a reference that must succeed."""
    sandbox = BubblewrapSandbox(place.jail(sample.github.rpartition("/")[2]))
    try:
        execution = await execute(
            sandbox, sample, Candidate(sample.output, sample.kind, "reference"), 60.0, lambda folder: {}, witnessed
        )
    finally:
        await sandbox.close()
    assert execution.exit_code == 0, execution.stderr
    return execution.seconds


async def starts(place: SuiteRuntime) -> float:
    """Milliseconds that a witness adds to the start of an interpreter, at the median."""
    times: dict[bool, list[float]] = {False: [], True: []}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "empty.py").touch()
        jail = await Jail.start(Mounts(Path(folder), place.environment), Limits())
        for _ in range(STARTS):
            for witnessed, taken in times.items():
                execution, _ = await jail.run(["python", "empty.py"], witnessed=witnessed)
                taken.append(execution.seconds * 1000)
        await jail.close()
    return median(times[True]) - median(times[False])


async def measure() -> list[Figure]:
    """All figures, in the order of the table."""
    place = machine("bubblewrap", "pocket", Limits(), 1)
    rows = load_split("pocket", "full")
    more: dict[str, list[float]] = {"shell": [], "python": []}
    plain: list[float] = []
    for sample in rows[:: max(1, len(rows) // REFERENCES)]:
        times: dict[bool, list[float]] = {False: [], True: []}
        for number in range(ROUNDS):
            for witnessed in (False, True) if number % 2 else (True, False):
                times[witnessed].append(await seconds(place, sample, witnessed))
        plain.append(min(times[False]) * 1000)
        more[sample.kind].append(min(times[True]) * 1000 - plain[-1])
    added = median([*more["shell"], *more["python"]])
    start = await starts(place)
    launcher_pool.stop_all()
    return [
        Figure("a reference without a witness, median", median(plain), None, "ms"),
        Figure("added to a reference, median", added, max(10.0, median(plain) * 0.05), "ms"),
        *(Figure(f"added to {kind} references, median", median(found), None, "ms") for kind, found in more.items()),
        Figure("added to the start of an interpreter, median", start, 5.0, "ms"),
    ]


def main() -> bool:
    os.environ.setdefault("INSPECT_DISPLAY", "none")
    return record("witness", anyio.run(measure))


if __name__ == "__main__":
    sys.exit(not main())
