"""Remove what killed runs left: containers and networks in the engine, compose files in the cache.

Each of these names its owner, the process that created it. The next run removes those whose owner has ended.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import shutil
import socket
from pathlib import Path

from mlbench.repositories.cache import cache_folder
from mlbench.sandbox.docker.engine import docker

LABEL = "mlbench.owner"
_PROC = Path("/proc")


@functools.cache
def owner() -> str:
    """Return a name of this process that no other process on any machine has or had."""
    return "-".join((*_here(), str(os.getpid()), _start_of(os.getpid()) or "0"))


def is_gone(name: str) -> bool:
    """Return whether an `owner` has ended; False if that is not visible from here (another machine or container)."""
    fields = name.split("-")
    if len(fields) != 5 or not fields[3].isdecimal() or not (_PROC / "self").exists():
        return False
    machine, boot, namespace = _here()
    if fields[0] != machine:
        return False
    if fields[1] != boot:
        return True
    return fields[2] == namespace and _start_of(int(fields[3])) != fields[4]


@functools.cache
def folder() -> Path:
    """Return the folder of this process's compose files, which is removed with the process."""
    atexit.register(_remove, os.getpid(), own := cache_folder("docker", owner()))
    return own


def sweep() -> None:
    """Remove everything whose owner has ended.

    Raises:
        RunError: the engine failed; quotes its message.
    """
    wanted = ("--filter", f"label={LABEL}", "--format")
    containers = docker("list our containers", "ps", "--all", *wanted, f'{{{{.ID}}}} {{{{.Label "{LABEL}"}}}}')
    networks = docker("list our networks", "network", "ls", *wanted, f'{{{{.ID}}}} {{{{.Label "{LABEL}"}}}}')
    if ended := _of_the_gone(containers):
        docker("remove the containers of a run that was killed", "rm", "--force", "--volumes", *ended)
    if ended := _of_the_gone(networks):
        docker("remove the networks of a run that was killed", "network", "rm", "--force", *ended)
    for place in cache_folder("docker").iterdir():
        if is_gone(place.name):
            shutil.rmtree(place, ignore_errors=True)


def _of_the_gone(lines: str) -> list[str]:
    pairs = [line.split() for line in lines.splitlines()]
    return [pair[0] for pair in pairs if len(pair) == 2 and is_gone(pair[1])]


@functools.cache
def _here() -> tuple[str, str, str]:
    """Return the machine, its boot, and the namespace of its process ids."""
    machine = hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text()[:8]
        return machine, boot, str((_PROC / "self/ns/pid").stat().st_ino)
    except OSError:
        return machine, "0", "0"


def _start_of(pid: int) -> str | None:
    """Return the start time of a process in clock ticks since boot; None if there is no such process."""
    try:
        return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return None


def _remove(pid: int, place: Path) -> None:
    if os.getpid() == pid:  # not in a forked child
        shutil.rmtree(place, ignore_errors=True)
