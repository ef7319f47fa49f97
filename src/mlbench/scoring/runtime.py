"""Prepares this machine to judge the answers to a suite: checkouts, environment, limits and workers."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mlbench.records import UsageError
from mlbench.repositories.checkout import checkout
from mlbench.repositories.environments import environment as environment_of
from mlbench.run_config import known_sandbox
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.runtime import Runtime
from mlbench.suites.suite import Suite, load_suite


@dataclass(frozen=True, kw_only=True)
class SuiteRuntime(Runtime):
    """A runtime for the repositories of one suite."""

    suite: Suite

    @classmethod
    def of(
        cls,
        suite: Suite,
        provider: str,
        checkouts: Mapping[str, Path],
        environment: Path | None,
        limits: Limits,
        workers: int,
    ) -> SuiteRuntime:
        """The runtime of a suite; the other arguments are those of `Runtime`."""
        return cls(
            suite=suite,
            provider=provider,
            checkouts=checkouts,
            environment=environment,
            requirements=suite.requirements if suite.executable else None,
            image=f"mlbench-{suite.name}:{suite.version}",
            installed={each.name: each.installed for each in suite.repositories if each.installed},
            limits=limits,
            workers=workers,
        )


@cache
def machine(sandbox: str, suite: str, limits: Limits, workers: int | None) -> SuiteRuntime:
    """Prepare this machine for a suite. Checkouts and environment are made once and kept in the cache.

    Args:
        sandbox: where candidates run: `bubblewrap`, `docker` or `local`.
        suite: the suite's name or folder.
        limits: bounds of one candidate.
        workers: parallel candidates; None for the number of CPUs.

    Raises:
        UsageError: an unknown sandbox or suite, or its repositories are not fetched yet.
        RunError: a checkout or the environment cannot be made.
    """
    known_sandbox(sandbox)
    if workers is not None and workers < 1:
        raise UsageError(f"--workers {workers}: at least 1 is needed")
    if sandbox == "local":
        print("mlbench: warning: candidates run on this machine itself; nothing contains them", file=sys.stderr)
    loaded = load_suite(suite)
    loaded.refuse_absent()
    return SuiteRuntime.of(
        loaded,
        sandbox,
        checkouts={
            r.name: loaded.folder(r.name) if r.catalogue else checkout(loaded.folder(r.name))
            for r in loaded.repositories
        },
        environment=environment_of(loaded.requirements) if loaded.executable and sandbox != "docker" else None,
        limits=limits,
        workers=workers or len(os.sched_getaffinity(0)),
    )
