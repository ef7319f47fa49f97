"""Run Docker's command line, and check before a run that its engine answers."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess

from mlbench.records import RunError, UsageError

WAY_OUT = "or use --sandbox bubblewrap"
_SECONDS = 60.0
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class DockerError(RunError):
    """A Docker command failed. The message is one line: what was tried, and Docker's own message."""


def docker(what: str, *arguments: str, seconds: float = _SECONDS) -> str:
    """Run a Docker command and return what it prints.

    Args:
        what: purpose of the command, for the error message.
        arguments: words of the command after `docker`.
        seconds: time-out.

    Raises:
        UsageError: Docker is not installed.
        DockerError: the command failed or timed out.
    """
    program = shutil.which("docker")
    if program is None:
        raise UsageError(f"docker is not installed: see https://docs.docker.com/engine/install/, {WAY_OUT}")
    try:
        done = subprocess.run(
            [program, *arguments], capture_output=True, text=True, errors="replace", check=False, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        raise DockerError(f"cannot {what}: docker did not answer within {seconds:.0f} s") from None
    if done.returncode:
        raise DockerError(f"cannot {what}: {last_words(done.stderr) or f'docker ended with {done.returncode}'}")
    return done.stdout.strip()


def last_words(text: str, lines: int = 2) -> str:
    """Return the last non-empty lines of an output as one line of limited length."""
    said = [" ".join(_COLOUR.sub("", line).split()) for line in text.splitlines()]
    said = [line for line in said if line and not line.startswith("The command '/bin/sh -c ")]  # repeats a build step
    return " ".join(said[-lines:])[-400:]


@functools.cache
def answering() -> None:
    """Check that Docker and Compose are installed and that the engine answers.

    Raises:
        UsageError: something is not installed, or this user may not use it.
        RunError: the engine does not answer.
    """
    try:
        docker("ask the docker engine for its version", "version", "--format", "{{.Server.Version}}", seconds=30)
    except DockerError as error:
        if "permission denied" in str(error).lower():
            mend = "type `sudo usermod -aG docker $USER` and log in again"
            raise UsageError(f"this user may not talk to the docker engine: {mend}, {WAY_OUT}") from error
        mend = "start it, as with `sudo systemctl start docker`"
        raise RunError(f"{_short(str(error))}: {mend}, {WAY_OUT}") from error
    try:
        docker("ask for docker's Compose", "compose", "version", "--short")
    except DockerError as error:
        mend = "type `sudo apt-get install docker-compose-plugin` (Debian's own: docker-compose)"
        raise UsageError(f"docker has no Compose: {mend}, {WAY_OUT}") from error


def _short(said: str) -> str:
    """Remove the question that Docker appends if its engine is down."""
    return said.partition(" Is the docker daemon running")[0].rstrip(".")
