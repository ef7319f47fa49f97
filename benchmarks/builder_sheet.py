"""A reading sheet of built suites: of each task the documentation, what varies, rows, and what was left out.

A reader marks each task good, poor or wrong. *Good*: a user would ask so, the reference is right, and the shown
documentation is enough to derive it. *Poor*: understandable, but clumsy or with a silly value. *Wrong*: anything else.

    python -m benchmarks.builder_sheet SUITE… [--rows 2] [--most 7 --seed draw-16] [--left-out]
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

from mlbench.suites.recipes import verified_oracle
from mlbench.suites.rows import SuiteRow
from mlbench.suites.suite import Suite, load_suite


def sheet(suite: Suite, rows: int, most: int | None = None, seed: str = "") -> str:
    """The tasks of a suite, each with its first test rows, or training rows if it has no test row.

    Args:
        suite: the suite.
        rows: rows of each task.
        most: the largest number of tasks of one repository; None for all.
        seed: of the draw, if there are more.
    """
    parts = []
    number = 0
    for repository in suite.repositories:
        recipes = suite.recipes(repository.name)
        drawn = list(range(len(recipes)))
        if most is not None and len(recipes) > most:
            drawn = random.Random(f"{seed}/{repository.name}").sample(drawn, most)
        for recipe in [recipes[at] for at in sorted(drawn)]:
            number += 1
            shown = verified_oracle(recipe, suite.folder(repository.name)).spans
            lines = [
                f"## {number}. {repository.name}/{recipe.task}   [ ] good [ ] poor [ ] wrong",
                f"program {recipe.program or '-'}, in {recipe.path}",
                *(
                    line
                    for span in shown
                    for line in (f"{span.path}:{span.lines[0]}", *(f"  | {each}" for each in span.text.splitlines()))
                ),
                *(f"  {name}: {' / '.join(values)}" for name, values in recipe.arguments.items()),
            ]
            for row in _of(suite, recipe.task)[:rows]:
                sample = row.sample
                lines += [f"  > {sample.instruction}", *(f"      {line}" for line in sample.output.splitlines())]
            parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _of(suite: Suite, task: str) -> Sequence[SuiteRow]:
    return [
        row
        for split, part in suite.splits.items()
        if split != "quarter"
        for row in part
        if row.origin is not None and row.origin.recipe.task == task
    ]


def main() -> None:
    """Print the sheets of all suites that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="+", metavar="SUITE")
    parser.add_argument("--rows", type=int, default=2, help="rows of each task")
    parser.add_argument("--most", type=int, help="at most so many tasks of a repository, drawn by --seed")
    parser.add_argument("--seed", default="")
    parser.add_argument("--left-out", action="store_true", help="also the decisions against tasks and arguments")
    wanted = parser.parse_args()
    for name in wanted.suites:
        print(f"# {name}\n\n{sheet(load_suite(name), wanted.rows, wanted.most, wanted.seed)}\n")
        if wanted.left_out:
            for file in sorted((Path(name) / "steps").glob("*.jsonl")):
                lines = [line for line in file.read_text(encoding="utf-8").splitlines() if '"kept": false' in line]
                print(f"### {file.stem}: {len(lines)} left out", *lines, sep="\n")


if __name__ == "__main__":
    main()
