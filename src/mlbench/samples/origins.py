"""Where a row comes from: its recipe, its combination of wanted values, and the reference for other combinations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from mlbench.samples.recipes import Recipe, Words
from mlbench.samples.suites import load_suite, sample_of


@dataclass(frozen=True)
class Origin:
    """A row's recipe and the wanted values that made it."""

    recipe: Recipe
    combination: Mapping[str, Words]

    def required(self) -> dict[str, str]:
        """Every argument of the recipe with its wanted value; empty where a switch is to be absent."""
        return {name: " ".join(words) for name, words in self.combination.items()}

    def variant(self, name: str) -> str | None:
        """The reference in which only this argument has another value; None where there is no such combination."""
        wanted = self.combination[name]
        others = [
            each
            for each in self.recipe.combinations()
            if each[name] != wanted and all(each[other] == self.combination[other] for other in each if other != name)
        ]
        others.sort(key=lambda each: not each[name])  # a value says more than its absence
        return self.recipe.render_reference(others[0]) if others else None


def origin_of(suite: str, row: int) -> Origin | None:
    """The origin of the row with this `id`; None where the suite's rows come from no recipe.

    Raises:
        UsageError: the suite has no such row.
    """
    sample = sample_of(suite, row)
    for recipe, by_arguments in _recipes(suite, load_suite(suite).repository_of(sample.github_id).name):
        if recipe.path != sample.path or recipe.type != sample.type:
            continue
        for combination in by_arguments.get(sample.arguments, ()):
            if recipe.render_reference(combination) == sample.output:
                return Origin(recipe, combination)
    return None


@cache
def _recipes(suite: str, repository: str) -> list[tuple[Recipe, dict[str, list[dict[str, Words]]]]]:
    """A repository's recipes, each with its combinations by what stands in the column `arguments`."""
    found = []
    for recipe in (each for each in load_suite(suite).recipes(repository) if not each.rejected):
        by_arguments: dict[str, list[dict[str, Words]]] = {}
        for combination in recipe.combinations():
            by_arguments.setdefault(repr(recipe.column(combination)), []).append(combination)
        found.append((recipe, by_arguments))
    return found


def forget() -> None:
    """Read recipes anew; `suites.forget` does it."""
    _recipes.cache_clear()
