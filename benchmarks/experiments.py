"""What must hold of the thirteen experiments (lite), each in its jail, and of agents that work at them.

Run: `python -m benchmarks.experiments [PART ...] [--problems NAME ...]`; every part by itself is kept under its name;
the first four of some problems leave the others' figures.

    starter     over 10 seeds the starter's score lies within what `task.yaml` states
    reference   over 10 seeds the reference is more than 10 % better than the starter's mean in nine at least
    unmodified  of 40 repeats the starter as it is "succeeds" in 5 % at most, by the scorer's own baseline; where
                speed is measured, every repeat has its own, and half of them are measured while others come and go
                on every processor
    scale       perfect answers score perfectly, permuted and wrong ones do not succeed
    trivial     all of them with `--agent trivial`, nothing prepared or measured before: 5 minutes at most
    steps       six steps of one agent, each graded: 3 minutes at most
    checks      `--check` accepts all of them and refuses ten broken problems
    engineer    the research agent, with the scripted engineer as its model, solves four at least
    claims      of the scores that agents hand in as numbers, false ones are caught and no honest one is accused
    published   eight at least run as published, end to end, on tiny data of the published layout
    published_size  the same with as many rows as the published data have (half an hour; only if asked for)
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing import Process
from pathlib import Path

import anyio
from inspect_ai.log import EvalLog, read_eval_log

from benchmarks.experiments_checks import checks, claims, steps
from benchmarks.experiments_published import published, published_size
from benchmarks.record import Figure, record
from mlbench import eval_runs
from mlbench.evals.mlagentbench.baselines import SEEDS as BASELINE_SEEDS
from mlbench.evals.mlagentbench.baselines import held_against
from mlbench.evals.mlagentbench.data import Prepared, prepared
from mlbench.evals.mlagentbench.grading import Grade, grade
from mlbench.evals.mlagentbench.problem import DATA_SEED, SUCCESS, ResearchProblem, load_problem, problems
from mlbench.evals.mlagentbench.reference_runs import ReferenceRun, tried, worked
from mlbench.evals.mlagentbench.task import experiment
from mlbench.evals.mlagentbench.validate_problem import LONGEST
from mlbench.repositories.cache import cache_folder
from mlbench.run_config import RunConfig
from mlbench.sandbox import launcher_pool
from mlbench.sandbox.submission import packed_folder
from tests.scripted_agent.server import Engineer

SEEDS, LEAST_BETTER = 10, 9
REPEATS, MOST_LUCKY = 40, 2  # 5 %
TRIVIAL_SECONDS = 300.0
LEAST_IMPROVED = 4
MEAN_TURN = 5.0  # seconds
PERMUTE = """
import numpy as _np
for _name in {outputs!r}:
    _np.save(_name, _np.roll(_np.load(_name), 1, axis=0))
"""
"""Put behind a script: every answer goes to the next question."""


class Trials:
    """A problem whose starter is run at most once a seed, as several parts ask for the same runs."""

    def __init__(self, problem: ResearchProblem, data: Prepared) -> None:
        self.problem, self.data = problem, data
        self.speed = problem.measured is not None and problem.measured.speed
        self._starter: dict[int, ReferenceRun] = {}

    async def starter(self, seed: int) -> ReferenceRun:
        if seed not in self._starter:
            self._starter[seed] = run = await self.fresh(None, seed)
            if run.grade.score is None:
                raise SystemExit(f"{self.problem.name}: the starter is not valid with SEED={seed}: {run.grade.invalid}")
        return self._starter[seed]

    async def starters(self) -> list[ReferenceRun]:
        return [await self.starter(seed) for seed in range(SEEDS)]

    async def fresh(self, files: Path | None, seed: int = 0) -> ReferenceRun:
        return await tried(self.problem, self.data, files, seed)

    def succeeds(self, run: ReferenceRun, against: float) -> bool:
        return self.improvement(run.grade, against) > SUCCESS

    def improvement(self, found: Grade, against: float) -> float:
        """Relative; endlessly negative where there is no valid submission."""
        return float("-inf") if found.score is None else self.problem.metric.improvement(found.score, against)

    def figure(self, what: str, value: float, bound: float | None = None, unit: str = "", **more: bool) -> Figure:
        return Figure(f"{self.problem.name}: {what}", value, bound, unit, **more)


def scores(found: Sequence[ReferenceRun]) -> list[float]:
    """Of the valid ones."""
    return [run.grade.score for run in found if run.grade.score is not None]


async def stated(trials: Trials) -> list[Figure]:
    """The starter against its known score."""
    known, found = trials.problem.starter, await trials.starters()
    outside = []
    if known is not None:  # of other data than the known ones nothing is stated
        far = sum(abs(score - known.mean) > known.spread for score in scores(found))
        outside = [trials.figure(f"starter, of {SEEDS} seeds outside of {known.mean:g} ± {known.spread:g}", far, 0)]
    return [
        *outside,
        trials.figure("starter, mean", statistics.fmean(scores(found))),
        trials.figure("starter, standard deviation", statistics.stdev(scores(found))),
        trials.figure("starter, longest run", max(run.execution.seconds for run in found), LONGEST, "s"),
    ]


async def referred(trials: Trials) -> list[Figure]:
    """The reference against the starter's mean."""
    mean = statistics.fmean(scores(await trials.starters()))
    found = [await trials.fresh(trials.problem.hidden / "reference", seed) for seed in range(SEEDS)]
    better = [trials.improvement(run.grade, mean) for run in found]
    enough = sum(improvement > SUCCESS for improvement in better)
    return [
        trials.figure(f"reference, of {SEEDS} seeds better by 10 %", enough, LEAST_BETTER, at_most=False),
        trials.figure("reference, improvement at least", 100 * min(better), None, "%"),
        trials.figure("reference, different scores", len(set(scores(found)))),
        trials.figure("reference, longest run", max(run.execution.seconds for run in found), LONGEST, "s"),
    ]


async def unmodified(trials: Trials) -> list[Figure]:
    """The starter against the baseline that the scorer measures; no seed is in both."""
    if trials.speed:
        quiet = [await _against_itself(trials) for _ in range(REPEATS // 2)]
        with others_at_work():
            better = quiet + [await _against_itself(trials) for _ in range(REPEATS // 2)]
    else:
        _, against = await held_against(trials.problem, trials.data, [])
        found = [await trials.starter(repeat + BASELINE_SEEDS) for repeat in range(REPEATS)]
        better = [trials.improvement(run.grade, against.mean) for run in found]
    lucky = sum(improvement > SUCCESS for improvement in better)
    return [
        trials.figure(f"unmodified, of {REPEATS} repeats that succeed", lucky, MOST_LUCKY),
        trials.figure("unmodified, improvement at most", 100 * max(better), None, "%"),
    ]


async def _against_itself(trials: Trials) -> float:
    _, archive = await worked(trials.problem, trials.data)
    [found], against = await held_against(trials.problem, trials.data, [archive])
    return trials.improvement(found, against.mean)


@contextmanager
def others_at_work() -> Iterator[None]:
    """While this is entered, every processor is taken for a while, left alone for a while, and so on."""
    processors = [Process(target=_by_turns, args=(seed,), daemon=True) for seed in range(os.cpu_count() or 1)]
    for each in processors:
        each.start()
    try:
        yield
    finally:
        for each in processors:
            each.kill()


def _by_turns(seed: int) -> None:
    draw = random.Random(seed)
    while True:
        end = time.monotonic() + draw.expovariate(1 / MEAN_TURN)
        while time.monotonic() < end:
            sum(range(100_000))
        time.sleep(draw.expovariate(1 / MEAN_TURN))


async def scaled(trials: Trials) -> list[Figure]:
    """Both ends of the scale, and the wrong solution."""
    problem, mean = trials.problem, statistics.fmean(scores([await trials.starter(0)]))
    wrong = await trials.fresh(problem.hidden / "wrong")
    figures = [trials.figure("wrong solution, succeeds", trials.succeeds(wrong, mean), 0)]
    if problem.metric.perfect is None:
        return figures + await _permuted_outputs(trials, mean)
    perfect, permuted = [await _brought(trials, name) for name in ("perfect", "permuted")]
    return [
        *figures,
        trials.figure("perfect answers, off by", abs(perfect - problem.metric.perfect), 1e-9),
        trials.figure("permuted answers, improvement", 100 * problem.metric.improvement(permuted, mean), 0.0, "%"),
    ]


async def _brought(trials: Trials, name: str) -> float:
    """The score of answers that `prepare.py` made beside the labels."""
    folder = trials.data.hidden / name
    if not folder.is_dir():
        raise SystemExit(f"{trials.problem.name}: prepare.py writes no hidden/{name}/")
    found = await grade(trials.problem, trials.data, packed_folder(folder))
    if found.score is None:
        raise SystemExit(f"{trials.problem.name}: hidden/{name}/ is no valid submission: {found.invalid}")
    return found.score


async def _permuted_outputs(trials: Trials, mean: float) -> list[Figure]:
    """Where answers are made afresh: those of the reference succeed, the same ones permuted do not."""
    measured = trials.problem.measured
    assert measured is not None
    right = await trials.fresh(trials.problem.hidden / "reference")
    with tempfile.TemporaryDirectory() as folder:
        for file in (trials.problem.hidden / "reference").iterdir():
            text = file.read_text()
            if file.name == measured.run[-1]:
                text += PERMUTE.format(outputs=measured.outputs)
            (Path(folder) / file.name).write_text(text)
        permuted = await trials.fresh(Path(folder))
    if permuted.execution.exit_code or " fails: " in permuted.grade.invalid:  # it has to be judged
        raise SystemExit(f"{trials.problem.name}: {permuted.execution.stderr[-300:]} {permuted.grade.invalid}")
    return [
        trials.figure("right answers, succeed", trials.succeeds(right, mean), 1, at_most=False),
        trials.figure("permuted answers, succeed", trials.succeeds(permuted, mean), 0),
    ]


def trivial(names: Sequence[str]) -> list[Figure]:
    """The command as a user types it, twice: with a cache in which no data and no baseline stand, and again."""
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder, "cache")
        cache.mkdir()
        for part in ("environments", "wheels", "tools"):  # as after the first run of anything
            (cache / part).symlink_to(cache_folder(part))
        figures = []
        for which in ("first run", "again"):
            logs = Path(folder, which.replace(" ", "-"))
            command = [str(Path(sys.executable).with_name("mlbench")), "experiment", *names, "--agent", "trivial"]
            began, used = time.perf_counter(), _processor_time()
            done = subprocess.run(
                [*command, "--log-dir", str(logs), "--display", "none"],
                env={**os.environ, "MLBENCH_CACHE": str(cache)},
                capture_output=True,
                text=True,
                check=False,
            )
            seconds = time.perf_counter() - began
            if done.returncode:
                raise SystemExit(done.stderr[-2000:])
            found = values(read_eval_log(str(next(logs.glob("*.eval")))))
            valid, improved = (sum(each[name] for each in found.values()) for name in ("valid", "success"))
            figures += [
                Figure(f"trivial, {which}: seconds of {len(names)} problems", seconds, TRIVIAL_SECONDS, "s"),
                Figure(f"trivial, {which}: processor time", _processor_time() - used, None, "s"),
                Figure(f"trivial, {which}: valid", valid, len(names), at_most=False),
                Figure(f"trivial, {which}: improved by 10 %", improved, 0),
            ]
    return figures


def _processor_time() -> float:
    """Seconds of all processes that were started and have ended; of use while others work on the machine."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def engineer(names: Sequence[str]) -> list[Figure]:
    """The research agent and its actions are the true ones, the model is a script that knows some moves."""
    with Engineer() as model, tempfile.TemporaryDirectory() as folder:
        os.environ.update(model.env)
        task = experiment(
            names,
            agent="research_agent",
            data_seed=DATA_SEED,
            steps_dir=f"{folder}/steps",
            run=eval_runs.new_run_name(),
        )
        options = RunConfig(log_dir=Path(folder, "logs"), display="none", max_samples=2)
        found = values(eval_runs.run(task, "openai-api/engineer/competent", options))
        if model.faults:
            raise SystemExit(f"the engineer failed: {model.faults[0]}")
    # its moves are plain recipes: more than 10 % better is seldom a success beyond them
    solved = [name for name, each in found.items() if each["success"] or each["easy_win"]]
    return [
        Figure(f"engineer: improved by 10 %, of {len(names)} problems", len(solved), LEAST_IMPROVED, "", at_most=False),
        *(Figure(f"engineer: {name}, improvement", 100 * found[name]["improvement"], None, "%") for name in solved),
    ]


def values(log: EvalLog) -> dict[str, dict[str, float]]:
    """What the scorer says of each problem, while the log's file is there."""
    if log.status != "success" or not log.samples:
        raise SystemExit(f"the run failed: {log.error.message if log.error else eval_runs.failure(log)}")
    found = {}
    for sample in log.samples:
        value = (sample.scores or {})["experiment"].value
        assert isinstance(value, dict)
        found[str(sample.id)] = {str(name): float(str(each)) for name, each in value.items()}
    return found


Part = Callable[[Trials], Awaitable[list[Figure]]]
OF_PROBLEMS: dict[str, Part] = {"starter": stated, "reference": referred, "unmodified": unmodified, "scale": scaled}
OF_AGENTS = {
    "trivial": trivial,
    "steps": steps,
    "checks": checks,
    "engineer": engineer,
    "claims": claims,
    "published": published,
    "published_size": published_size,
}


async def of_problems(parts: Sequence[str], names: Sequence[str], seed: int) -> dict[str, list[Figure]]:
    """Problem by problem, so that a starter is run once; one after the other, so that none slows another down."""
    found: dict[str, list[Figure]] = {part: [] for part in parts}
    for name in names:
        problem = load_problem(name, seed=seed)
        trials = Trials(problem, await prepared(problem))
        for part in parts:
            figures = await OF_PROBLEMS[part](trials)
            found[part] += figures
            for figure in figures:  # the tables come at the end, which is far
                print(f"{figure.name}: {figure.value:.4g} {figure.unit}", file=sys.stderr, flush=True)
    return found


def main() -> bool:
    every = [*OF_PROBLEMS, *OF_AGENTS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(every))
    parser.add_argument("--problems", nargs="+", default=problems(), choices=problems(), metavar="NAME")
    parser.add_argument("--data-seed", type=int, default=DATA_SEED, help="of other data, in the first four parts")
    args = parser.parse_args()
    if unknown := set(args.parts) - set(every):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are: {', '.join(every)}")
    parts = args.parts or [part for part in every if part != "published_size"]
    os.environ.setdefault("INSPECT_LOG_LEVEL", "error")
    wanted = [part for part in OF_PROBLEMS if part in parts]
    try:
        figures = anyio.run(partial(of_problems, wanted, args.problems, args.data_seed)) if wanted else {}
        for part, measure in OF_AGENTS.items():
            if part in parts:
                figures[part] = measure(args.problems)
    finally:
        launcher_pool.stop_all()
    of = "" if args.data_seed == DATA_SEED else f"_seed_{args.data_seed}"
    few = set(args.problems) != set(problems())
    held = [record(f"experiments_{part}{of}", found, few and part in OF_PROBLEMS) for part, found in figures.items()]
    return all(held)


if __name__ == "__main__":
    sys.exit(not main())
