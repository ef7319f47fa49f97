"""Selects some rows of every task, from different splits, for a reviewer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import jinja2

from mlbench.records import Sample
from mlbench.suite_builder.review.findings import Remark
from mlbench.suites.recipes import Recipe, Words
from mlbench.suites.suite import Suite

EACH = 6
"""Rows shown per task; a third of them from the test set."""
_EXCLUDED = 20


@dataclass(frozen=True)
class Chosen:
    """A row of the suite as it was when the review began.

    Attributes:
        recipe: the recipe at that time; if it has changed since, the row is rendered anew.
    """

    split: str
    sample: Sample
    recipe: Recipe
    combination: Mapping[str, Words]


@dataclass(frozen=True)
class ReviewRow:
    """A row as the page shows it.

    Attributes:
        id: the row's id in the suite; None for an excluded row or a rejected task.
        values: the wanted values, as in the column `arguments`.
        why: the reason of a rejection, if one was given.
    """

    id: int | None
    split: str
    combination: Mapping[str, Words]
    values: Mapping[str, str]
    instruction: str
    reference: str
    rejected: bool = False
    why: str = ""
    findings: tuple[Remark, ...] = ()


def chosen_rows(suite: Suite, findings: Mapping[int, Sequence[Remark]]) -> dict[tuple[str, str], list[Chosen]]:
    """The rows to show, by repository and task; rows with findings come first.

    Raises:
        UsageError: the suite makes no rows: a recipe is malformed, or there are too few combinations.
    """
    found: dict[tuple[str, str], dict[str, list[Chosen]]] = {}
    for split, rows in suite.splits.items():
        for row in rows if split != "quarter" else ():  # a part of full
            if (origin := row.origin) is not None:
                of_task = found.setdefault((origin.recipe.repository, origin.recipe.task), {})
                of_task.setdefault(split, []).append(Chosen(split, row.sample, origin.recipe, origin.combination))
    return {task: _some(splits, findings) for task, splits in found.items()}


def _some(splits: Mapping[str, list[Chosen]], findings: Mapping[int, Sequence[Remark]]) -> list[Chosen]:
    def sound(chosen: Chosen) -> bool:
        return all(remark.kept for remark in findings.get(chosen.sample.id, ()))

    test = sorted(splits.get("full", ()), key=sound)[: EACH // 3]
    rest = sorted((each for split in sorted(splits) if split != "full" for each in splits[split]), key=sound)
    return [*test, *rest[: EACH - len(test)]]


def rows_of(
    recipe: Recipe, chosen: Sequence[Chosen], findings: Mapping[int, Sequence[Remark]], whys: Mapping[int, str]
) -> list[ReviewRow]:
    """The rows of a recipe as it is now, then the rejected ones.

    Args:
        recipe: the present recipe.
        chosen: the rows of this task; if there are none, its first combinations are shown.
        findings: findings by row id.
        whys: reasons of rejections, by the position of the rule in `exclude`.
    """
    rules = {_key(rule): at for at, rule in enumerate(recipe.exclude) if len(rule) == len(recipe.arguments)}
    there = [each for each in chosen if _possible(recipe, each.combination)]
    combinations = [each.combination for each in there] or list(islice(recipe.combinations(), EACH))
    combinations += [recipe.exclude[at] for at in rules.values() if _possible(recipe, recipe.exclude[at])][:_EXCLUDED]
    unlike = {_key(combination): combination for combination in combinations}
    by_key = {_key(each.combination): each for each in there}
    rows = []
    for number, (key, combination) in enumerate(unlike.items()):
        row, origin = _rendered(recipe, combination, number), by_key.get(key)
        if origin is not None:
            row = replace(row, split=origin.split)
            if _alike(origin.recipe, recipe):
                found = tuple(findings.get(origin.sample.id, ()))
                row = replace(row, id=origin.sample.id, instruction=origin.sample.instruction, findings=found)
        rows.append(replace(row, rejected=key in rules, why=whys.get(rules.get(key, -1), "")))
    return rows


def _key(combination: Mapping[str, Words]) -> tuple[object, ...]:
    return tuple(sorted(combination.items()))


def _possible(recipe: Recipe, combination: Mapping[str, Words]) -> bool:
    return set(combination) == set(recipe.said) and all(
        words in recipe.said[name] for name, words in combination.items()
    )


def _alike(one: Recipe, other: Recipe) -> bool:
    """Whether both recipes make the same rows of the same combinations."""
    return all(
        getattr(one, field) == getattr(other, field) for field in ("arguments", "instructions", "reference", "type")
    )


def _rendered(recipe: Recipe, combination: Mapping[str, Words], number: int) -> ReviewRow:
    """The row of a combination; each number has another template, the test set's first."""
    template = recipe.instructions[number % len(recipe.instructions)]
    texts = {name: recipe.said[name][words][0] for name, words in combination.items()}
    try:
        instruction, reference = recipe.render_instruction(template, texts), recipe.render_reference(combination)
    except (jinja2.TemplateError, ArithmeticError, TypeError, ValueError) as error:
        instruction = reference = f"cannot be rendered: {error}"
    return ReviewRow(None, "", combination, recipe.column(combination), instruction, reference)
