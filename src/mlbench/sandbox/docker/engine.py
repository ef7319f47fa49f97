"""Docker's command line: whether an engine answers it, and what it says. All before a run starts, not in its middle."""

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
    """Docker did not do what it was told: what that was, and docker's last words, in one line."""


def docker(what: str, *arguments: str, seconds: float = _SECONDS) -> str:
    """What a command of docker's prints.

    Args:
        what: what it is to do, for the message.

    Raises:
        UsageError: docker is not installed.
        DockerError: it failed, or took longer than `seconds`.
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
    """The last lines that say something, as one line of bounded length."""
    said = [" ".join(_COLOUR.sub("", line).split()) for line in text.splitlines()]
    said = [line for line in said if line and not line.startswith("The command '/bin/sh -c ")]  # the whole of a step
    return " ".join(said[-lines:])[-400:]


@functools.cache
def answering() -> None:
    """Docker is installed, has Compose, and its engine answers.

    Raises:
        UsageError: something is not installed, or not for this user.
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
    """Without the question at the end of docker's words for an engine that is down."""
    return said.partition(" Is the docker daemon running")[0].rstrip(".")
