"""Containers for the provider `docker`: which image, and a compose file for each repository."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from inspect_ai.util import SandboxEnvironmentSpec

from mlbench.repositories.cache import cache_folder
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.view import ENVIRONMENT, TOOLS, WORKSPACE

BASE_IMAGE = "python:3.12-slim-bookworm"
SETUP = f"#!/bin/sh\ncp -a /repository/. {WORKSPACE}/"
"""What Inspect runs in a container before a sample: each has a copy of the repository of its own."""

_DOCKERFILE = Path(__file__).parent / "docker" / "Dockerfile"


@dataclass(frozen=True)
class Image:
    """An image that is there, or how ours is built: the locked requirements of its environment, on which base."""

    name: str
    requirements: Path | None = None
    base: str = BASE_IMAGE

    def fields(self, context: Path) -> dict[str, Any]:
        """What a compose file says of it."""
        if self.requirements is None:
            return {"image": self.name, "x-local": True}
        shutil.copyfile(_DOCKERFILE, context / "Dockerfile")
        shutil.copyfile(self.requirements, context / "requirements.txt")
        return {"build": {"context": str(context), "args": {"BASE": self.base}}, "image": self.name}


def image_for(name: str, requirements: Path) -> Image:
    """The image of this name with an environment of these requirements.

    `MLBENCH_DOCKER_IMAGE` names one that is there already; else ours is built, on `MLBENCH_DOCKER_BASE`.
    """
    if ready := os.environ.get("MLBENCH_DOCKER_IMAGE"):
        return Image(ready)
    return Image(name, requirements, os.environ.get("MLBENCH_DOCKER_BASE", BASE_IMAGE))


@dataclass(frozen=True)
class Container:
    """A container for one repository.

    shown: paths of the host with their places inside, read-only. online: it has docker's network; else it has none.
    """

    image: Image
    repository: Path
    limits: Limits
    tools: Path | None = None
    shown: Sequence[tuple[str, str]] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    online: bool = False

    def spec(self, *names: str) -> SandboxEnvironmentSpec:
        """For Inspect: its compose file, kept in the cache below a folder of these names."""
        folder = cache_folder("docker", *names)
        service = {
            **self.image.fields(folder),
            "command": "tail -f /dev/null",
            "volumes": [
                f"{self.repository}:/repository:ro",
                *([f"{self.tools}:{TOOLS}:ro"] if self.tools else []),
                *(f"{path}:{place}:ro" for path, place in self.shown),
            ],
            "init": True,
            **({} if self.online else {"network_mode": "none"}),
            "working_dir": WORKSPACE,
            "environment": {
                "PATH": f"{ENVIRONMENT}/bin:{TOOLS}:/usr/local/bin:/usr/bin:/bin",
                "OMP_NUM_THREADS": "1",
                "PYTHONUNBUFFERED": "1",
                **self.env,
            },
            "mem_limit": self.limits.memory,
            "pids_limit": self.limits.processes,
            "cap_drop": ["ALL"],
            "security_opt": ["no-new-privileges"],
        }
        text = yaml.safe_dump({"services": {"default": service}})
        file = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.compose.yaml"
        if not file.is_file():
            scratch = file.with_suffix(f".{os.getpid()}")
            scratch.write_text(text)
            scratch.rename(file)
        return SandboxEnvironmentSpec("docker", str(file))
