"""Whether unchanged starters succeed: forty seeds of each problem, on data of a seed that a run might draw.

Run: `python -m benchmarks.experiments_starters [--problems NAME ...] [--minutes N]`

Where only the submission is graded, all runs of a problem share two jails: in one, a process that has imported the
libraries forks a run for every seed; in the other, the grader reads all submissions. Scores are those of single runs
(`tests/mlagentbench/test_starters.py`). A program that is run again for its grade gets its own jails. If speed is
measured, it takes turns with the starter and the reference, as the scorer has it. Runs are kept, so that the benchmark
goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import anyio

from benchmarks.experiments_ladder import key_of
from benchmarks.kept_runs import KeptRuns
from benchmarks.record import Figure, record
from mlbench.evals.mlagentbench.baselines import SEEDS, StarterBaseline, held_against
from mlbench.evals.mlagentbench.data import CODE, LIBRARY, REQUIREMENTS, Prepared, prepared
from mlbench.evals.mlagentbench.grading import HIDDEN, Grade
from mlbench.evals.mlagentbench.problem import ResearchProblem, load_problem, problems
from mlbench.evals.mlagentbench.reference_runs import ROOM, mounts, worked
from mlbench.evals.mlagentbench.scorer import standing_of
from mlbench.evals.mlagentbench.timed_run import JUDGING
from mlbench.repositories.environments import environment
from mlbench.sandbox import launcher_pool
from mlbench.sandbox.jail import WORKSPACE, Jail, Mounts
from mlbench.sandbox.limits import bounds
from mlbench.sandbox.submission import pack, unpack

DATA_SEED, REPEATS = 101, 40
RUNS = range(SEEDS, SEEDS + REPEATS)
"""Seeds of the starter's runs: none is among those of the baseline."""
MOST_LUCKY = 0.02
GRADING = "mlbench_grading.py"
_SECONDS = 600
RUN_ALL = """
import os, runpy, sys, numpy, pandas, scipy, sklearn.ensemble, sklearn.linear_model, sklearn.neural_network
first, last, script, *outputs = sys.argv[1:]
for seed in range(int(first), int(last)):
    child = os.fork()
    if not child:
        os.environ["SEED"] = str(seed)
        sys.argv = [script]
        sys.stdout = open(os.devnull, "w")
        runpy.run_path(script, run_name="__main__")
        sys.stdout.flush()
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        raise SystemExit(f"the starter fails with SEED={seed}")
    os.makedirs(f"all/{seed}")
    for name in outputs:
        os.rename(name, f"all/{seed}/{name}")
"""
GRADE_ALL = """
import json, os, runpy, sys, mlbench_grading
found = []
mlbench_grading.main = found.append
runpy.run_path(sys.argv[1] + "/grade.py")
[grade] = found
print(json.dumps({seed: grade(f"all/{seed}", sys.argv[2]) for seed in sorted(os.listdir("all"), key=int)}))
"""


async def many_scores(problem: ResearchProblem, data: Prepared, seeds: range) -> dict[int, float]:
    """Score the starter with many seeds, of a problem of which only the submission is graded."""
    jail = await Jail.start(mounts(problem, data), bounds(ROOM[problem.data]))
    try:
        command = ["python", "-c", RUN_ALL, str(seeds.start), str(seeds.stop), problem.script, *problem.submission]
        done, _ = await jail.run(command, seconds=_SECONDS)
        if done.exit_code:
            raise SystemExit(f"{problem.name}: {done.stderr[-500:]}")
        archive = await pack(jail, ["all"])
    finally:
        await jail.close()
    own = ((problem.hidden, CODE), (data.hidden, HIDDEN), (JUDGING / GRADING, f"{LIBRARY}/{GRADING}"))
    jail = await Jail.start(Mounts(data.workspace, environment(REQUIREMENTS), shown=own), bounds(ROOM[problem.data]))
    try:
        await unpack(jail, archive)
        command = ["python", "-s", "-c", GRADE_ALL, CODE, HIDDEN]
        done, _ = await jail.run(command, cwd=WORKSPACE, env={"PYTHONPATH": LIBRARY}, seconds=_SECONDS)
        if done.exit_code:
            raise SystemExit(f"{problem.name}: {done.stderr[-500:]}")
        return {int(seed): float(score) for seed, score in json.loads(done.stdout).items()}
    finally:
        await jail.close()


def told(problem: ResearchProblem, grades: Sequence[Grade], against: StarterBaseline) -> dict[str, Any]:
    """Judge starters as the scorer judges attempts."""
    standings = [standing_of(problem, grade, against) for grade in grades]
    return {
        "positions": [each.position for each in standings],
        "published": sum(each.success or each.easy_win for each in standings),
        "successes": sum(each.success for each in standings),
    }


async def all_starters(problem: ResearchProblem) -> dict[str, Any]:
    """Run a starter of which only the submission is graded, with all seeds."""
    data = await prepared(problem)
    _, against = await held_against(problem, data, [])
    return told(problem, [Grade(score) for score in (await many_scores(problem, data, RUNS)).values()], against)


async def one_starter(problem: ResearchProblem, seed: int) -> dict[str, Any]:
    """Run a starter that is run again for its grade, with one seed."""
    data = await prepared(problem)
    _, archive = await worked(problem, data, None, seed)
    grades, against = await held_against(problem, data, [archive])
    return told(problem, grades, against)


async def measured(names: Sequence[str], kept: KeptRuns) -> list[Figure]:
    """Have every starter run that has not yet, as long as there is time, seed by seed."""
    loaded = [load_problem(name, seed=DATA_SEED) for name in names]
    wanted = [(each, "starters", partial(all_starters, each)) for each in loaded if not each.measured]
    wanted += [
        (each, f"starter seed {seed}", partial(one_starter, each, seed))
        for seed in RUNS
        for each in loaded
        if each.measured
    ]
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for problem, which, run in wanted:
        key = key_of(problem, which, None)
        if kept.get(key) is None and kept.may_begin():
            kept.keep(key, await run())
        if known := kept.get(key):
            found[problem.name].append(known)
    return shown(found)


def shown(found: Mapping[str, Sequence[dict[str, Any]]]) -> list[Figure]:
    """Count the runs of each problem that were kept."""
    figures, every, lucky, published = [], 0, 0, 0
    for name, runs in found.items():
        positions = [position or 0.0 for run in runs for position in run["positions"]]
        if positions:
            figures.append(Figure(f"{name}: highest of {len(positions)} unchanged starters", max(positions)))
        every += len(positions)
        lucky += sum(run["successes"] for run in runs)
        published += sum(run["published"] for run in runs)
    return [
        *figures,
        Figure("all: unchanged starters", every),
        Figure("all: more than 10 % better, as published", published),
        Figure("all: share that succeeds", lucky / max(1, every), MOST_LUCKY),
    ]


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", nargs="+", default=problems(), choices=problems(), metavar="NAME")
    parser.add_argument("--minutes", type=float, metavar="N", help="begin no further run after that")
    args = parser.parse_args()
    os.environ.setdefault("INSPECT_LOG_LEVEL", "error")
    kept = KeptRuns("experiments_starters_runs", args.minutes)
    try:
        figures = anyio.run(partial(measured, args.problems, kept))
    finally:
        launcher_pool.stop_all()
    if kept.missing:
        print(f"{kept.missing} runs are still missing; start it again to go on", file=sys.stderr)
    return record("experiments_starters", figures, set(args.problems) != set(problems())) and not kept.missing


if __name__ == "__main__":
    sys.exit(not main())
