"""Checks recipes for `mlbench suites check`, and writes the hashes of `mlbench suites lock`."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from mlbench.judging.call_sites import PROGRAM
from mlbench.judging.outcome_spec import Relation
from mlbench.shell.languages import language_of
from mlbench.suite_builder.oracle.write import write_oracle
from mlbench.suites.leaks import leaks
from mlbench.suites.recipes import (
    OracleSegment,
    Recipe,
    RecipeError,
    load_recipe,
    read_segment,
    segment_hash,
    verified_oracle,
)
from mlbench.suites.suite import Suite
from mlbench.suites.wording.readback import Readback

TRAINING = ("id_train", "ood_train")


def check(suite: Suite) -> list[str]:
    """Every fault of every recipe, one line each."""
    faults: list[str] = []
    for repository in suite.repositories:
        folder = suite.folder(repository.name)
        if not folder.is_dir():
            faults.append(f"repository {repository.name}: no folder {folder}")
            continue
        files = suite.recipe_files(repository.name)
        if not files:
            faults.append(f"repository {repository.name}: no recipe")
        for file in files:
            where = f"recipe {repository.name}/{file.name}"
            try:
                recipe = load_recipe(file)
            except RecipeError as error:
                faults.append(str(error))
                continue
            if recipe.rejected:
                continue
            try:
                verified_oracle(recipe, folder)
            except RecipeError as error:
                faults.append(str(error))
            if suite.executable and recipe.outcome is None:
                faults.append(f"{where}: outcome: none is declared; say what the reference writes or prints")
            faults += [f"{where}: {fault}" for fault in recipe_faults(recipe, folder)]
    return faults or list(_row_faults(suite))


def _row_faults(suite: Suite) -> Iterator[str]:
    """Composed instructions that do not say their values, and test rows that a training row repeats."""
    readers: dict[str, Readback] = {}
    for row in (row for split in TRAINING for row in suite.splits[split]):
        if row.origin is None or (wording := row.origin.recipe.wording) is None:
            continue
        recipe = row.origin.recipe
        where = f"recipe {recipe.repository}/{recipe.task}.yaml"
        reader = readers.setdefault(where, Readback(recipe.said, wording))
        for fault in itertools.islice(reader.faults(row.origin.combination, row.sample.instruction), 1):
            yield f"{where}: wording: row {row.id}: {fault}: {row.sample.instruction}"
    train = [row.sample for split in TRAINING for row in suite.splits[split]]
    for test, other in leaks([row.sample for row in suite.splits["full"]], train):
        yield f"row {test.id}: training row {other.id} differs from it by numbers alone"


def faulty(faults: Iterable[str]) -> set[str]:
    """The recipes that some faults are about, as `repository/task`."""
    return {match[1] for fault in faults if (match := re.match(r"recipe (\S+?)\.yaml: ", fault))}


def recipe_faults(recipe: Recipe, repository: Path) -> list[str]:
    """The faults of one recipe, except for its segment's hash."""
    faults = []
    if not (repository / recipe.path).is_dir():
        faults.append(f"path: no folder {recipe.path}")
    if not (repository / recipe.program).exists():
        faults.append(f"program: no file {recipe.program}")
    for name, values in recipe.said.items():
        numbers = [float(words[0]) for words in values if len(words) == 1 and _is_number(words[0])]
        if len(set(numbers)) < len(numbers):
            faults.append(f"arguments: {name}: two values mean the same number")
        if len(values) < 2 and name != PROGRAM:  # of one command, what it does is to be found out
            faults.append(f"arguments: {name}: has one value; a fixed setting belongs into the reference")
        used = re.compile(rf"\{{[\{{%][^}}]*\b{re.escape(name)}\b")
        faults += [
            f"instructions: number {i} does not say {name}"
            for i, text in enumerate(recipe.instructions, 1)
            if not used.search(text)
        ]
        if not used.search(recipe.reference):
            faults.append(f"reference: does not use {name}")
    first = next(recipe.combinations(), None)
    if first is None:
        return [*faults, "exclude: leaves no combination"]
    if language_of(code := recipe.render_reference(first), recipe.kind).kind != recipe.kind:
        faults.append(f"reference: does not parse as {recipe.type}: {code.splitlines()[0][:60]}")
    elif recipe.outcome is not None and recipe.outcome.relation is not None:
        faults += _relation_faults(recipe, recipe.outcome.relation, code)
    return faults


def _relation_faults(recipe: Recipe, relation: Relation, code: str) -> list[str]:
    if recipe.kind != "python":
        return ["outcome: relation: only the reference of a Python task has variables"]
    targets = [t for node in ast.parse(code).body if isinstance(node, ast.Assign) for t in node.targets]
    names = {target.id for target in targets if isinstance(target, ast.Name)}
    wanted = [relation.result, *([relation.input] if relation.input else [])]
    return [
        f"outcome: relation: the reference assigns no variable {name} at its top level"
        for name in wanted
        if name not in names
    ]


def lock(suite: Suite) -> list[str]:
    """Write the present hashes of each recipe's spans into it; returns the recipes that changed.

    Raises:
        RunError: a recipe cannot be written.
    """
    changed = []
    for repository in suite.repositories:
        folder = suite.folder(repository.name)
        for recipe in suite.recipes(repository.name):
            spans = tuple(_locked(folder, span) for span in recipe.segment)
            published = _locked(folder, recipe.published) if recipe.published else None
            if (spans, published) != (recipe.segment, recipe.published):
                file = suite.root / "recipes" / repository.name / f"{recipe.task}.yaml"
                write_oracle(file, spans, published, recipe.undocumented)
                changed.append(f"{repository.name}/{recipe.task}")
    return changed


def _locked(repository: Path, span: OracleSegment) -> OracleSegment:
    return span.model_copy(update={"sha256": segment_hash(read_segment(repository, span))})


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
