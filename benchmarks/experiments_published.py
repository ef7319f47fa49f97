"""How many experiments run as published, end to end, on made-up data of the published layout.

Run: `python -m benchmarks.experiments published [published_size]`

    published       tiny data
    published_size  as many rows, pictures, papers or patients as the published data have

A problem runs if its data are prepared, perfect answers score perfectly, the starter leaves a valid submission (or is a
skeleton that ends at the missing part), and the reference's submission is valid. All without a GPU.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import anyio

from benchmarks.record import Figure
from mlbench.evals.mlagentbench.data import prepared
from mlbench.evals.mlagentbench.grading import grade
from mlbench.evals.mlagentbench.problem import ResearchProblem
from mlbench.evals.mlagentbench.published_status import published_status
from mlbench.evals.mlagentbench.reference_runs import tried
from mlbench.repositories.cache import cache_folder
from mlbench.sandbox.submission import packed_folder
from tests.mlagentbench.published_layout import LAYOUTS, link_environments, with_made_data

LEAST = 8


def published_size(names: Sequence[str]) -> list[Figure]:
    """Return which of these problems run on data as large as the published ones. They take minutes each."""
    sizes = {name: LAYOUTS[name].published for name in names if name in LAYOUTS and LAYOUTS[name].published}
    figures = []
    with own_cache():
        for name, rows in sizes.items():
            figures += anyio.run(of_problem, with_made_data(name, rows))
            print(f"{name}: {figures[-1].value:.0f} s", file=sys.stderr, flush=True)
    run = sum(figure.value for figure in figures if figure.name.endswith(RUNS))
    return [Figure("published size, problems that run", run, len(sizes), at_most=False), *figures]


def published(names: Sequence[str]) -> list[Figure]:
    """Return what runs as published on tiny data, of these problems."""
    chosen = [each for each in published_status() if each.name in names]
    figures = []
    with own_cache():
        for each in chosen:
            if each.runs:
                figures += anyio.run(of_problem, with_made_data(each.name))
                print(f"{each.name}: {figures[-1].value:.0f} s", file=sys.stderr, flush=True)
    run = sum(figure.value for figure in figures if figure.name.endswith(RUNS))
    return [
        Figure(f"published, of {len(chosen)} problems that run", run, min(LEAST, len(chosen)), at_most=False),
        Figure("published, others without a reason", sum(not each.runs and not each.why_not for each in chosen), 0),
        *figures,
    ]


RUNS = "runs as published"


async def of_problem(problem: ResearchProblem) -> list[Figure]:
    """Return whether a problem runs, and how long that takes, of data, starter and reference."""
    began = time.perf_counter()
    data = await prepared(problem)
    print(f"{problem.name}: prepared in {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    starter, reference = await tried(problem, data), await tried(problem, data, problem.reference)
    sound = reference.grade.score is not None
    if problem.assumed is None:
        sound = sound and starter.grade.score is not None
    if not problem.measured:
        perfect = await grade(problem, data, packed_folder(data.hidden / "perfect"))
        sound = sound and perfect.score == problem.metric.perfect
    seconds = time.perf_counter() - began
    return [
        Figure(f"{problem.name}: {RUNS}", float(sound)),
        Figure(f"{problem.name}: data, starter and reference", seconds, None, "s"),
    ]


@contextmanager
def own_cache() -> Iterator[None]:
    """While this is entered, the cache holds only environments: tiny files are not to be taken for published ones."""
    before = os.environ.get("MLBENCH_CACHE")
    own = cache_folder("environments").parent
    with tempfile.TemporaryDirectory() as folder:
        link_environments(Path(folder, "cache"), own)
        os.environ["MLBENCH_CACHE"] = str(Path(folder, "cache"))
        try:
            yield
        finally:
            if before is None:
                del os.environ["MLBENCH_CACHE"]
            else:
                os.environ["MLBENCH_CACHE"] = before
