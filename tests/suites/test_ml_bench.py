"""The recipes of the paper's repositories, as far as they can be looked at without these."""

from __future__ import annotations

import re

import pytest

from mlbench.repositories import catalogue
from mlbench.results.analyses.published import published
from mlbench.suites.recipes import Recipe
from mlbench.suites.suite import load_suite

SUITE = load_suite("ml-bench")
RECIPES = [recipe for repository in SUITE.repositories for recipe in SUITE.recipes(repository.name)]


def test_it_is_as_large_as_the_published_one() -> None:
    assert {repository.name for repository in SUITE.repositories} == set(catalogue.names())
    assert len(RECIPES) >= 169
    counts = {repository.name: len(SUITE.recipes(repository.name)) for repository in SUITE.repositories}
    assert counts.pop("MedicalZooPytorch") == 6  # whose other programs cannot work at this commit
    assert min(counts.values()) >= 8
    assert SUITE.sizes == {"full": 260, "quarter": 68, "id_train": 6551, "ood_train": 3564}
    assert not SUITE.executable


def test_each_repository_has_the_test_rows_of_the_papers_table() -> None:
    """Two repositories have no program that takes a command line; all their rows are Python."""
    table = published().table_2
    for name, mix in (SUITE.mix or {}).items():
        paper = tuple(int(table.of(name, f"test {kind}") or 0) for kind in ("scripts", "code"))
        assert mix == ((0, sum(paper)) if name in ("IF", "External-Attention-pytorch") else paper), name
    assert len(SUITE.mix or {}) == 14


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: f"{recipe.repository}/{recipe.task}")
def test_a_recipe_is_whole(recipe: Recipe) -> None:
    assert all(re.fullmatch(r"[0-9a-f]{64}", span.sha256) for span in (*recipe.segment, recipe.documentation))
    assert len(recipe.instructions) >= 6
    combination = next(recipe.combinations())
    assert recipe.render_reference(combination)
    said = {name: f"<{name}>" for name in recipe.arguments}
    for template in recipe.instructions:
        text = recipe.render_instruction(template, said)
        assert all(value in text for value in said.values())
    for name, values in recipe.arguments.items():
        assert len({" ".join(words) for words in values.values()}) > 1, name
