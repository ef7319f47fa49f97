"""Checks an edited recipe: it must be sound, and its program must accept the reference."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

import anyio
import jinja2
from inspect_ai.util import SandboxUnavailableError

from mlbench.interface_check.checker_pool import Checkers
from mlbench.records import Candidate, CheckStatus, RunError, UsageError
from mlbench.repositories.checkout import checkout
from mlbench.repositories.environments import environment
from mlbench.sandbox.limits import Limits
from mlbench.scoring.runtime import SuiteRuntime
from mlbench.suite_builder.checks.suite_check import recipe_faults
from mlbench.suites.recipes import Recipe, RecipeError, Words, load_recipe, verified_oracle
from mlbench.suites.suite import Suite

_JUDGED = ("type", "path", "program", "arguments", "exclude", "together", "reference", "prefix_code")
"""The fields that the program's answer depends on."""
_MOST = 24
"""References that are checked for one recipe. If possible, every value occurs in one of them."""
_SEARCHED = 10_000


def parsed(repository: str, task: str, text: str) -> Recipe:
    """The recipe of a text.

    Args:
        repository: the recipe's repository.
        task: the recipe's name.
        text: its YAML.

    Raises:
        RecipeError: the text is not a recipe.
    """
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, repository, f"{task}.yaml")
        file.parent.mkdir()
        file.write_text(text, encoding="utf-8", newline="")
        return load_recipe(file)


def faults(recipe: Recipe, repository: Path) -> list[str]:
    """The faults of a recipe that can be found without its program, one line each."""
    try:
        verified_oracle(recipe, repository)
        first_texts = {name: next(iter(values)) for name, values in recipe.arguments.items()}
        for template in recipe.instructions:
            recipe.render_instruction(template, first_texts)
        return recipe_faults(recipe, repository)
    except RecipeError as error:
        return [str(error)]
    except (jinja2.TemplateError, ArithmeticError, TypeError, ValueError) as error:
        return [f"a template cannot be rendered: {error}"]


def judged_anew(recipe: Recipe, before: Recipe | None) -> bool:
    """Whether the program must be asked again."""
    return before is None or any(getattr(recipe, field) != getattr(before, field) for field in _JUDGED)


def refusals(suite: Suite, recipe: Recipe) -> list[str]:
    """What the program refuses in the references of a recipe; each value occurs in one of them.

    Raises:
        RunError: the references cannot be checked on this machine.
    """
    try:
        return anyio.run(_refusals, suite, recipe)
    except SandboxUnavailableError as error:
        raise RunError(f"the reference cannot be checked on this machine, nothing was stored: {error}") from error


async def _refusals(suite: Suite, recipe: Recipe) -> list[str]:
    name = recipe.repository
    folder = suite.folder(name)
    copy = folder if suite.repository(name).catalogue else checkout(folder)
    where = environment(suite.requirements) if suite.executable else None
    checkers = Checkers(SuiteRuntime.of(suite, "bubblewrap", {name: copy}, where, Limits(), 1))
    found: dict[str, str] = {}  # by the program's message: one cause may refuse many values
    try:
        for combination in islice(covering(recipe), _MOST):
            candidate = Candidate(recipe.render_reference(combination), recipe.kind, "reference")
            check = await checkers.of(name).check(candidate, recipe.path, recipe.prefix_code)
            if check.status in (CheckStatus.REJECTED, CheckStatus.BROKEN):
                values = ", ".join(f"{key} {' '.join(words)}" for key, words in combination.items() if words)
                found.setdefault(f"{check.reason}: {check.message}", values)
    except UsageError as error:
        return [str(error)]
    finally:
        await checkers.close()
    return [f"reference: the program refuses it ({words}) with {values}" for words, values in found.items()]


def covering(recipe: Recipe) -> Iterator[dict[str, Words]]:
    """A few combinations that contain every value of every argument, if the rules allow it."""
    missing = {(name, words) for name, values in recipe.said.items() for words in values}
    for step in range(max(len(values) for values in recipe.said.values())):
        diagonal = {name: list(values)[step % len(values)] for name, values in recipe.said.items()}
        if missing & set(diagonal.items()) and _allowed(recipe, diagonal):
            missing -= set(diagonal.items())
            yield diagonal
    for combination in islice(recipe.combinations(), _SEARCHED if missing else 0):
        if missing & set(combination.items()):
            missing -= set(combination.items())
            yield combination


def _allowed(recipe: Recipe, combination: Mapping[str, Words]) -> bool:
    return not recipe.excludes(combination)
