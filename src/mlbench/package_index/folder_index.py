"""Indexes on this machine's disk: a folder of project pages, and a folder of wheels (pip's `find-links`)."""

from __future__ import annotations

import time
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mlbench.package_index import pages
from mlbench.package_index.errors import PackageIndexError
from mlbench.package_index.page_reader import read
from mlbench.package_index.pages import IndexFile
from mlbench.package_index.store import ProjectPage


class FolderIndex:
    """An index in a folder (`file:///…/simple/`): one subfolder per project, each with an `index.html`.

    Its files have to lie inside this folder, or inside its parent if the folder is called `simple`.
    """

    def __init__(self, folder: Path) -> None:
        self.name = str(folder)
        self._folder = folder
        self._root = folder.parent if folder.name == "simple" else folder

    def page(self, project: str) -> ProjectPage | None:
        """See `IndexSource.page`."""
        file = self._folder / project / "index.html"
        if not self._is_inside(file):
            return None
        try:
            found = read(file.read_text(errors="replace"), file.as_uri(), is_json=False)
        except (OSError, ValueError) as error:
            raise PackageIndexError(502, f"the page of {project} cannot be read", str(error)) from error
        return ProjectPage(tuple(file for file in found if _is_local(file)), time.time())

    def file(self, file: IndexFile, metadata: bool = False) -> Path:
        """See `IndexSource.file`."""
        path = Path(unquote(urlsplit(file.url).path) + (".metadata" if metadata else ""))
        if not self._is_inside(path):
            raise PackageIndexError(404, f"{file.name} is listed, but does not exist", self.name)
        return path

    def unusable(self) -> str | None:
        """One line that says why this index cannot be used; None if it can."""
        return None if self._folder.is_dir() else f"there is no folder {self._folder}"

    def _is_inside(self, path: Path) -> bool:
        real = path.resolve()  # a symbolic link may lead out of the folder
        return real.is_file() and real.is_relative_to(self._root.resolve())


class FindLinks:
    """A folder of wheels and source distributions, as in pip's `find-links`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def page(self, project: str) -> ProjectPage | None:
        """See `IndexSource.page`."""
        try:
            names = sorted(path.name for path in self._folder.iterdir() if pages.project_of(path.name) == project)
        except OSError as error:
            raise PackageIndexError(502, "a folder of packages cannot be read", str(error)) from error
        files = tuple(IndexFile(name, (self._folder / name).as_uri()) for name in names if pages.is_file_name(name))
        return ProjectPage(files, time.time()) if files else None

    def file(self, file: IndexFile, metadata: bool = False) -> Path:
        """See `IndexSource.file`."""
        path = self._folder / file.name
        if metadata or not path.resolve().is_file():
            raise PackageIndexError(404, f"{file.name} does not exist any more", str(self._folder))
        return path


def _is_local(file: IndexFile) -> bool:
    """Whether the URL can name a file of this machine. `FolderIndex.file` checks where the file is."""
    url = urlsplit(file.url)
    return url.scheme == "file" and not url.netloc and "\0" not in unquote(url.path)
