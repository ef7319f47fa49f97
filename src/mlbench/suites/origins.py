"""Where a row comes from: its recipe, its combination of wanted values, and the reference for other combinations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mlbench.suites.recipes import Recipe, Words
from mlbench.suites.suite import row_of


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
    """The origin of the row with this `id`; None if the row comes from a file.

    Raises:
        UsageError: the suite has no such row.
    """
    found = row_of(suite, row)
    return Origin(found.recipe, found.combination) if found.recipe and found.combination is not None else None
