"""`mlbench suites check`, `lock` and `oracle`: whether a suite's recipes and references are sound."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from mlbench.cli.options import SuiteName
from mlbench.records import RunError

if TYPE_CHECKING:
    from mlbench.suites.suite import Suite


def suites_check(
    name: SuiteName,
    quick: Annotated[bool, typer.Option("--quick", help="Do not run the references.")] = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Also run the references of real repositories that `mlbench repos install` has made ready.",
        ),
    ] = False,
) -> None:
    """Check a suite for faults in its recipes or rows.

    Checks that each oracle shows all that its reference needs. Runs every reference in a sandbox and checks that its
    declared outcome distinguishes it from wrong answers.
    """
    from mlbench.results.format import printable
    from mlbench.suite_builder.checks.row_check import row_faults
    from mlbench.suite_builder.checks.suite_check import check
    from mlbench.suites.suite import load_suite

    suite = load_suite(name)
    faults = check(suite) if suite.rows is None else row_faults(suite)
    if suite.rows is None and not quick:
        faults += _oracle_faults(name)
        if suite.executable or strict:
            faults += _outcome_faults(name, suite, faults)
    faults = [printable(fault) for fault in faults]
    sound = f"{suite.name}: every {'recipe' if suite.rows is None else 'row'} is sound"
    print("\n".join(faults) if faults else sound)
    if faults:
        raise RunError(f"{len(faults)} fault{'s' * (len(faults) > 1)} in suite {suite.name}")


def _oracle_faults(name: str) -> list[str]:
    """Return the recipes whose oracle lacks what their reference needs."""
    from mlbench.sandbox.limits import Limits
    from mlbench.scoring.runtime import machine
    from mlbench.suite_builder.oracle.compute import faults

    return faults(machine("bubblewrap", name, Limits(), None), _tell_recipes)


def _tell_recipes(done: int, of: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {of} recipes", end="\n" if done == of else "", file=sys.stderr, flush=True)


def _outcome_faults(name: str, suite: Suite, faults: list[str]) -> list[str]:
    """Return the faults of outcomes, of recipes that have no other fault."""
    from mlbench.records import Policy
    from mlbench.sandbox.limits import Limits
    from mlbench.scoring.runtime import machine
    from mlbench.suite_builder.checks.outcome_check import outcome_faults
    from mlbench.suite_builder.checks.suite_check import faulty

    runtime = machine("bubblewrap", name, Limits(), None, Policy.STRICT)
    idle = {
        f"{recipe.repository}/{recipe.task}"
        for each in suite.repositories
        for recipe in suite.recipes(each.name)
        if not suite.executable and (each.name not in runtime.setups or not recipe.runs)
    }
    if idle:
        print(f"{len(idle)} recipes are not run here: no `runs: cpu`, or no environment of theirs is installed")
    return outcome_faults(suite, runtime, {*faulty(faults), *idle}, _tell_recipes)


def suites_lock(name: SuiteName) -> None:
    """Update the hashes of documentation segments in the recipes."""
    from mlbench.suite_builder.checks.suite_check import lock
    from mlbench.suites.suite import load_suite

    for recipe in lock(load_suite(name)):
        print(f"locked {recipe}")


def suites_oracle(name: SuiteName) -> None:
    """Compute the oracle of each recipe and write it into its file."""
    from mlbench.sandbox.limits import Limits
    from mlbench.scoring.runtime import machine
    from mlbench.suite_builder.oracle.compute import update

    lines = update(machine("bubblewrap", name, Limits(), None), _tell_recipes)
    print("\n".join(lines) if lines else "every oracle is as computed")
