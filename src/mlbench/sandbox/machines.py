"""What this machine gives a run: checkouts, the candidates' environment, a sandbox per repository, workers."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.util import SandboxEnvironmentSpec

from mlbench.repositories.checkout import checkout
from mlbench.repositories.environments import console_scripts, environment
from mlbench.samples.suites import Suite, load_suite
from mlbench.sandbox.bubblewrap import BubblewrapConfig
from mlbench.sandbox.jail import WORKSPACE
from mlbench.sandbox.limits import Limits
from mlbench.types import UsageError

SANDBOXES = ("bubblewrap", "docker", "local")


@dataclass(frozen=True)
class Machine:
    """Everything that a run needs of this machine."""

    suite: Suite
    provider: str
    checkouts: dict[str, Path]
    environment: Path | None
    limits: Limits
    workers: int

    def sandbox(self, repository: str) -> SandboxEnvironmentSpec:
        """The sandbox in which a candidate for this repository runs."""
        folder = self.checkouts[repository]
        installed = self.suite.repository(repository).installed
        tools = console_scripts(folder)
        config = BubblewrapConfig(
            repository=str(folder),
            environment=str(self.environment),
            tools=str(tools) if tools else None,
            env=(("PYTHONPATH", os.path.normpath(f"{WORKSPACE}/{installed}")),) if installed else (),
            limits=self.limits,
        )
        return SandboxEnvironmentSpec("bubblewrap", config)


def machine(sandbox: str, suite: str, seconds: float, workers: int | None) -> Machine:
    """Prepare this machine for a suite: checkouts and environment are made once and kept in the cache.

    Raises:
        UsageError: an unknown sandbox or suite.
        RunError: a checkout or the environment cannot be made.
    """
    if sandbox not in SANDBOXES:
        raise UsageError(f"no sandbox {sandbox!r}; there are: {', '.join(SANDBOXES)}")
    loaded = load_suite(suite)
    return Machine(
        suite=loaded,
        provider=sandbox,
        checkouts={r.name: checkout(loaded.folder(r.name)) for r in loaded.repositories},
        environment=environment(loaded.requirements) if sandbox != "docker" else None,
        limits=Limits(seconds=seconds),
        workers=workers or len(os.sched_getaffinity(0)),
    )
