"""Checkers and standards of the bundled suite: the reference is checked as a candidate is, once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import anyio
import pytest
from inspect_ai.util import SandboxUnavailableError

from mlbench.interface_check.checker import Checker
from mlbench.interface_check.checker_pool import Checkers
from mlbench.interface_check.client_pool import Servers
from mlbench.records import Candidate, Check, CheckStatus, Invocation, Sample
from mlbench.sandbox.limits import Limits
from mlbench.scoring.reference_calls import Expectations
from mlbench.scoring.runtime import machine
from mlbench.suites.suite import load_split, load_suite

pytestmark = pytest.mark.anyio

ROWS = load_split("pocket", "quarter")


def row(repository: str, kind: str) -> Sample:
    github_id = load_suite("pocket").repository(repository).github_id
    return next(row for row in ROWS if row.github_id == github_id and row.kind == kind)


@pytest.fixture(scope="module")
async def checkers() -> AsyncIterator[Checkers]:
    found = Checkers(machine("bubblewrap", "pocket", Limits(), 2))
    yield found
    await found.close()


class Counted(Checker):
    """A checker that counts what it is asked, and may say something else."""

    def __init__(self, real: Checker, says: Check | Exception | None = None) -> None:
        super().__init__(real.subject, real._servers)
        self.asked: list[str] = []
        self.says = says

    async def check(self, candidate: Candidate, cwd: str = ".", prefix: str = "") -> Check:
        self.asked.append(candidate.source)
        await anyio.sleep(0)
        if isinstance(self.says, Exception):
            raise self.says
        return self.says or await super().check(candidate, cwd, prefix)


async def test_a_shell_reference_sets_a_standard(checkers: Checkers) -> None:
    sample = row("lichen", "shell")
    checker = checkers.of("lichen")
    standard = await Expectations(load_suite("pocket")).of(sample, checker)
    assert standard.fault == ""
    assert {tie.argument for tie in standard.bindings} == set(sample.required())
    assert all(tie.destinations or tie.written for tie in standard.bindings)
    assert {"README.md", "lichen"} <= standard.files
    good = await checker.check(Candidate(sample.output, "shell", "test"), sample.path, sample.prefix_code)
    assert standard.concerns(good.invocations[0])
    assert not standard.concerns(Invocation(CheckStatus.ACCEPTED, program="setup.py"))


async def test_a_python_reference_sets_a_standard(checkers: Checkers) -> None:
    sample = next(row for row in ROWS if row.kind == "python")
    repository = load_suite("pocket").repository_of(sample.github_id).name
    standard = await Expectations(load_suite("pocket")).of(sample, checkers.of(repository))
    assert standard.fault == ""
    assert standard.call_sites


async def test_programs_have_the_environment_and_the_installed_folder(checkers: Checkers) -> None:
    for repository in load_suite("pocket").repositories:
        subject = checkers.of(repository.name).subject
        assert subject.place.environment == checkers._machine.environment and "numpy" in subject.place.preload
        assert bool(subject.env) == bool(repository.installed)
    assert checkers.of("lichen").subject.place.preload == ("numpy", "scipy.sparse")  # what it imports itself


async def test_servers_are_shared_and_come_again_after_the_end() -> None:
    checkers = Checkers(machine("bubblewrap", "pocket", Limits(), 2))
    first, second = checkers.of("lichen"), checkers.of("glaze")
    assert isinstance(first._servers, Servers)
    assert first._servers is second._servers
    await checkers.close()
    await checkers.close()
    assert checkers.of("lichen")._servers is not first._servers
    await checkers.close()


async def test_a_standard_is_made_once_for_all_who_ask_at_the_same_time(checkers: Checkers) -> None:
    standards, sample = Expectations(load_suite("pocket")), row("lichen", "shell")
    checker = Counted(checkers.of("lichen"))
    async with anyio.create_task_group() as group:
        for _ in range(4):
            group.start_soon(standards.of, sample, checker)
    await standards.of(sample, checker)
    assert checker.asked.count("reference") == 1


async def test_a_failing_machine_is_tried_again_and_every_waiter_hears_of_it(checkers: Checkers) -> None:
    """The second of two who waited once got a KeyError instead of the machine's own words."""
    standards, sample = Expectations(load_suite("pocket")), row("lichen", "shell")
    checker = Counted(checkers.of("lichen"), SandboxUnavailableError("no jail"))
    heard: list[str] = []

    async def ask() -> None:
        try:
            await standards.of(sample, checker)
        except Exception as error:
            heard.append(f"{type(error).__name__}: {error}")

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(ask)
    assert heard == ["SandboxUnavailableError: no jail"] * 3
    checker.says = None
    assert (await standards.of(sample, checker)).fault == ""


async def test_who_goes_away_takes_nothing_from_the_others(checkers: Checkers) -> None:
    standards, sample = Expectations(load_suite("pocket")), row("lichen", "shell")
    checker = Counted(checkers.of("lichen"))
    found: list[Any] = []

    async def ask() -> None:
        found.append(await standards.of(sample, checker))

    async with anyio.create_task_group() as group:
        group.start_soon(ask)
        with anyio.CancelScope() as scope:
            scope.cancel()
            await standards.of(sample, checker)
    assert [standard.fault for standard in found] == [""]
    assert checker.asked.count("reference") == 1


@pytest.mark.parametrize(
    ("says", "fault"),
    [
        (Check(CheckStatus.REJECTED, "usage", "no"), "the reference is rejected: usage: no"),
        (Check(CheckStatus.UNDECIDED, "cannot-follow", "what"), "the reference is undecided: cannot-follow: what"),
        (Check(CheckStatus.ACCEPTED), "the reference calls nothing of the repository"),
    ],
)
async def test_a_reference_that_is_not_accepted_sets_none(checkers: Checkers, says: Check, fault: str) -> None:
    standard = await Expectations(load_suite("pocket")).of(row("lichen", "shell"), Counted(checkers.of("lichen"), says))
    assert (standard.fault, standard.bindings) == (fault, ())


async def test_a_row_of_no_recipe_is_tied_by_its_own_arguments(checkers: Checkers) -> None:
    sample = row("lichen", "shell")
    made = replace(sample, output=f"{sample.output} # edited")
    standard = await Expectations(load_suite("pocket")).of(made, checkers.of("lichen"))
    assert (standard.fault, standard.harmful, dict(standard.equivalent)) == ("", frozenset(), {})
    assert {tie.argument for tie in standard.bindings} == set(sample.required())
