"""Folders of the cache that are built once: by whoever comes first, whole or not at all."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import uv

from mlbench.types import RunError


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
        scratch = Path(tempfile.mkdtemp(dir=target.parent, prefix=".new-"))
        try:
            make(scratch)
            scratch.chmod(0o755)
            os.rename(scratch, target)
        except BaseException:
            shutil.rmtree(scratch, ignore_errors=True)
            raise
    return target


def run_uv(what: str, *arguments: str) -> None:
    """Run uv.

    Args:
        what: what is built, for the message.

    Raises:
        RunError: it failed; says what uv said.
    """
    done = subprocess.run([uv.find_uv_bin(), *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = [line for line in done.stderr.strip().splitlines() if line.strip()][-3:]
        raise RunError(f"cannot build {what}: uv {arguments[0]}: {' '.join(last) or 'no word'}")
