"""Gets the repository of a suite: pinned from an address, or copied from a folder."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mlbench.records import RunError, UsageError
from mlbench.repositories.catalogue import Pinned, write_entry
from mlbench.repositories.checkout import files_of
from mlbench.repositories.fetch import fetch
from mlbench.repositories.missing_parts import lacking
from mlbench.repositories.pinning import is_url, pin
from mlbench.suite_builder.output_dir import claim, release

LARGEST = 2_000_000_000
"""The largest folder in bytes that is copied into a suite, without its large files."""
LARGE = 100_000_000
"""A larger file is data or weights, and is not copied."""


@dataclass(frozen=True)
class RepositorySource:
    """A repository to build a suite from.

    Attributes:
        entry: pins it; None for a copy in the suite.
        lacking: which of its files are not there; empty if none is known.
    """

    name: str
    folder: Path
    entry: Pinned | None = None
    lacking: str = ""

    @property
    def title(self) -> str:
        """The name, with commit and day if they are known."""
        if self.entry is None:
            return self.name
        return f"{self.entry.full_name} at {self.entry.commit[:12]} ({self.entry.committed or 'unknown day'})"


@dataclass(frozen=True)
class Wanted:
    """Which commit of an address is wanted.

    Attributes:
        revision: commit, branch or tag.
        since: the oldest acceptable day of that commit, YYYY-MM-DD; empty for any.
        mirror: a folder of mirrors to fetch from.
    """

    revision: str = "HEAD"
    since: str = ""
    mirror: Path | None = None


def obtain_all(
    sources: Sequence[str], suite: Path, wanted: Wanted = Wanted()
) -> tuple[list[RepositorySource], list[str]]:
    """Fetch and pin the repositories at addresses, and copy those in folders into the suite.

    Args:
        sources: addresses and folders.
        suite: the suite's folder; if this fails, nothing is left there.
        wanted: which commit of each address.

    Returns:
        The repositories, and one line for each that cannot be had. If none can be had, the first error is raised.

    Raises:
        UsageError: no such folder, not an address, or the suite's folder cannot be claimed (`claim`).
        RunError: none can be fetched or copied.
    """
    claim(suite)
    found: dict[str, RepositorySource] = {}
    errors: list[UsageError | RunError] = []
    for source in dict.fromkeys(sources):
        try:
            name = name_of(source)
            if name in found:
                raise UsageError(f"{source}: another repository of the suite is named {name}; build it apart")
            found[name] = _obtained(source, name, suite, wanted)
        except (UsageError, RunError) as error:
            errors.append(error)
    if not found:
        release(suite)
        raise errors[0] if len(errors) == 1 else type(errors[0])("; ".join(map(str, errors)))
    return list(found.values()), [str(error) for error in errors]


def name_of(source: str) -> str:
    """The name that a repository has in a suite: the last part of its address or folder."""
    if is_url(source):
        return source.rstrip("/").removesuffix(".git").rpartition("/")[2]
    return re.sub(r"[^\w.-]", "-", Path(source).resolve().name).lstrip("._-") or "repository"


def pin_file(suite: Path, name: str) -> Path:
    """The catalogue file of a suite that pins a repository."""
    return suite / "catalogue" / f"{name}.yaml"


def _obtained(source: str, name: str, suite: Path, wanted: Wanted) -> RepositorySource:
    try:
        if is_url(source):
            entry = pin(source, wanted.revision, wanted.mirror)
            if wanted.since and entry.committed < wanted.since:
                raise UsageError(f"{source}: no commit since {wanted.since}; the newest is of {entry.committed}")
            found = fetch(entry, wanted.mirror)
            write_entry(entry, pin_file(suite, entry.name))
            return RepositorySource(entry.name, found.folder, entry, lacking(found.folder, found.absent))
        return _copied(Path(source), name, suite)
    except OSError as error:
        raise RunError(f"{source}: {error.filename or 'it'} cannot be copied or written: {error.strerror}") from error


def _copied(folder: Path, name: str, suite: Path) -> RepositorySource:
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; an address starts with https://")
    files = files_of(folder)
    if not files:
        raise UsageError(f"{folder}: has no files")
    large = [file for file in files if file.stat().st_size > LARGE]
    files = [file for file in files if file not in large]
    if (size := sum(file.stat().st_size for file in files)) > LARGEST:
        raise UsageError(f"{folder}: {size / 1e9:.1f} GB are too much to copy; remove data from the folder")
    if suite.resolve().is_relative_to(folder.resolve()):
        raise UsageError(f"{suite}: the suite's folder cannot be inside the repository {folder}")
    if folder.resolve().is_relative_to(suite.resolve()):
        raise UsageError(f"{folder}: is inside the suite's folder, which is replaced; choose another --output")
    target = suite / "repositories" / name
    if target.exists():
        shutil.rmtree(target)
    for file in files:
        copy = target / file.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        copy.chmod(0o755 if file.stat().st_mode & 0o100 else 0o644)
    absent = [file.relative_to(folder).as_posix() for file in large]
    return RepositorySource(name, target, None, lacking(target, absent))
