"""Disk cache of the package index: files under their hash for ever, pages with the time they were fetched.

Several threads and processes may use one folder, because every file is written elsewhere first and then renamed.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from mlbench.atomic_write import open_file
from mlbench.package_index.errors import PackageIndexError
from mlbench.package_index.pages import IndexFile

MIN_FREE_BYTES = 2 << 30  # stay free on the disk, which is shared, whatever sandboxes ask for
_DAY = 86_400.0


@dataclass(frozen=True)
class ProjectPage:
    """The files that a source lists for a project.

    Attributes:
        fetched: when the page was read, in seconds since the epoch.
        etag: the index's own mark of this version of the page; empty if it sends none.
    """

    files: tuple[IndexFile, ...]
    fetched: float
    etag: str = ""


_PAGE = TypeAdapter(ProjectPage)


class PackageStore:
    """Reads and writes a cache folder with the subfolders `files`, `pages`, `locks` and `scratch`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in ("files", "pages", "locks", "scratch"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        for left in (folder / "scratch").iterdir():  # left by processes that were killed
            with contextlib.suppress(OSError):
                if left.stat().st_mtime < time.time() - _DAY:
                    left.unlink()

    def page(self, index: str, project: str) -> ProjectPage | None:
        """The stored page of a project, however old; None if there is none."""
        try:
            return _PAGE.validate_json(self._page_path(index, project).read_bytes())
        except (OSError, ValidationError):
            return None

    def keep_page(self, index: str, project: str, page: ProjectPage) -> None:
        """Store a page of the index with this name.

        Raises:
            PackageIndexError: the disk is full.
        """
        file = self._page_path(index, project)
        file.parent.mkdir(exist_ok=True)
        with self._replacing(file) as write:
            write(_PAGE.dump_json(page))

    def file(self, key: str) -> Path | None:
        """The path of the stored file with this key; None if there is none."""
        path = self._file_path(key)
        return path if path.is_file() else None

    def keep_file(self, key: str, chunks: Iterator[bytes], sha256: str = "", size: int | None = None) -> Path:
        """Store a file and return its path.

        Args:
            key: its name in the store.
            chunks: its content.
            sha256: the hash that the content must have; empty if none is known.
            size: in bytes, if it is known.

        Raises:
            PackageIndexError: the content has another hash, or the disk is nearly full.
        """
        path = self._file_path(key)
        path.parent.mkdir(exist_ok=True)
        self._check_space(size or 0)
        digest = hashlib.sha256()
        with self._replacing(path) as write:
            unchecked = 0
            for chunk in chunks:
                digest.update(chunk)
                write(chunk)
                unchecked += len(chunk)
                if unchecked > MIN_FREE_BYTES >> 4:
                    self._check_space(0)
                    unchecked = 0
            if sha256 and digest.hexdigest() != sha256:
                raise PackageIndexError(
                    502, "the package index sent a file that does not have the hash on its page", digest.hexdigest()
                )
        return path

    @contextlib.contextmanager
    def locked(self, key: str, seconds: float) -> Iterator[None]:
        """Lock a key against other threads and processes.

        In rare races two may hold it; then work is done twice, without harm.

        Raises:
            PackageIndexError: another one held the lock for longer than `seconds`.
        """
        path = self._folder / "locks" / key
        deadline = time.monotonic() + seconds
        with path.open("w") as lock:
            while True:
                with contextlib.suppress(BlockingIOError):
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                if time.monotonic() > deadline:
                    raise PackageIndexError(504, "another sandbox is still downloading this; try again later")
                time.sleep(0.02)
            try:
                yield
            finally:
                path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _replacing(self, target: Path) -> Iterator[Callable[[bytes], object]]:
        try:
            with open_file(target, scratch=self._folder / "scratch") as stream:
                yield stream.write
        except OSError as error:
            raise PackageIndexError(507, "the package index cannot keep this file", str(error)) from error

    def _check_space(self, size: int) -> None:
        if shutil.disk_usage(self._folder).free - size < MIN_FREE_BYTES:
            raise PackageIndexError(507, "the package index has no space left", f"you may empty {self._folder}")

    def _page_path(self, index: str, project: str) -> Path:
        return self._folder / "pages" / hashlib.sha256(index.encode()).hexdigest()[:16] / f"{project}.json"

    def _file_path(self, key: str) -> Path:
        return self._folder / "files" / key[:2] / key
