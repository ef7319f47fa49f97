"""From a fresh clone to the demo's table and report: at most 90 s on 2 idle cores. Nothing of this checkout is used.

Nothing is cached, packages neither: a slow line adds to it.
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
    what = "fresh clone to the demo's table and report"
    took = {split: _seconds(split) for split in ("quarter", "full")}
    return record(
        "fresh_clone",
        [Figure(what, took["quarter"], 90, "s"), Figure(f"{what}, with all test rows", took["full"], None, "s")],
    )


def _seconds(split: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "mlbench"
        caches = {"MLBENCH_CACHE": "cache", "XDG_DATA_HOME": "data", "UV_CACHE_DIR": "uv", "PIP_CACHE_DIR": "pip"}
        env = {**os.environ, **{name: f"{folder}/{cache}" for name, cache in caches.items()}}
        began = time.perf_counter()
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        subprocess.run(["make", "--silent", "demo", f"SPLIT={split}"], cwd=clone, env=env, check=True)
        took = time.perf_counter() - began
        assert (clone / "demo" / "report" / "report.html").is_file()
    return took


if __name__ == "__main__":
    sys.exit(not main())
