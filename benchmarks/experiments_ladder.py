"""Whether the scale of the experiments tells skill: starter, plain recipes, reference, and a panel of engineers.

Run: `python -m benchmarks.experiments_ladder [--problems NAME ...] [--data-seeds N ...] [--tier TIER] [--minutes N]`

A panel of scripted engineers of rising skill works at every problem: one edits numbers of the starter at random, one
takes the first recipe, one searches a grid, one boosts trees on features, and one is an expert (the reference). Each
problem's own files hold their work (`hidden/recipes/`, `hidden/reference/`). They are ranked by their mean position
on the scale from the trivial predictor (0) to the floor (1); their ranks are held against the order of skill.

Recipes in `--held-out` (FOLDER/PROBLEM/NAME/) were written by somebody who had not read the marks and recipes of the
problem, and were not run before. How many succeed is counted by name.

Every run is kept in `results/experiments_ladder_runs.jsonl` by the files on which it depends. The benchmark can be
stopped at any time, and goes on where it stopped. Marks are no such file: after a change nothing has to be run again.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from benchmarks.kept_runs import KeptRuns, digest_of
from benchmarks.record import Figure, record
from mlbench.evals.mlagentbench.baselines import StarterBaseline, held_against
from mlbench.evals.mlagentbench.data import prepared
from mlbench.evals.mlagentbench.grading import Grade
from mlbench.evals.mlagentbench.problem import ResearchProblem, Tier, load_problem, problems
from mlbench.evals.mlagentbench.reference_runs import worked
from mlbench.evals.mlagentbench.scorer import Standing, standing_of
from mlbench.sandbox import launcher_pool

PANEL = ("random", "first", "grid", "features", "reference")
"""Engineers in the order of their skill."""

SEEDS = (759691, 419144)
"""Of the data, written down before anything was run on them. The marks were set on 101 and 202.

They are the first eight hexadecimal digits of the SHA-256 of `mlbench experiments_ladder fresh 1` (and `2`), modulo a
million.
"""

HELD_OUT = Path(__file__).parent / "held_out_recipes"
LEAST_CORRELATION, MOST_RECIPES = 0.9, 3
_SETTING = re.compile(r"(?P<name>^[A-Z_, ]+ = |\b[a-z_]+=)(?P<number>\d+(?:\.\d+)?)\b", re.M)
_NO_DATA = ("recipes", "reference", "reference-full", "wrong", "full.py", "__pycache__")


@dataclass(frozen=True)
class Tried:
    """One solution of one problem, on one seed of the data."""

    problem: ResearchProblem
    seed: int
    who: str
    standing: Standing
    invalid: str

    @property
    def position(self) -> float:
        """On the scale; 0, as of the trivial predictor, without a valid submission."""
        return self.standing.position or 0.0


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """The rank correlation of two lists without ties."""
    ranks = [[sorted(each).index(value) for value in each] for each in (first, second)]
    many = len(first)
    return 1.0 - 6.0 * float(sum((a - b) * (a - b) for a, b in zip(*ranks, strict=True))) / (many * (many * many - 1))


def randomly_edited(starter: str, draw: random.Random) -> str:
    """The starter with three of its settings halved or doubled, as one edits who does not know what they mean.

    Settings are numbers of constants (`EPOCHS = 10`) and of named arguments (`max_depth=5`).
    """
    places = [found for found in _SETTING.finditer(starter) if not re.search("SEED|random_state|axis", found[0])]
    chosen = {found.start("number"): draw.choice([0.5, 2]) for found in draw.sample(places, min(3, len(places)))}

    def changed(found: re.Match[str]) -> str:
        if (factor := chosen.get(found.start("number"))) is None:
            return found[0]
        number = float(found["number"]) * factor
        return found["name"] + (f"{number:g}" if "." in found["number"] else str(max(1, round(number))))

    return _SETTING.sub(changed, starter)


def engineers(
    problem: ResearchProblem, seed: int, folder: Path, held_out: Path | None
) -> Iterator[tuple[str, Path | None]]:
    """Who works at a problem, and the files that they leave; None for the starter as it is."""
    yield "starter", None
    yield "reference", problem.reference
    for recipe in sorted((problem.hidden / "recipes").iterdir()):
        yield recipe.name, recipe
    if held_out:
        for recipe in sorted((held_out / problem.name).glob("*")):
            yield f"held out, {recipe.name}", recipe
    edited = folder / f"{problem.name}-{seed}"
    edited.mkdir()
    starter = (problem.visible / problem.script).read_text()
    (edited / problem.script).write_text(randomly_edited(starter, random.Random(f"{problem.name} {seed}")))
    yield "random", edited


def key_of(problem: ResearchProblem, who: str, files: Path | None) -> str:
    """Name a run by all on which its score depends: data, grader, starter and the solution's own files."""
    makers = [each for each in sorted(problem.hidden.iterdir()) if each.name not in _NO_DATA]
    own = digest_of(problem.visible, *makers, *([files] if files else []))
    tier = "" if problem.tier is Tier.STANDARD else f" {problem.tier}"
    return f"{problem.name} {problem.data_seed}{tier} {who} {own}"


async def run_of(problem: ResearchProblem, who: str, files: Path | None) -> dict[str, Any]:
    """Have one engineer work at a problem, and grade what is left."""
    began, data = time.monotonic(), await prepared(problem)
    timed = problem.measured is not None and problem.measured.speed
    if who == "starter" or (who == "reference" and not timed):  # measured with the ends of the scale
        _, against = await held_against(problem, data, [])
        grade = Grade(against.mean if who == "starter" else against.reference, seconds=against.turns)
    else:
        _, archive = await worked(problem, data, files)
        [grade], against = await held_against(problem, data, [archive])
    return {"grade": asdict(grade), "against": asdict(against), "took": round(time.monotonic() - began, 1)}


def tried_of(problem: ResearchProblem, who: str, run: dict[str, Any], reference: float | None = None) -> Tried:
    """Judge a run that was kept by the marks as they are now.

    Args:
        problem: on the run's data.
        who: the engineer.
        run: what was kept.
        reference: score of the present reference; None for that of the time of the run.
    """
    grade, against = Grade(**run["grade"]), StarterBaseline(**run["against"])
    against = replace(against, reference=against.reference if reference is None else reference)
    return Tried(problem, problem.data_seed, who, standing_of(problem, grade, against), grade.invalid)


async def at_problem(problem: ResearchProblem, kept: KeptRuns, folder: Path, held_out: Path | None) -> list[Tried]:
    """Have all engineers work at a problem who have not yet, as long as there is time."""
    runs: dict[str, dict[str, Any]] = {}
    for who, files in engineers(problem, problem.data_seed, folder, held_out):
        key = key_of(problem, who, files)
        if kept.get(key) is None and kept.may_begin():
            kept.keep(key, await run_of(problem, who, files))
            _tell(tried_of(problem, who, kept.get(key) or {}), (kept.get(key) or {})["took"])
        if run := kept.get(key):
            runs[who] = run
    # a recipe may have been run beside an earlier reference; times are compared within a run only
    timed = problem.measured is not None and problem.measured.speed
    reference = runs["reference"]["grade"]["score"] if "reference" in runs and not timed else None
    return [tried_of(problem, who, run, reference) for who, run in runs.items()]


def _tell(tried: Tried, seconds: float) -> None:
    mark = " success" if tried.standing.success else " suspect" if tried.standing.suspect else ""
    at = tried.invalid[:60] if tried.standing.position is None else f"{tried.position:.3f}{mark}"
    print(f"{tried.problem.name} {tried.seed}, {tried.who}: {at} ({seconds:.0f} s)", file=sys.stderr, flush=True)


def of_problem(name: str, found: Sequence[Tried]) -> list[Figure]:
    """Positions at one problem by seed, and how far plain recipes and the reference are from the mark."""
    shown, problem = [], load_problem(name)
    timed = problem.measured is not None and problem.measured.speed  # the starter is the scale's lower end
    below, above, disordered = [], [], 0
    for seed in dict.fromkeys(each.seed for each in found):
        at = {each.who: each for each in found if (each.problem.name, each.seed) == (name, seed)}
        shown += [Figure(f"{name}: seed {seed}, {who}", each.position) for who, each in at.items()]
        if not {"starter", *PANEL} <= set(at) or (mark := at["reference"].standing.mark) is None:
            continue
        plain = max(each.position for who, each in at.items() if who != "reference")
        low, high = at["starter"].position, at["reference"].position
        shown.append(Figure(f"{name}: seed {seed}, mark of success", mark))
        below.append(mark - plain)
        above.append(high - mark)
        disordered += not ((timed or low > 0) and low < plain < mark < high <= 1)
    if below:
        of = "trivial < starter < plain < mark < reference < floor"
        shown += [
            Figure(f"{name}: mark above the best plain recipe by", min(below), 0, at_most=False),
            Figure(f"{name}: reference above the mark by", min(above), 0, at_most=False),
            Figure(f"{name}: of {len(below)} seeds without {of}", disordered, 0),
        ]
    return shown


def of_all(found: Sequence[Tried]) -> list[Figure]:
    """The panel's ranks by seed, and in how many problems each recipe succeeds."""
    shown = []
    for seed in dict.fromkeys(each.seed for each in found):
        at = {(each.problem.name, each.who): each.position for each in found if each.seed == seed}
        names = {name for name, _ in at if all((name, who) in at for who in PANEL)}
        if not names:
            continue
        totals = [statistics.fmean(at[name, who] for name in names) for who in PANEL]
        of = f"panel: seed {seed}, {len(names)} problems"
        shown += [Figure(f"{of}, mean position of {who}", total) for who, total in zip(PANEL, totals, strict=True)]
        rank = spearman(range(len(PANEL)), totals)
        shown.append(Figure(f"{of}, Spearman's correlation", rank, LEAST_CORRELATION, at_most=False))
    for who in dict.fromkeys(each.who for each in found if each.who not in ("starter", "reference")):
        of_who = [each for each in found if each.who == who]
        wins = {each.problem.name for each in of_who if each.standing.success}
        tried = {each.problem.name for each in of_who}
        shown.append(Figure(f"recipes: {who} succeeds, of {len(tried)} problems", len(wins), MOST_RECIPES))
    expert = [each for each in found if each.who == "reference"]
    shown.append(Figure("recipes: reference fails", sum(not each.standing.success for each in expert), 0))
    shown.append(Figure("recipes: suspect", sum(each.standing.suspect for each in found), 0))
    return shown


async def measured(
    names: Sequence[str], seeds: Sequence[int], tier: Tier, kept: KeptRuns, held_out: Path | None
) -> list[Tried]:
    """Seed by seed, problem by problem."""
    with tempfile.TemporaryDirectory() as folder:
        return [
            each
            for seed in seeds
            for name in names
            for each in await at_problem(load_problem(name, seed=seed, tier=tier), kept, Path(folder), held_out)
        ]


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", nargs="+", default=problems(), choices=problems(), metavar="NAME")
    parser.add_argument("--data-seeds", nargs="+", type=int, default=SEEDS, metavar="N")
    parser.add_argument("--tier", type=Tier, default=Tier.STANDARD, choices=Tier, help="of problems that have tiers")
    parser.add_argument("--held-out", type=Path, default=HELD_OUT, metavar="FOLDER")
    parser.add_argument("--minutes", type=float, metavar="N", help="begin no further run after that")
    args = parser.parse_args()
    os.environ.setdefault("INSPECT_LOG_LEVEL", "error")
    if args.tier is not Tier.STANDARD:
        args.problems = [name for name in args.problems if args.tier in load_problem(name).tiers]
    of = "" if args.tier is Tier.STANDARD else f"_{args.tier}"
    kept = KeptRuns("experiments_ladder_runs", args.minutes)
    try:
        found = anyio.run(partial(measured, args.problems, args.data_seeds, args.tier, kept, args.held_out))
    finally:
        launcher_pool.stop_all()
    figures = [figure for name in args.problems for figure in of_problem(name, found)]
    if kept.missing:
        print(f"{kept.missing} runs are still missing; start it again to go on", file=sys.stderr)
    few = set(args.problems) != set(problems())
    return record(f"experiments_ladder{of}", [*figures, *([] if few else of_all(found))], few) and not kept.missing


if __name__ == "__main__":
    sys.exit(not main())
