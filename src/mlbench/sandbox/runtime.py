"""What this machine gives a run: checkouts, the candidates' environment, a sandbox per repository, workers."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from inspect_ai.util import SandboxEnvironmentSpec

from mlbench.records import UsageError
from mlbench.repositories.checkout import checkout, files_of
from mlbench.repositories.environments import console_scripts, environment
from mlbench.run_config import known_sandbox
from mlbench.sandbox.bubblewrap import BubblewrapConfig
from mlbench.sandbox.containers import SETUP, Container, image_for
from mlbench.sandbox.jail import WORKSPACE
from mlbench.sandbox.limits import Limits
from mlbench.suites.suite import Suite, load_suite


@dataclass(frozen=True)
class SandboxSpec:
    """Where one repository's candidates run: the sandbox, and what must be put into it first (none for bubblewrap).

    sandbox: None where nothing is executed. files: path in the sandbox -> file of this machine. setup: a script that
    Inspect runs in it, once.
    """

    sandbox: SandboxEnvironmentSpec | None = None
    files: dict[str, str] = field(default_factory=dict)
    setup: str | None = None


@dataclass(frozen=True)
class Runtime:
    """Everything that a run needs of this machine."""

    suite: Suite
    provider: str
    checkouts: dict[str, Path]
    environment: Path | None
    limits: Limits
    workers: int

    def place(self, repository: str) -> SandboxSpec:
        """Where candidates for this repository run."""
        if self.provider == "bubblewrap":
            return SandboxSpec(SandboxEnvironmentSpec("bubblewrap", self.jail(repository)))
        folder = self.checkouts[repository]
        tools = console_scripts(folder)
        if self.provider == "docker":
            image = image_for(f"mlbench-{self.suite.name}:{self.suite.version}", self.suite.requirements)
            container = Container(image, folder, self.limits, tools, env=self.python_path(repository))
            return SandboxSpec(container.spec(), {}, SETUP)
        files = {file.relative_to(folder).as_posix(): str(file) for file in files_of(folder)}
        programs = [name for name, file in files.items() if os.access(file, os.X_OK)]
        script = f"#!/bin/sh\nchmod +x {shlex.join(programs)}" if programs else None
        return SandboxSpec(SandboxEnvironmentSpec("local"), files, script)

    def jail(self, repository: str) -> BubblewrapConfig:
        """The jail in which candidates for this repository run."""
        tools = console_scripts(self.checkouts[repository])
        return BubblewrapConfig(
            repository=str(self.checkouts[repository]),
            environment=str(self.environment),
            tools=str(tools) if tools else None,
            env=tuple(self.python_path(repository).items()),
            limits=self.limits,
        )

    def outside_env(self, repository: str, folder: str) -> dict[str, str]:
        """Variables for a candidate that runs where no jail sets them: `local`, in `folder`."""
        if self.provider != "local":
            return {}
        tools = console_scripts(self.checkouts[repository])
        path = [f"{self.environment}/bin", *([str(tools)] if tools else []), os.environ.get("PATH", "")]
        own = {name: os.environ.get(name, "") for name in ("HOME", "TMPDIR") if name in os.environ}
        threads = {"LANG": "C.UTF-8", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # as a jail has them
        return {"PATH": ":".join(path), **own, **threads, **self.python_path(repository, folder)}

    def python_path(self, repository: str, folder: str = WORKSPACE) -> dict[str, str]:
        """The variable that makes the repository's modules importable where its suite says that it is installed."""
        installed = self.suite.repository(repository).installed
        return {"PYTHONPATH": os.path.normpath(f"{folder}/{installed}")} if installed else {}


@cache
def machine(sandbox: str, suite: str, limits: Limits, workers: int | None) -> Runtime:
    """Prepare this machine for a suite: checkouts and environment are made once and kept in the cache.

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
    return Runtime(
        suite=loaded,
        provider=sandbox,
        checkouts={
            r.name: loaded.folder(r.name) if r.catalogue else checkout(loaded.folder(r.name))
            for r in loaded.repositories
        },
        environment=environment(loaded.requirements) if loaded.executable and sandbox != "docker" else None,
        limits=limits,
        workers=workers or len(os.sched_getaffinity(0)),
    )
