"""From a fresh clone to the demo's table and report: at most four minutes on 2 cores. Nothing of this checkout is used.

The package client's own cache is, where it has one; a first download on a slow line adds to it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.record import Figure, record

ROOT = Path(__file__).parent.parent


def main() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "mlbench"
        env = {**os.environ, "MLBENCH_CACHE": f"{folder}/cache", "XDG_DATA_HOME": f"{folder}/data"}
        began = time.perf_counter()
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        subprocess.run(["make", "--silent", "demo"], cwd=clone, env=env, check=True)
        took = time.perf_counter() - began
        assert (clone / "demo" / "report" / "report.html").is_file()
    return record("fresh_clone", [Figure("fresh clone to the demo's table and report", took, 240, "s")])


if __name__ == "__main__":
    sys.exit(not main())
