"""The rebuilt rows of `ml-bench`, and the builder on a repository of five hundred Python files.

Must hold: every rebuilt row's reference goes through the interface check; of each repository at least 97 % are accepted
and at most 3 % undecided, none ends the check; rows and checks take ten minutes on 2 cores and 2 GiB. The builder makes
a suite of LAVIS (514 Python files) in 60 s without a model, and the same rows for the same seed.

    mlbench repos fetch && python -m benchmarks.building
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import anyio

from benchmarks.record import Figure, record
from mlbench.repositories import catalogue
from mlbench.repositories.fetch import verified
from mlbench.sandbox import launcher_pool
from mlbench.sandbox.limits import Limits
from mlbench.scoring.runtime import machine
from mlbench.suite_builder.build_state import BuildOptions
from mlbench.suite_builder.output_dir import claim
from mlbench.suite_builder.pipeline import build
from mlbench.suite_builder.quality import by_repository, references
from mlbench.suite_builder.source import RepositorySource
from mlbench.suites.suite import forget, load_rows

SUITE, LARGE = "ml-bench", "LAVIS"
WORKERS = 2


async def rebuilt() -> list[Figure]:
    """The figures of the whole suite."""
    began = time.perf_counter()
    splits = load_rows(SUITE)
    made = time.perf_counter() - began
    rows = [row for split, part in splits.items() if split != "quarter" for row in part]
    findings = await references(rows, machine("bubblewrap", SUITE, Limits(), WORKERS))
    seconds = time.perf_counter() - began
    counts = by_repository(findings)
    accepted = {name: count["passed"] / count["rows"] * 100 for name, count in counts.items()}
    worst = min(accepted, key=lambda name: accepted[name])
    undecided = max(count["undecided"] / count["rows"] * 100 for count in counts.values())
    print({name: (count["rows"], round(accepted[name], 2)) for name, count in counts.items()})
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [
        Figure("rows of ml-bench, without quarter", len(rows), 9641, "rows", at_most=False),
        Figure("made from the recipes in", made, None, "s"),
        Figure("made and checked, 2 workers", seconds, 600, "s"),
        Figure("references accepted", sum(f.passed for f in findings) / len(rows) * 100, 97, "%", at_most=False),
        Figure(f"references accepted where fewest are ({worst})", accepted[worst], 97, "%", at_most=False),
        Figure("undecided where most are", undecided, 3, "%"),
        Figure("peak memory of the builder's process", memory, 2048, "MiB"),
    ]


async def built() -> list[Figure]:
    """The figures of one large repository, twice."""
    entry = catalogue.pinned(LARGE)
    source = RepositorySource(LARGE, verified(entry).folder, entry)
    taken: list[float] = []
    found: list[list[dict[str, object]]] = []
    files = sum(1 for _ in source.folder.rglob("*.py"))
    with tempfile.TemporaryDirectory() as folder:
        for name in ("one", "two"):
            target = Path(folder, name)
            claim(target)
            catalogue.write_entry(entry, target / "catalogue" / f"{LARGE}.yaml")
            began = time.perf_counter()
            await build([source], target, BuildOptions(workers=WORKERS))
            taken.append(time.perf_counter() - began)
            forget()
            rows = load_rows(str(target))
            found.append([asdict(row) for part in rows.values() for row in part])
    return [
        Figure("Python files of the large repository", files, 500, "files", at_most=False),
        Figure("a suite of it, without a model", max(taken), 60, "s"),
        Figure("rows of that suite", len(found[0]), None, "rows"),
        Figure("rows that differ the second time", float(found[0] != found[1]), 0, ""),
    ]


async def measure() -> list[Figure]:
    """All figures, in the order of the table."""
    figures = [*await rebuilt(), *await built()]
    launcher_pool.stop_all()
    return figures


def main() -> bool:
    return record("building", anyio.run(measure))


if __name__ == "__main__":
    sys.exit(not main())
