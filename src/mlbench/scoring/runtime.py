"""Prepares this machine to judge the answers to a suite: checkouts, environment, limits and workers."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mlbench.records import Policy, UsageError
from mlbench.repositories.checkout import checkout
from mlbench.repositories.environments import environment as environment_of
from mlbench.repositories.repo_environments import is_installed, repo_environment_folder
from mlbench.run_config import known_sandbox
from mlbench.sandbox.gpus import devices
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.runtime import RunSetup, Runtime, SandboxSpec
from mlbench.scoring.repo_data import run_setup
from mlbench.suites.suite import Suite, load_suite

REAL_SECONDS = 300.0
"""Default time limit of an answer to a row of a real repository: to import its libraries alone takes seconds."""


@dataclass(frozen=True, kw_only=True)
class SuiteRuntime(Runtime):
    """A runtime for the repositories of one suite.

    Attributes:
        execute: whether answers may run here; if not, `interface` alone judges them.
    """

    suite: Suite
    execute: bool = True
    policy: Policy | None = None

    @classmethod
    def of(
        cls,
        suite: Suite,
        provider: str,
        checkouts: Mapping[str, Path],
        environment: Path | None,
        limits: Limits,
        workers: int,
        setups: Mapping[str, RunSetup] | None = None,
        gpus: bool = False,
        execute: bool = True,
        policy: Policy | None = None,
    ) -> SuiteRuntime:
        """The runtime of a suite; the other arguments are those of `Runtime`."""
        return cls(
            suite=suite,
            execute=execute,
            policy=policy,
            provider=provider,
            setups=setups or {},
            gpus=gpus,
            checkouts=checkouts,
            environment=environment,
            requirements=suite.requirements if suite.executable else None,
            image=f"mlbench-{suite.name}:{suite.version}",
            installed={each.name: each.installed for each in suite.repositories if each.installed},
            limits=limits,
            workers=workers,
        )

    @property
    def policies(self) -> list[Policy]:
        """The policies that judge every answer, the headline first."""
        if not self.execute:
            return [Policy.INTERFACE]
        if self.suite.executable:
            return list(Policy)
        if not self.setups:
            return [Policy.INTERFACE]
        return [Policy.PAPER if self.policy == Policy.PAPER else Policy.STRICT, Policy.INTERFACE]

    def executes(self, row: int) -> bool:
        """Whether answers to the row with this `id` are run here."""
        if not self.execute:
            return False
        if self.suite.executable:
            return True
        listed = self.suite.row(row)
        if self.suite.repository_of(listed.github_id).name not in self.setups:
            return False
        origin = listed.origin
        if origin is None:
            return self.policy == Policy.PAPER  # a published row; its reference is run first
        return origin.recipe.runs_on_cpu(origin.combination)

    def place(self, repository: str) -> SandboxSpec:
        """The sandbox in which candidates for this repository run; none if nothing is executed."""
        return super().place(repository) if self.execute else SandboxSpec()


@cache
def machine(
    sandbox: str,
    suite: str,
    limits: Limits,
    workers: int | None,
    policy: Policy | None = None,
    gpus: bool = False,
    execute: bool = True,
    repositories: tuple[str, ...] = (),
) -> SuiteRuntime:
    """Prepare this machine for a suite. Checkouts and environment are made once and kept in the cache.

    Args:
        sandbox: where candidates run: `bubblewrap`, `docker`, `k8s` or `local`.
        suite: the suite's name or folder.
        limits: bounds of one candidate.
        workers: parallel candidates; None for the number of CPUs.
        policy: `strict` and `paper` run those rows of a suite without an environment whose repositories have one here.
        gpus: let candidates use this machine's NVIDIA GPUs.
        execute: False judges by `interface` alone and runs nothing.
        repositories: those whose rows are answered; none for all.

    Raises:
        UsageError: an unknown sandbox or suite, or its repositories are not fetched yet.
        RunError: a checkout or the environment cannot be made.
    """
    known_sandbox(sandbox)
    if workers is not None and workers < 1:
        raise UsageError(f"--workers {workers}: at least 1 is needed")
    if sandbox == "local":
        print("mlbench: warning: candidates run on this machine itself; nothing contains them", file=sys.stderr)
    if gpus and sandbox == "bubblewrap" and not devices():
        raise UsageError("--gpus: this machine has no device /dev/nvidia*; leave the option out")
    loaded = load_suite(suite)
    in_image = sandbox in ("docker", "k8s")
    checkouts = checkouts_of(loaded, repositories)
    runs = execute and policy in (Policy.STRICT, Policy.PAPER) and not loaded.executable
    setups = _setups(loaded, sandbox, Policy(policy), checkouts) if runs and policy else {}
    if setups and limits.seconds == Limits().seconds:
        limits = limits.model_copy(update={"seconds": REAL_SECONDS})
    return SuiteRuntime.of(
        loaded,
        sandbox,
        checkouts=checkouts,
        environment=environment_of(loaded.requirements) if loaded.executable and not in_image else None,
        limits=limits,
        workers=workers or len(os.sched_getaffinity(0)),
        setups=setups,
        gpus=gpus,
        execute=execute,
        policy=policy,
    )


def checkouts_of(suite: Suite, repositories: Collection[str] = ()) -> dict[str, Path]:
    """The folders of a suite's repositories, by name; those of the suite's own folder are copied once.

    Args:
        suite: the suite.
        repositories: the names of those that are needed; none for all.

    Raises:
        UsageError: a repository is not fetched yet.
        RunError: a copy cannot be made.
    """
    suite.refuse_absent(repositories)
    needed = [each for each in suite.repositories if not repositories or each.name in repositories]
    folders = {each: suite.folder(each.name) for each in needed}
    return {each.name: folder if each.catalogue else checkout(folder) for each, folder in folders.items()}


def _setups(suite: Suite, sandbox: str, policy: Policy, needed: Container[str]) -> dict[str, RunSetup]:
    """Where answers run, by repository: those with recipes that run, whose environment is installed.

    Under `paper` also those without recipes, which have published rows.

    Args:
        suite: the suite.
        sandbox: where candidates run.
        policy: `strict` or `paper`.
        needed: the names of the repositories whose rows are answered.

    Raises:
        UsageError: there is none.
        RunError: a repository's data cannot be made.
    """
    if sandbox != "bubblewrap":
        raise UsageError(f"--policy {policy} runs the rows of {suite.name} only in --sandbox bubblewrap")
    able = []
    for repository in (each for each in suite.repositories if each.name in needed):
        recipes = suite.recipes(repository.name)
        if repository.catalogue and (any(recipe.runs for recipe in recipes) or (policy == "paper" and not recipes)):
            able.append(repository.name)
    locks = {name: lock for name in able if (lock := suite.cpu_lock(name))}
    setups = {}
    for name, lock in locks.items():
        if is_installed(lock):
            script = suite.root / "recipes" / name / "make_data.py"
            setups[name] = run_setup(suite.folder(name), repo_environment_folder(lock), script)
    if not setups:
        own = f"--suite {shlex.quote(str(suite.root))} " if (suite.root / "catalogue").is_dir() else ""
        known = f"`mlbench repos install {own}--cpu {' '.join(locks)}`" if locks else "no repository of it has one"
        raise UsageError(f"--policy {policy}: no environment for the rows of {suite.name} is installed: {known}")
    return setups
