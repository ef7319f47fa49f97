"""All sources together: which files a project has, and each of them on disk."""

from __future__ import annotations

import ssl
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from mlbench.package_index.http_index import FRESH, Folder, Links, Remote, Source, source
from mlbench.package_index.pages import File
from mlbench.package_index.store import Page, Refused, Store
from mlbench.repositories.cache import cache_folder
from mlbench.repositories.pip_config import Upstream, configured
from mlbench.types import UsageError

_REMEMBERED = 32  # projects; a large one takes some MB
_REMEMBERED_SECONDS = 60.0


@dataclass(frozen=True)
class Entry:
    """A file, and whom to ask for it."""

    source: Source
    file: File


@dataclass(frozen=True)
class Project:
    """The files of a project by name. `stale`: the index could not be asked, so that newer ones may be missing."""

    name: str
    entries: dict[str, Entry] = field(default_factory=dict)
    stale: bool = False

    @property
    def files(self) -> list[File]:
        return [entry.file for entry in self.entries.values()]


class Catalogue:
    """What the configured sources have. For many threads."""

    def __init__(self, upstream: Upstream, folder: Path) -> None:
        store = Store(folder)
        self._indexes: list[Remote | Folder] = [
            source(url, store, upstream) for url in filter(None, (upstream.index, *upstream.extras))
        ]
        self._links = [Links(folder) for folder in upstream.links]
        self._remembered: OrderedDict[str, tuple[float, Project]] = OrderedDict()
        self._lock = threading.Lock()

    def project(self, name: str) -> Project:
        """A project by its normalised name: of the first index that has it, and of all `find-links`.

        Raises:
            Refused: there is none, or no telling.
        """
        with self._lock:
            until, known = self._remembered.get(name, (0.0, None))
        if known and time.monotonic() < until:
            return known
        found = self._found(name)
        with self._lock:
            self._remembered[name] = (time.monotonic() + _REMEMBERED_SECONDS, found)
            self._remembered.move_to_end(name)
            while len(self._remembered) > _REMEMBERED:
                self._remembered.popitem(last=False)
        return found

    def file(self, project: str, name: str) -> Path:
        """A file that the project's page lists, or with `.metadata` behind its name its core metadata.

        Raises:
            Refused: it lists no such file, or it cannot be had.
        """
        entries = self.project(project).entries
        of = name.removesuffix(".metadata")
        entry = entries.get(of)
        if entry is None or (of != name and entry.file.metadata is None):
            raise Refused(404, f"the page of {project} lists no {name}")
        return entry.source.file(entry.file, metadata=of != name)

    def why_not(self) -> str | None:
        """One line that says why the main index cannot be used; None where it answers."""
        return self._indexes[0].why_not() if self._indexes else None

    def _found(self, name: str) -> Project:
        asked: list[tuple[Source, Page]] = []
        trouble: Refused | None = None
        for index in self._indexes:
            try:
                page = index.page(name)
            except Refused as error:
                trouble = trouble or error
                continue
            if page:
                asked.append((index, page))
                break
        for links in self._links:
            if page := links.page(name):
                asked.append((links, page))
        if not asked:
            raise trouble or Refused(404, f"no package index has a project {name}")
        entries: dict[str, Entry] = {}
        for origin, page in asked:
            for file in page.files:
                entries.setdefault(file.name, Entry(origin, file))
        stale = trouble is not None or any(time.time() - page.fetched > FRESH for _, page in asked)
        return Project(name, entries, stale)


def catalogue() -> Catalogue:
    """What this machine is set up for (see `upstream`), kept in the cache.

    Raises:
        UsageError: it is set up for something impossible; says what.
    """
    try:
        return Catalogue(configured(), cache_folder("index"))
    except (ssl.SSLError, FileNotFoundError) as error:
        raise UsageError(f"cannot use the certificates of SSL_CERT_FILE, PIP_CERT or pip.conf: {error}") from error
    except (httpx.InvalidURL, ValueError, ImportError) as error:
        raise UsageError(f"cannot use the package index or proxy that this machine is set up for: {error}") from error


def reachable() -> str | None:
    """One line that says why packages cannot be had here and what to do; None where they can."""
    try:
        why = catalogue().why_not()
    except UsageError as error:
        return str(error)
    return f"{why}; set PIP_INDEX_URL to an index that can, or let agents work without a network" if why else None
