"""Containers for the provider `docker`: one compose file per repository, which Inspect starts."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from inspect_ai.util import SandboxEnvironmentSpec

from mlbench.atomic_write import write_file
from mlbench.sandbox.docker import cleanup
from mlbench.sandbox.docker.engine import DockerError, docker
from mlbench.sandbox.docker.images import DockerImage, image_for, prepare
from mlbench.sandbox.gpus import container_devices
from mlbench.sandbox.limits import Limits
from mlbench.sandbox.mounts import ENVIRONMENT, TOOLS, WORKSPACE, Mounts, environment

__all__ = ["SETUP", "Container", "image_for"]

SETUP = f"#!/bin/sh\ncp -a /repository/. {WORKSPACE}/"
"""Script that Inspect runs in a container before a sample: it copies the repository into the workspace."""


@dataclass(frozen=True)
class Container:
    """A container for one repository.

    Attributes:
        tools: host folder of console scripts.
        shown: read-only mounts as pairs of host path and path inside.
        online: whether it has Docker's network; else it has none.
        gpus: whether it has this machine's NVIDIA GPUs.
    """

    image: DockerImage
    repository: Path
    limits: Limits
    tools: Path | None = None
    shown: Sequence[tuple[str, str]] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    online: bool = False
    gpus: bool = False

    def spec(self) -> SandboxEnvironmentSpec:
        """Write the compose file for Inspect, and build the image if needed. The file is removed with this process.

        Raises:
            UsageError, RunError: see `prepare`.
        """
        prepare(self.image)
        labels = {cleanup.LABEL: cleanup.owner()}
        networks = {"networks": {"default": {"labels": labels}}} if self.online else {}
        compose = {"services": {"default": {**self._service(), "labels": labels}}, **networks}
        text = yaml.safe_dump(compose).replace("$", "$$")  # Compose would expand variables
        file = cleanup.folder() / f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.compose.yaml"
        if not file.is_file():
            write_file(file, text)
        return SandboxEnvironmentSpec("docker", str(file))

    def _service(self) -> dict[str, Any]:
        limits = self.limits
        shown = [(str(self.repository), "/repository"), *self.shown]
        shown += [(str(self.tools), TOOLS)] if self.tools else []
        return {
            "image": self.image.name,
            "x-local": True,  # Inspect must neither pull nor build it
            "command": "tail -f /dev/null",
            "init": True,
            "stop_grace_period": "1s",
            "working_dir": WORKSPACE,
            "environment": environment(Mounts(self.repository, Path(ENVIRONMENT), self.tools), self.env),
            "volumes": [_shown(source, place) for source, place in shown],
            **({} if self.online else {"network_mode": "none"}),
            "mem_limit": limits.memory,
            "memswap_limit": limits.memory,
            "pids_limit": limits.processes,
            "ulimits": {"fsize": limits.written, "nofile": limits.open_files, "core": 0},
            **self._disk(),
            **(container_devices() if self.gpus else {}),
            "cap_drop": ["ALL"],
            "security_opt": ["no-new-privileges"],
        }

    def _disk(self) -> dict[str, Any]:
        """Return the disk limit, without the copy of the repository, if the engine supports one."""
        if not _bounds_disk(self.image.name):
            return {}
        copied = sum(file.lstat().st_size for file in self.repository.rglob("*"))
        return {"storage_opt": {"size": str(self.limits.written + copied)}}


def _shown(source: str, place: str) -> dict[str, Any]:
    return {"type": "bind", "source": source, "target": place, "read_only": True, "bind": {"create_host_path": False}}


@functools.cache
def _bounds_disk(image: str) -> bool:
    """Try whether the engine can limit what one container writes; few can (overlay2 on XFS)."""
    try:
        label = f"{cleanup.LABEL}={cleanup.owner()}"
        made = docker("bound a container's disk", "create", "--label", label, "--storage-opt", "size=1G", image)
    except DockerError:
        return False
    docker("remove a container", "rm", made)
    return True
