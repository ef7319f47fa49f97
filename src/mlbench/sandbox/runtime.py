"""The sandboxes that candidates for some repositories run in on this machine, and how many run in parallel."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from inspect_ai.util import SandboxEnvironmentSpec

from mlbench.repositories.checkout import files_of
from mlbench.repositories.environments import console_scripts
from mlbench.sandbox.bubblewrap import BubblewrapConfig
from mlbench.sandbox.containers import SETUP, Container, image_for
from mlbench.sandbox.jail import WORKSPACE
from mlbench.sandbox.k8s import Pod, pod_image
from mlbench.sandbox.limits import Limits


@dataclass(frozen=True)
class SandboxSpec:
    """The sandbox of one repository's candidates, and what Inspect must put into it first.

    Attributes:
        sandbox: None if nothing is executed.
        files: by path in the sandbox, a file of this machine.
        setup: a script that Inspect runs once in the sandbox.
    """

    sandbox: SandboxEnvironmentSpec | None = None
    files: dict[str, str] = field(default_factory=dict)
    setup: str | None = None


@dataclass(frozen=True)
class RunSetup:
    """Where answers for one repository run, in a suite that has no environment of its own.

    Attributes:
        environment: the repository's Python environment.
        checkout: its files, with small data.
        home: files of the user's home; None if it is empty.
        shown: further read-only mounts as pairs of host path and path inside.
    """

    environment: Path
    checkout: Path
    home: Path | None = None
    shown: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Runtime:
    """What a run uses of this machine.

    Attributes:
        provider: where candidates run: `bubblewrap`, `docker`, `k8s` or `local`.
        checkouts: by repository, its checked-out folder.
        environment: the candidates' Python environment on this machine; None if there is none here.
        requirements: the lock file of that environment; None if nothing is executed.
        image: name of the container image that holds the environment.
        installed: by repository, the folder of its importable package; not all repositories have one.
        limits: bounds of one candidate.
        workers: parallel candidates.
        setups: by repository, where its answers run, if the suite has no environment of its own.
        gpus: whether candidates have this machine's NVIDIA GPUs.
    """

    provider: str
    checkouts: Mapping[str, Path]
    environment: Path | None
    requirements: Path | None
    image: str
    installed: Mapping[str, str]
    limits: Limits
    workers: int
    setups: Mapping[str, RunSetup] = field(default_factory=dict)
    gpus: bool = False

    def place(self, repository: str) -> SandboxSpec:
        """The sandbox in which candidates for this repository run."""
        if self.requirements is None and (repository not in self.setups or self.provider != "bubblewrap"):
            return SandboxSpec()
        if self.provider == "bubblewrap":
            return SandboxSpec(SandboxEnvironmentSpec("bubblewrap", self.jail(repository)))
        assert self.requirements is not None
        folder = self.checkouts[repository]
        tools = console_scripts(folder)
        if self.provider == "docker":
            image = image_for(self.image, self.requirements)
            container = Container(image, folder, self.limits, tools, env=self.python_path(repository), gpus=self.gpus)
            return SandboxSpec(container.spec(), {}, SETUP)
        spec = SandboxEnvironmentSpec("local")
        files = {file.relative_to(folder).as_posix(): str(file) for file in files_of(folder)}
        if self.provider == "k8s":
            pod = Pod(pod_image(), folder, self.limits, tools, self.python_path(repository))
            spec, files = pod.spec(), {**files, **pod.files()}
        programs = [name for name, file in files.items() if os.access(file, os.X_OK)]
        script = f"#!/bin/sh\nchmod +x {shlex.join(programs)}" if programs else None
        return SandboxSpec(spec, files, script)

    def jail(self, repository: str) -> BubblewrapConfig:
        """The jail in which candidates for this repository run."""
        tools = console_scripts(self.checkouts[repository])
        config = BubblewrapConfig(
            repository=str(self.checkouts[repository]),
            environment=str(self.environment),
            tools=str(tools) if tools else None,
            env=tuple(self.python_path(repository).items()),
            gpus=self.gpus,
            limits=self.limits,
        )
        setup = self.setups.get(repository)
        if setup is None:
            return config
        own = {
            "repository": str(setup.checkout),
            "environment": str(setup.environment),
            "home": str(setup.home) if setup.home else None,
            "shown": setup.shown,
            "env": (*config.env, ("PYTHONHASHSEED", "0")),
        }
        return config.model_copy(update=own)

    def outside_env(self, repository: str, folder: str) -> dict[str, str]:
        """Environment variables of a candidate that runs in `folder` without a jail; empty if a jail sets them."""
        if self.provider != "local":
            return {}
        tools = console_scripts(self.checkouts[repository])
        path = [f"{self.environment}/bin", *([str(tools)] if tools else []), os.environ.get("PATH", "")]
        own = {name: os.environ.get(name, "") for name in ("HOME", "TMPDIR") if name in os.environ}
        threads = {"LANG": "C.UTF-8", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # as a jail has them
        return {"PATH": ":".join(path), **own, **threads, **self.python_path(repository, folder)}

    def python_path(self, repository: str, folder: str = WORKSPACE) -> dict[str, str]:
        """The variable that makes the repository's package importable, if the repository has one.

        Args:
            repository: its name.
            folder: where the repository's files are.
        """
        installed = self.installed.get(repository)
        return {"PYTHONPATH": os.path.normpath(f"{folder}/{installed}")} if installed else {}
