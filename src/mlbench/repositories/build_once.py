"""Build a folder of the cache once, even if several processes want it at the same time."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from pathlib import Path

from mlbench.atomic_write import new_folder


def built(target: Path, make: Callable[[Path], None]) -> Path:
    """Return a folder; build it if it does not exist, while other processes wait.

    Args:
        target: the folder.
        make: function that fills an empty folder.
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
