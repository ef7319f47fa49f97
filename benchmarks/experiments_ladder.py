"""Whether the scale of the experiments tells skill: starter, plain recipes, reference, and a panel of engineers.

Run: `python -m benchmarks.experiments_ladder [--problems NAME ...] [--data-seeds N ...] [--held-out FOLDER]`

A panel of scripted engineers of rising skill works at every problem: one edits numbers of the starter at random, one
takes the first recipe, one searches a grid, one boosts trees on features, and one is an expert (the reference). Each
problem's own files hold their work (`hidden/recipes/`, `hidden/reference/`). They are ranked by their mean position
on the scale from the trivial predictor (0) to the floor (1); their ranks are held against the order of skill.

Recipes in `--held-out` (FOLDER/PROBLEM/NAME/train.py) were not run before the marks were set. How many succeed is
counted; `benchmarks/held_out_recipes` has some.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio

from benchmarks.record import Figure, record
from mlbench.evals.mlagentbench.baselines import StarterBaseline, held_against
from mlbench.evals.mlagentbench.data import Prepared, prepared
from mlbench.evals.mlagentbench.problem import DATA_SEED, ResearchProblem, load_problem, problems
from mlbench.evals.mlagentbench.reference_runs import worked
from mlbench.evals.mlagentbench.scorer import Standing, standing_of
from mlbench.sandbox import launcher_pool

PANEL = ("random", "first", "grid", "features", "reference")
"""Engineers in the order of their skill."""

LEAST_CORRELATION, MOST_RECIPES = 0.9, 3
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")


@dataclass(frozen=True)
class Tried:
    """One solution of one problem, on one seed of the data."""

    problem: str
    who: str
    standing: Standing
    invalid: str


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """The rank correlation of two lists without ties."""
    ranks = [[sorted(each).index(value) for value in each] for each in (first, second)]
    many = len(first)
    return 1.0 - 6.0 * float(sum((a - b) * (a - b) for a, b in zip(*ranks, strict=True))) / (many * (many * many - 1))


def randomly_edited(starter: str, draw: random.Random) -> str:
    """The starter with three of its numbers halved or doubled, as one edits who does not know what they mean."""
    lines = starter.splitlines()
    code = [at for at, line in enumerate(lines) if _NUMBER.search(line) and '"' not in line and "import" not in line]
    for at in draw.sample(code, min(3, len(code))):
        factor = draw.choice([0.5, 2])

        def changed(found: re.Match[str], factor: float = factor) -> str:
            number = float(found[0]) * factor
            return f"{number:g}" if "." in found[0] else str(max(1, round(number)))

        lines[at] = _NUMBER.sub(changed, lines[at], count=1)
    return "\n".join(lines) + "\n"


def engineers(
    problem: ResearchProblem, seed: int, folder: Path, held_out: Path | None
) -> Iterator[tuple[str, Path | None]]:
    """Who works at a problem, and the files that they leave; None for the starter as it is."""
    yield "starter", None
    edited = folder / f"{problem.name}-{seed}"
    edited.mkdir()
    starter = (problem.visible / problem.script).read_text()
    (edited / problem.script).write_text(randomly_edited(starter, random.Random(f"{problem.name} {seed}")))
    yield "random", edited
    for recipe in sorted((problem.hidden / "recipes").iterdir()):
        yield recipe.name, recipe
    yield "reference", problem.reference
    if held_out:
        for recipe in sorted((held_out / problem.name).glob("*")):
            yield f"held out: {recipe.name}", recipe


async def at_problem(name: str, seed: int, folder: Path, held_out: Path | None) -> list[Tried]:
    """Have all engineers work at a problem."""
    problem = load_problem(name, seed=seed)
    data = await prepared(problem)
    who, archives = [], []
    for engineer, files in engineers(problem, seed, folder, held_out):
        _, archive = await worked(problem, data, files)
        who.append(engineer)
        archives.append(archive)
    grades, against = await held_against(problem, data, archives)
    found = [
        Tried(name, engineer, standing_of(problem, grade, against), grade.invalid)
        for engineer, grade in zip(who, grades, strict=True)
    ]
    _tell(problem, data, against, found)
    return found


def _tell(problem: ResearchProblem, data: Prepared, against: StarterBaseline, found: Sequence[Tried]) -> None:
    ends = f"trivial {against.trivial:.4g}, floor {against.floor:.4g}" if against.trivial and against.floor else ""
    print(f"{problem.name} ({data.workspace.parent.name}): {ends}", file=sys.stderr)
    for each in found:
        at = each.invalid[:60] if each.standing.position is None else f"{each.standing.position:.3f}"
        mark = " success" if each.standing.success else " suspect" if each.standing.suspect else ""
        print(f"    {each.who}: {at}{mark}", file=sys.stderr, flush=True)


def figures(found: Sequence[Tried]) -> list[Figure]:
    """Positions by problem, the order in which they have to be, and the panel's ranks."""
    at: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for each in found:
        at[each.problem][each.who].append(each.standing.position or 0.0)
    shown: list[Figure] = []
    for name, who in at.items():
        mean = {engineer: statistics.fmean(positions) for engineer, positions in who.items()}
        best = max(value for engineer, value in mean.items() if engineer in PANEL[1:-1])
        ordered = 0 < mean["starter"] < best < mean["reference"] <= 1
        if load_problem(name).measured is not None and mean["starter"] == 0:  # the starter is the scale's lower end
            ordered = best < mean["reference"] <= 1
        shown += [Figure(f"{name}: {engineer}", value) for engineer, value in mean.items()]
        shown.append(Figure(f"{name}: trivial < starter < recipes < reference < floor", ordered, 1, at_most=False))
    totals = [statistics.fmean(statistics.fmean(who[engineer]) for who in at.values()) for engineer in PANEL]
    shown += [Figure(f"panel: {engineer}, mean position", total) for engineer, total in zip(PANEL, totals, strict=True)]
    rank = spearman(range(len(PANEL)), totals)
    shown.append(Figure("panel: Spearman's correlation of skill and rank", rank, LEAST_CORRELATION, at_most=False))
    for engineer in dict.fromkeys(each.who for each in found if each.who in PANEL[1:3] or "held out" in each.who):
        wins = {each.problem for each in found if each.who == engineer and each.standing.success}
        shown.append(Figure(f"recipes: problems in which {engineer} succeeds", len(wins), MOST_RECIPES))
    return shown


async def measured(names: Sequence[str], seeds: Sequence[int], held_out: Path | None) -> list[Tried]:
    """Problem by problem, seed by seed."""
    with tempfile.TemporaryDirectory() as folder:
        return [
            each for name in names for seed in seeds for each in await at_problem(name, seed, Path(folder), held_out)
        ]


def main() -> bool:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", nargs="+", default=problems(), choices=problems(), metavar="NAME")
    parser.add_argument("--data-seeds", nargs="+", type=int, default=[DATA_SEED], metavar="N")
    parser.add_argument("--held-out", type=Path, metavar="FOLDER")
    args = parser.parse_args()
    os.environ.setdefault("INSPECT_LOG_LEVEL", "error")
    try:
        found = anyio.run(partial(measured, args.problems, args.data_seeds, args.held_out))
    finally:
        launcher_pool.stop_all()
    return record("experiments_ladder", figures(found), set(args.problems) != set(problems()))


if __name__ == "__main__":
    sys.exit(not main())
