"""All configured indexes as one: which files a project has, and the path of each file on disk."""

from __future__ import annotations

import ssl
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import httpx

from mlbench.package_index.errors import PackageIndexError
from mlbench.package_index.folder_index import FindLinks, FolderIndex
from mlbench.package_index.http_index import FRESH_SECONDS, HttpIndex
from mlbench.package_index.pages import IndexFile
from mlbench.package_index.store import PackageStore, ProjectPage
from mlbench.records import UsageError
from mlbench.repositories.cache import cache_folder
from mlbench.repositories.pip_config import Upstream, configured, folder_of

_MEMORY_PROJECTS = 32  # a large project takes some MB
_MEMORY_SECONDS = 60.0


class IndexSource(Protocol):
    """One place that has project pages and files."""

    def page(self, project: str) -> ProjectPage | None:
        """The files of a project, by its normalised name; None if this source does not have the project.

        Raises:
            PackageIndexError: the source cannot tell, for example because it is down.
        """

    def file(self, file: IndexFile, metadata: bool = False) -> Path:
        """The path on this machine of a file that a page of this source lists, or of its core metadata.

        Raises:
            PackageIndexError: the file cannot be fetched, or is not what the page promised.
        """


@dataclass(frozen=True)
class ListedFile:
    """A file, and the source that has it."""

    source: IndexSource
    file: IndexFile


@dataclass(frozen=True)
class MergedProject:
    """The files of a project, by file name.

    Attributes:
        stale: an index could not be asked, so newer files may be missing.
    """

    name: str
    entries: dict[str, ListedFile] = field(default_factory=dict)
    stale: bool = False

    @property
    def files(self) -> list[IndexFile]:
        return [entry.file for entry in self.entries.values()]


class AggregateIndex:
    """The configured indexes and `find-links` folders as one index. Safe to use from many threads."""

    def __init__(self, upstream: Upstream, folder: Path) -> None:
        store = PackageStore(folder)
        self._indexes: list[HttpIndex | FolderIndex] = []
        for url in filter(None, (upstream.index, *upstream.extras)):
            local = folder_of(url)
            self._indexes.append(FolderIndex(local) if local else HttpIndex(url, store, upstream))
        self._links = [FindLinks(folder) for folder in upstream.links]
        self._memory: OrderedDict[str, tuple[float, MergedProject]] = OrderedDict()
        self._lock = threading.Lock()

    def project(self, name: str) -> MergedProject:
        """The files of the first index that has the project, and those of all `find-links` folders.

        Args:
            name: normalised (see `pages.normalised`).

        Raises:
            PackageIndexError: no source has the project, or none can tell.
        """
        with self._lock:
            expires, known = self._memory.get(name, (0.0, None))
        if known and time.monotonic() < expires:
            return known
        merged = self._merge(name)
        with self._lock:
            self._memory[name] = (time.monotonic() + _MEMORY_SECONDS, merged)
            self._memory.move_to_end(name)
            while len(self._memory) > _MEMORY_PROJECTS:
                self._memory.popitem(last=False)
        return merged

    def file(self, project: str, name: str) -> Path:
        """The path on this machine of a file that the project's page lists.

        Args:
            project: normalised name.
            name: of the file; with `.metadata` at its end, the file's core metadata (PEP 658).

        Raises:
            PackageIndexError: the page does not list this file, or it cannot be fetched.
        """
        entries = self.project(project).entries
        wheel = name.removesuffix(".metadata")
        entry = entries.get(wheel)
        if entry is None or (wheel != name and entry.file.metadata is None):
            raise PackageIndexError(404, f"the page of {project} lists no {name}")
        return entry.source.file(entry.file, metadata=wheel != name)

    def unusable(self) -> str | None:
        """One line that says why the main index cannot be used; None if it answers."""
        return self._indexes[0].unusable() if self._indexes else None

    def _merge(self, name: str) -> MergedProject:
        found: list[tuple[IndexSource, ProjectPage]] = []
        failure: PackageIndexError | None = None
        for index in self._indexes:
            try:
                page = index.page(name)
            except PackageIndexError as error:
                failure = failure or error
                continue
            if page:
                found.append((index, page))
                break
        for links in self._links:
            if page := links.page(name):
                found.append((links, page))
        if not found:
            raise failure or PackageIndexError(404, f"no package index has a project {name}")
        entries: dict[str, ListedFile] = {}
        for source, page in found:
            for file in page.files:
                entries.setdefault(file.name, ListedFile(source, file))
        stale = failure is not None or any(time.time() - page.fetched > FRESH_SECONDS for _, page in found)
        return MergedProject(name, entries, stale)


def configured_index() -> AggregateIndex:
    """The index that this machine's pip is configured for (see `pip_config`), kept in mlbench's cache.

    Raises:
        UsageError: the configuration names an impossible URL, proxy or certificate.
    """
    try:
        return AggregateIndex(configured(), cache_folder("index"))
    except (ssl.SSLError, FileNotFoundError) as error:
        raise UsageError(f"cannot use the certificates of SSL_CERT_FILE, PIP_CERT or pip.conf: {error}") from error
    except (httpx.InvalidURL, ValueError, ImportError) as error:
        raise UsageError(
            f"cannot use the package index or proxy of PIP_INDEX_URL, pip.conf or HTTPS_PROXY: {error}"
        ) from error


def unreachable() -> str | None:
    """One line that says why packages cannot be fetched here and what to do; None if they can."""
    try:
        why = configured_index().unusable()
    except UsageError as error:
        return str(error)
    return f"{why}; set PIP_INDEX_URL to an index that can, or let agents work without a network" if why else None
