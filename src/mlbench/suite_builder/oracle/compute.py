"""Computes the oracles of a suite's recipes and compares them with what the recipes say."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from mlbench.interface_check.checker import Checker
from mlbench.interface_check.checker_pool import Checkers
from mlbench.records import Candidate, Check, CheckStatus
from mlbench.scoring.runtime import SuiteRuntime
from mlbench.suite_builder.oracle.cover import OracleCover, OracleFinder
from mlbench.suite_builder.oracle.spans import FileSpan, span_of
from mlbench.suite_builder.oracle.write import write_oracle
from mlbench.suites.recipes import OracleSegment, Recipe, segment_hash


def segments_of(cover: OracleCover) -> tuple[OracleSegment, ...]:
    """The spans as a recipe holds them."""
    return tuple(_segment(span) for span in cover.spans)


def _segment(span: FileSpan) -> OracleSegment:
    return OracleSegment(file=span.file, lines=(span.first, span.last), sha256=segment_hash(span.text))


def write_cover(file: Path, recipe: Recipe, cover: OracleCover) -> bool:
    """Write computed spans into a recipe's file; returns whether it changed.

    Args:
        file: of the recipe.
        recipe: as the file has it.
        cover: the computed spans.
    """
    spans = segments_of(cover)
    published = recipe.documentation if recipe.documentation != spans[0] else None
    if (spans, published, cover.undocumented) == (recipe.segment, recipe.published, recipe.undocumented):
        return False
    write_oracle(file, spans, published, cover.undocumented)
    return True


def update(machine: SuiteRuntime, told: Callable[[int, int], None]) -> list[str]:
    """Compute the oracle of every recipe and write it; returns what happened, one line for each recipe that changed.

    Args:
        machine: the suite's runtime.
        told: called with the number of recipes that are done, and of all.

    Raises:
        SandboxUnavailableError: the checker failed.
        RunError: a recipe cannot be written.
    """
    suite = machine.suite
    finders: dict[str, OracleFinder] = {}
    lines: list[str] = []

    def write(recipe: Recipe, check: Check) -> None:
        where = f"{recipe.repository}/{recipe.task}"
        if check.status is not CheckStatus.ACCEPTED:
            lines.append(f"{where}: left as it is, because its reference is {check.status}: {check.message}")
            return
        if recipe.repository not in finders:
            finders[recipe.repository] = OracleFinder(suite.folder(recipe.repository))
        cover = finders[recipe.repository].cover(recipe, check)
        if write_cover(suite.root / "recipes" / recipe.repository / f"{recipe.task}.yaml", recipe, cover):
            missing = f"; undocumented: {', '.join(cover.undocumented)}" if cover.undocumented else ""
            lines.append(f"{where}: {len(cover.spans)} spans, {sum(span.size for span in cover.spans)} lines{missing}")

    _each_check(machine, write, told)
    return lines


def faults(machine: SuiteRuntime, told: Callable[[int, int], None]) -> list[str]:
    """The needed words that a recipe neither shows nor lists as undocumented, one line for each recipe.

    Args:
        machine: the suite's runtime.
        told: as for `update`.

    Raises:
        SandboxUnavailableError: the checker failed.
    """
    finders: dict[str, OracleFinder] = {}
    found: list[str] = []

    def compare(recipe: Recipe, check: Check) -> None:
        if check.status is not CheckStatus.ACCEPTED:
            return  # `suites check` says so elsewhere
        folder = machine.suite.folder(recipe.repository)
        finder = finders.setdefault(recipe.repository, OracleFinder(folder))
        spans = [span_of(folder, span.file, *span.lines) for span in recipe.segment]
        lost = [word for word in finder.unshown(recipe, check, spans) if word not in recipe.undocumented]
        if lost:
            found.append(
                f"recipe {recipe.repository}/{recipe.task}.yaml: segment: does not show {', '.join(lost)};"
                " `mlbench suites oracle DIR` computes the spans"
            )

    _each_check(machine, compare, told)
    return found


def _each_check(machine: SuiteRuntime, use: Callable[[Recipe, Check], None], told: Callable[[int, int], None]) -> None:
    """Check a reference of each recipe; use the checks in the recipes' order."""
    recipes = [
        recipe
        for repository in machine.suite.repositories
        for recipe in machine.suite.recipes(repository.name)
        if not recipe.rejected
    ]

    async def ask() -> list[Check]:
        checkers = Checkers(machine)
        free = asyncio.Semaphore(machine.workers)
        done = 0

        async def one(recipe: Recipe) -> Check:
            nonlocal done
            async with free:
                check = await reference_check(recipe, checkers.of(recipe.repository))
            told(done := done + 1, len(recipes))
            return check

        try:
            return await asyncio.gather(*(one(recipe) for recipe in recipes))
        finally:
            await checkers.close()

    for recipe, check in zip(recipes, asyncio.run(ask()), strict=True):
        use(recipe, check)


async def reference_check(recipe: Recipe, checker: Checker) -> Check:
    """The interface check of a recipe's first reference, with its programs' options.

    Args:
        recipe: the recipe.
        checker: of its repository.

    Raises:
        SandboxUnavailableError: the checker failed.
    """
    code = recipe.render_reference(next(recipe.combinations()))
    return await checker.describe(Candidate(code, recipe.kind, "reference"), recipe.path, recipe.prefix_code)
