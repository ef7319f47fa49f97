"""Images of sandboxes: built from the Dockerfile in this folder, or named by the user."""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from mlbench.records import RunError, UsageError
from mlbench.sandbox.docker.cleanup import sweep
from mlbench.sandbox.docker.engine import DockerError, answering, docker

BASE_IMAGE = f"python:{sys.version_info.major}.{sys.version_info.minor}-bookworm"
"""Default base image. It has the judge's Python, and git and ps for agents, so no network is needed to build on it."""

_HERE = Path(__file__).parent
_CONTENT = "mlbench.content"
_BUILD_SECONDS = 3600.0
_PROGRAMS = "bash find git gzip ps tar timeout"
_LOOK = """
[ "$(id -u)" != 0 ] || echo "its user is root"
[ -x /opt/env/bin/python ] || echo "it has no /opt/env/bin/python"
for place in $1; do [ -w "$place" ] || echo "its user cannot write $place"; done
for program in $2; do command -v "$program" >/dev/null || echo "it has no $program"; done
"""


@dataclass(frozen=True)
class DockerImage:
    """An image, and how it is built.

    Attributes:
        requirements: locked requirements of its environment; None for an image that the user named.
        installable: whether commands may install packages, and find the programs that agents expect.
    """

    name: str
    requirements: Path | None = None
    base: str = BASE_IMAGE
    installable: bool = False

    def content(self) -> str:
        """Return a digest of everything that the image is built from."""
        assert self.requirements is not None
        parts = (_HERE / "Dockerfile").read_bytes(), self.requirements.read_bytes(), *map(str.encode, self._arguments())
        return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]

    def _arguments(self) -> tuple[str, ...]:
        return (
            f"BASE={self.base}",
            f"OWNER={'user' if self.installable else 'root'}",
            f"PROGRAMS={_PROGRAMS if self.installable else ''}",
        )

    def build(self) -> None:
        """Build the image; an image for agents is built without a network.

        Raises:
            RunError: the build failed; quotes Docker's message.
        """
        assert self.requirements is not None
        with tempfile.TemporaryDirectory() as context:
            shutil.copyfile(_HERE / "Dockerfile", Path(context, "Dockerfile"))
            shutil.copyfile(self.requirements, Path(context, "requirements.txt"))
            options = ["--quiet", "--force-rm", "--tag", self.name, "--label", f"{_CONTENT}={self.content()}"]
            options += [word for argument in self._arguments() for word in ("--build-arg", argument)]
            options += ["--network", "none"] if self.installable else []
            what = f"build the image {self.name} on {self.base}"
            try:
                docker(what, "build", *options, context, seconds=_BUILD_SECONDS)
            except DockerError as error:
                mend = "MLBENCH_DOCKER_BASE=IMAGE takes another base, MLBENCH_DOCKER_IMAGE=IMAGE one that is ready"
                raise RunError(f"{error}; {mend}") from error


def image_for(name: str, requirements: Path, *, installable: bool = False) -> DockerImage:
    """Return an image with an environment of these requirements.

    `MLBENCH_DOCKER_IMAGE` names an existing image. Otherwise one is built on `MLBENCH_DOCKER_BASE`.

    Args:
        name: name of the image that is built.
        requirements: locked requirements of the environment.
        installable: see `DockerImage`.
    """
    if ready := os.environ.get("MLBENCH_DOCKER_IMAGE"):
        return DockerImage(ready, installable=installable)
    return DockerImage(name, requirements, os.environ.get("MLBENCH_DOCKER_BASE") or BASE_IMAGE, installable)


@functools.cache
def prepare(image: DockerImage) -> None:
    """Check the engine, clean up after killed runs, and build the image if needed.

    Raises:
        UsageError: Docker or Compose is not installed, or the user's image is absent or unsuitable.
        RunError: the engine does not answer, or the image cannot be built.
    """
    answering()
    sweep()
    if image.requirements is None:
        _fit(image)
    elif _content_of(image.name) != image.content():
        image.build()


def _content_of(name: str) -> str:
    """Return the `content` label of an image; empty if there is no such image."""
    form = f'{{{{index .Config.Labels "{_CONTENT}"}}}}'
    try:
        return docker(f"look for the image {name}", "image", "inspect", "--format", form, name)
    except DockerError:
        return ""


def _fit(image: DockerImage) -> None:
    """Check that the user's image exists and has the folders and programs that are needed."""
    name = f"the image {image.name} (MLBENCH_DOCKER_IMAGE)"
    try:
        docker("look for it", "image", "inspect", image.name)
    except DockerError as error:
        mend = f"type `docker pull {image.name}`, or unset the variable to have an image built"
        raise UsageError(f"{name} does not exist: {mend}") from error
    places = "/workspace /home/user /opt/env" if image.installable else "/workspace"
    shut = ("run", "--rm", "--network", "none", "--entrypoint", "/bin/sh", image.name, "-c", _LOOK, "look")
    said = docker(f"look into {name}", *shut, places, _PROGRAMS if image.installable else "")
    if said:
        mend = "unset the variable to have an image built"
        raise UsageError(f"{name} cannot be used as a sandbox: {', '.join(said.splitlines())}; {mend}")
