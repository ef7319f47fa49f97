"""The outcomes that pocket's recipes declare: they hold for every combination of values, not only for the first."""

from __future__ import annotations

import asyncio
import random
import re
from collections import defaultdict

import pytest

from mlbench.judging.outcome_spec import expression
from mlbench.judging.outcomes import Expected
from mlbench.records import Sample
from mlbench.sandbox.limits import Limits
from mlbench.scoring.reference_runs import References
from mlbench.scoring.runtime import machine
from mlbench.suites.recipes import Recipe
from mlbench.suites.suite import load_rows, load_suite

SUITE = load_suite("pocket")
RECIPES = [recipe for repository in SUITE.repositories for recipe in SUITE.recipes(repository.name)]
FIRST = [next(recipe for recipe in RECIPES if recipe.repository == each.name) for each in SUITE.repositories]

OF_SOME_VALUES = {
    ("reelshift/test-colour", "results/*"),  # nothing may be wanted
    ("reelshift/test-colour", r"^ +clip \d+ frame \d+ psnr: <number>"),  # a switch
    ("pointfold/test-classifier", r"^ *[a-z]+ +(\d+(?: +\d+)+)$"),  # a switch
    ("glaze/measure-steps", "outputs/*.json"),  # a switch
}
"""What only some values of an argument make the reference leave."""


def rows_of(recipe: Recipe, count: int) -> list[Sample]:
    """Rows of a recipe, drawn from all splits."""
    rows = [row for split in ("full", "id_train", "ood_train") for row in load_rows("pocket")[split]]
    github_id = SUITE.repository(recipe.repository).github_id
    drawn: list[Sample] = []
    mine = [row for row in rows if row.github_id == github_id and row.path == recipe.path and row.type == recipe.type]
    for row in random.Random(f"{recipe.repository}/{recipe.task}").sample(mine, len(mine)):
        origin = load_suite("pocket").row(row.id).origin
        if origin is not None and origin.recipe.task == recipe.task:
            drawn.append(row)
        if len(drawn) == count:
            break
    return drawn


def left(recipes: list[Recipe], count: int) -> dict[str, list[Expected]]:
    """What the references of rows of some recipes leave."""
    place, references = machine("bubblewrap", "pocket", Limits(), None), References(load_suite("pocket"))

    async def every() -> dict[str, list[Expected]]:
        turns = asyncio.Semaphore(place.workers)
        found: dict[str, list[Expected]] = defaultdict(list)

        async def one(recipe: Recipe, row: Sample) -> None:
            async with turns:
                expected = await references.of(row, place.jail(recipe.repository))
            assert expected is not None
            found[f"{recipe.repository}/{recipe.task}"].append(expected)

        await asyncio.gather(*(one(recipe, row) for recipe in recipes for row in rows_of(recipe, count)))
        return found

    return asyncio.run(every())


def lacking(expected: Expected) -> set[str]:
    """The declared globs and patterns that match nothing."""
    matched = {spec for spec, _ in expected.files()}
    absent = {spec.path for spec in expected.spec.files if spec not in matched}
    return absent | {p for p in expected.spec.prints if not re.search(expression(p), expected.printed, re.MULTILINE)}


def holds(name: str, found: list[Expected]) -> None:
    for expected in found:
        assert not expected.fault and not expected.running and not expected.empty
        assert lacking(expected) <= {declared for recipe, declared in OF_SOME_VALUES if recipe == name}
    assert not expected.outcome.removed and not expected.outcome.altered


@pytest.mark.parametrize("count", [1, pytest.param(5, marks=pytest.mark.slow)])
def test_every_declared_file_and_figure_is_there(count: int) -> None:
    found = left(FIRST if count == 1 else RECIPES, count)
    assert len(found) == len(FIRST if count == 1 else RECIPES)
    for name, each in found.items():
        holds(name, each)


@pytest.mark.slow
def test_what_some_values_leave_is_left_by_one() -> None:
    recipes = [each for each in RECIPES if f"{each.repository}/{each.task}" in {name for name, _ in OF_SOME_VALUES}]
    for name, each in left(recipes, 6).items():
        assert set.intersection(*map(lacking, each)) == set()
        assert any(map(lacking, each)), f"{name}: no exception is needed"


def test_few_rows_prove_no_more_than_a_shape() -> None:
    """Where the input is free, only a relation between it and the result can tell: at most 8 % of `full`."""
    weak = 0
    for row in load_rows("pocket")["full"]:
        origin = load_suite("pocket").row(row.id).origin
        assert origin is not None and origin.recipe.outcome is not None
        weak += origin.recipe.outcome.weak
    assert 0 < weak <= 0.08 * len(load_rows("pocket")["full"])
    print(f"weak: {weak} of {len(load_rows('pocket')['full'])}")
