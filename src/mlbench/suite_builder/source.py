"""Gets the repository of a suite: pinned from an address, or copied from a folder."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from mlbench.records import RunError, UsageError
from mlbench.repositories.catalogue import Pinned, write_entry
from mlbench.repositories.checkout import files_of
from mlbench.repositories.fetch import fetch
from mlbench.repositories.pinning import is_url, pin
from mlbench.suite_builder.output_dir import claim, release

LARGEST = 2_000_000_000
"""The largest folder in bytes that is copied into a suite."""


@dataclass(frozen=True)
class RepositorySource:
    """A repository to build a suite from; `entry` pins it, and is None for a copy in the suite."""

    name: str
    folder: Path
    entry: Pinned | None = None


def obtain(source: str, suite: Path, revision: str = "HEAD", mirror: Path | None = None) -> RepositorySource:
    """Fetch and pin the repository at an address, or copy a folder into the suite.

    Args:
        source: an address or a folder.
        suite: the suite's folder; if this fails, nothing is left there.
        revision: commit, branch or tag of an address.
        mirror: a folder of mirrors to fetch from.

    Raises:
        UsageError: no such folder, not an address, or the suite's folder cannot be claimed (`claim`).
        RunError: it cannot be fetched or copied.
    """
    claim(suite)
    try:
        return _obtained(source, suite, revision, mirror)
    except (UsageError, RunError):
        release(suite)
        raise


def pin_file(suite: Path, name: str) -> Path:
    """The catalogue file of a suite that pins a repository."""
    return suite / "catalogue" / f"{name}.yaml"


def _obtained(source: str, suite: Path, revision: str, mirror: Path | None) -> RepositorySource:
    try:
        if is_url(source):
            entry = pin(source, revision, mirror)
            folder = fetch(entry, mirror).folder
            write_entry(entry, pin_file(suite, entry.name))
            return RepositorySource(entry.name, folder, entry)
        return _copied(Path(source), suite)
    except OSError as error:
        raise RunError(f"{source}: {error.filename or 'it'} cannot be copied or written: {error.strerror}") from error


def _copied(folder: Path, suite: Path) -> RepositorySource:
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; an address starts with https://")
    files = files_of(folder)
    if not files:
        raise UsageError(f"{folder}: has no files")
    if (size := sum(file.stat().st_size for file in files)) > LARGEST:
        raise UsageError(f"{folder}: {size / 1e9:.1f} GB are too much to copy; remove data from the folder")
    if suite.resolve().is_relative_to(folder.resolve()):
        raise UsageError(f"{suite}: the suite's folder cannot be inside the repository {folder}")
    if folder.resolve().is_relative_to(suite.resolve()):
        raise UsageError(f"{folder}: is inside the suite's folder, which is replaced; choose another --output")
    name = re.sub(r"[^\w.-]", "-", folder.resolve().name).lstrip("._-") or "repository"
    target = suite / "repositories" / name
    if target.exists():
        shutil.rmtree(target)
    for file in files:
        copy = target / file.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        copy.chmod(0o755 if file.stat().st_mode & 0o100 else 0o644)
    return RepositorySource(name, target)
