"""Checks that the declared outcomes of recipes prove something, by running their references.

Each reference is run twice, and with other values.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from dataclasses import replace
from itertools import islice

from inspect_ai.util import SandboxUnavailableError

from mlbench.interface_check.checker_pool import Checkers
from mlbench.judging.outcome_spec import OutcomeSpec, expression
from mlbench.judging.outcomes import Expected, compared
from mlbench.records import Candidate, CheckStatus, Execution, ExitKind, LeftBehind, RunError, Sample
from mlbench.sandbox.bubblewrap import BubblewrapSandbox
from mlbench.sandbox.execute import execute
from mlbench.sandbox.runtime import Runtime
from mlbench.scoring.input_relations import unproven
from mlbench.suites.recipes import Recipe, Words, load_recipe
from mlbench.suites.suite import Suite
from mlbench.suites.unasked import without

Tell = Callable[[int, int], None]
"""Called with the number of recipes that are done, and of all."""

_SEARCHED = 20_000  # combinations
_MOST_SAID = 3


def outcome_faults(
    suite: Suite, place: Runtime, left_out: Collection[str] = (), tell: Tell = lambda done, of: None
) -> list[str]:
    """The faults of a suite's declared outcomes, one line each.

    Args:
        suite: the suite.
        place: the runtime in whose jails references run.
        left_out: recipes to skip, as `repository/task`.
        tell: reports progress.

    Raises:
        RunError: this machine cannot run the references.
    """
    try:
        return asyncio.run(_every(suite, place, left_out, tell))
    except SandboxUnavailableError as error:
        raise RunError(f"the references cannot be run on this machine: {error}") from error


async def _every(suite: Suite, place: Runtime, left_out: Collection[str], tell: Tell) -> list[str]:
    files = [file for each in suite.repositories for file in suite.recipe_files(each.name)]
    loaded = [load_recipe(file) for file in files if f"{file.parent.name}/{file.stem}" not in left_out]
    recipes = [recipe for recipe in loaded if recipe.outcome and not recipe.rejected]
    checkers, turns, done = Checkers(place), asyncio.Semaphore(place.workers), 0

    async def looked_at(recipe: Recipe) -> list[str]:
        nonlocal done
        async with turns:
            found = [fault async for fault in _Runs(recipe, place, checkers).faults()]
        done += 1
        tell(done, len(recipes))
        return [f"recipe {recipe.repository}/{recipe.task}.yaml: outcome: {fault}" for fault in found]

    await BubblewrapSandbox.task_init("suites check", None)
    try:
        tell(0, len(recipes))
        return [fault for found in await asyncio.gather(*map(looked_at, recipes)) for fault in found]
    finally:
        await checkers.close()
        await BubblewrapSandbox.task_cleanup("suites check", None, True)


class _Runs:
    """The runs of one recipe's reference."""

    def __init__(self, recipe: Recipe, place: Runtime, checkers: Checkers) -> None:
        assert recipe.outcome is not None
        self._recipe, self._spec = recipe, recipe.outcome
        self._config = place.jail(recipe.repository)
        self._checker = checkers.of(recipe.repository)
        self._combinations = [each for each in islice(recipe.combinations(), _SEARCHED) if _can_run(recipe, each)]
        self._first = self._combinations[0]
        self._expected: list[Expected] = []  # what each run left behind

    async def faults(self) -> AsyncIterator[str]:
        """Why the outcome proves nothing."""
        execution = await self._run(self._first)
        expected = self._expected[0]
        if fault := self._missing(execution, expected):
            yield fault
            return
        if differences := compared(expected, await self._run(self._first)).differences:
            yield f"two runs of the reference do not share it: {'; '.join(map(str, differences[:_MOST_SAID]))}"
            return
        other = self._other()
        elsewhere = await self._run(other)
        if fault := self._missing(elsewhere, self._expected[-1]):
            values = ", ".join(f"{name} {' '.join(words)}" for name, words in other.items() if words)
            yield f"{fault} with {values}"
        elif self._spec.relation is not None:
            if why := await unproven(self._sample(), expected, execution, self._config):
                yield f"relation: the reference itself does not prove it: {why}"
        elif self._recipe.kind == "python":
            if not compared(expected, elsewhere).differences:
                yield "the reference leaves the same with another value of every argument"
        elif dropped := await self._left_to_defaults():
            yield f"the program's defaults leave the same, without {', '.join(dropped)}"
        if unmatched := _unmatched(self._spec, self._expected):
            yield f"the reference leaves nothing that matches {', '.join(unmatched)}"

    def _other(self, kept: Collection[str] = ()) -> Mapping[str, Words]:
        """A combination in which all arguments but the kept ones, or most, have another value."""
        first = self._first

        def likeness(each: Mapping[str, Words]) -> tuple[bool, int]:
            return any(each[name] != first[name] for name in kept), sum(each[name] == first[name] for name in each)

        return min(self._combinations, key=likeness)

    async def _left_to_defaults(self) -> list[str]:
        """Arguments whose omission the outcome does not show."""
        optional = []
        for name in self._recipe.arguments:
            candidate = Candidate(without(self._recipe, self._first, [name]), self._recipe.kind, "reference")
            check = await self._checker.check(candidate, self._recipe.path, self._recipe.prefix_code)
            if check.status is CheckStatus.ACCEPTED:
                optional.append(name)
        if not optional or not await self._leaves_the_same(without(self._recipe, self._first, optional)):
            return []
        required = set(self._recipe.arguments) - set(optional)  # the values may happen to be the defaults
        other = self._recipe.render_reference(self._other(required))
        return optional if await self._leaves_the_same(other) else []

    async def _leaves_the_same(self, code: str) -> bool:
        execution = await self._run_code(code)
        return not self._ended(execution) and not compared(self._expected[0], execution).differences

    def _missing(self, execution: Execution, left: Expected) -> str:
        """Why a run left nothing to compare with."""
        declared = ", ".join([*(file.path for file in self._spec.files), *self._spec.prints])
        empty = f"is empty: the reference leaves nothing of {declared}" if left.empty else ""
        return self._ended(execution) or empty

    def _ended(self, execution: Execution) -> str:
        """Why a run that ended like this has nothing to compare with."""
        if execution.ending is ExitKind.TIMEOUT:
            limit = f"the reference still runs after {self._config.limits.seconds:g} s"
            return "" if self._spec.progress else f"{limit}, and no `progress` is declared"
        if execution.ending is ExitKind.EXITED and execution.exit_code == 0:
            return ""
        words = (execution.stderr.strip().splitlines() or [execution.ending.value])[-1]
        return f"the reference fails with exit code {execution.exit_code}: {words[:200]}"

    def _sample(self) -> Sample:
        """The fields of a row that running a reference needs."""
        recipe = self._recipe
        output, prefix = recipe.render_reference(self._first), recipe.prefix_code.strip("\n")
        return Sample(0, recipe.repository, 0, 0, recipe.path, "{}", "", "", recipe.type, output, prefix)

    async def _run(self, combination: Mapping[str, Words]) -> Execution:
        return await self._run_code(self._recipe.render_reference(combination))

    async def _run_code(self, code: str) -> Execution:
        sample = self._sample()
        folder = sample.folder
        expected = Expected(self._spec, folder=folder)
        candidate = Candidate(code, self._recipe.kind, "reference")
        seconds, weak = self._config.limits.seconds, self._spec.weak
        box = BubblewrapSandbox(self._config)
        try:
            execution = await execute(
                box, sample, candidate, seconds, lambda root: {}, weak, outputs=expected.globs(), claims=weak
            )
        finally:
            await box.close()
        outcome = execution.outcome or LeftBehind()
        self._expected.append(replace(expected, printed=execution.stdout, outcome=outcome))
        return execution


def _can_run(recipe: Recipe, combination: Mapping[str, Words]) -> bool:
    return not recipe.heavy or recipe.runs_on_cpu(combination)


def _unmatched(spec: OutcomeSpec, runs: Collection[Expected]) -> list[str]:
    """Declared globs and patterns that match nothing in any run."""
    matched = {file for run in runs for file, _ in run.files()}
    files = [file.path for file in spec.files if file not in matched]
    return files + [p for p in spec.prints if not any(_found(p, run.printed) for run in runs)]


def _found(pattern: str, printed: str) -> bool:
    return re.search(expression(pattern), printed, re.MULTILINE) is not None
