"""Copies of a suite's repositories in the cache, away from the answers that lie beside the originals."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from mlbench.atomic_write import new_folder
from mlbench.records import RunError
from mlbench.repositories.cache import cache_folder

_NOT_PART = {"__pycache__", ".git"}


def tree_hash(folder: Path) -> str:
    """Return the SHA-256 of every file's path, executable bit and content, in a fixed order."""
    digest = hashlib.sha256()
    for file in files_of(folder):
        executable = b"x" if file.stat().st_mode & 0o100 else b"-"
        data = file.read_bytes()
        digest.update(b"%s\0%s\0%d\0" % (os.fsencode(file.relative_to(folder)), executable, len(data)))
        digest.update(data)
    return digest.hexdigest()


def checkout(source: Path) -> Path:
    """Return a verified copy of a repository in the cache; its folder is named after its hash.

    Raises:
        RunError: the cache cannot be written.
    """
    pinned = tree_hash(source)
    target = cache_folder("checkouts") / f"{source.name}-{pinned[:16]}"
    if target.is_dir():
        if tree_hash(target) == pinned:
            return target
        shutil.rmtree(target)  # damaged: copy it again
    try:
        with new_folder(target) as folder:
            for file in files_of(source):
                copy = folder / file.relative_to(source)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, copy)
                copy.chmod(0o755 if file.stat().st_mode & 0o100 else 0o644)
    except OSError as error:
        raise RunError(
            f"cannot write the checkout {target}: {error.strerror}; MLBENCH_CACHE moves the cache"
        ) from error
    return target


def files_of(folder: Path) -> list[Path]:
    """Return the files of a repository in a fixed order, without links and Python's caches."""
    found = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sorted(file for file in found if not _NOT_PART & set(file.relative_to(folder).parts))


def link_or_copy(source: str, target: str) -> str:
    """Make a file a hard link to another one, or a copy if they are on different file systems; return its path."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
    return target
