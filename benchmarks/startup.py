"""How long it takes until something happens: `import mlbench`, `mlbench --help`. Medians of ten, each a new process."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.record import Figure, record

ROUNDS = 10


def seconds(*command: str) -> float:
    """Median wall seconds of a command."""
    found = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        found.append(time.perf_counter() - began)
    return statistics.median(found)


def main() -> bool:
    mlbench = str(Path(sys.executable).parent / "mlbench")
    return record(
        "startup",
        [
            Figure("import mlbench", seconds(sys.executable, "-c", "import mlbench"), 0.3, "s"),
            Figure("mlbench --help", seconds(mlbench, "--help"), 0.6, "s"),
            Figure("mlbench suites", seconds(mlbench, "suites"), None, "s"),
        ],
    )


if __name__ == "__main__":
    sys.exit(not main())
