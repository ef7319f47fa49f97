"""Folders of the cache that are built once: by whoever comes first, whole or not at all."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from pathlib import Path

from mlbench.atomic_write import new_folder


def built(target: Path, make: Callable[[Path], None]) -> Path:
    """The folder, made if it is not there; others who want it wait.

    Args:
        make: fills the empty folder that it is given.
    """
    if target.is_dir():
        return target
    with (target.parent / f".{target.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if target.is_dir():
            return target
        with new_folder(target) as folder:
            make(folder)
    return target
