"""What has passed once, on disk: files for ever under their hash, pages with the time they were fetched.

Several threads and processes may use one store: whatever is written is written elsewhere and then renamed.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from mlbench.package_index.pages import File

ROOM = 2 << 30  # bytes that must stay free: a sandbox may ask for much, and the disk is everybody's
_DAY = 86_400.0


class Refused(Exception):
    """A request that is not answered with what was asked for.

    Attributes:
        status: of HTTP; from 500 on the fault lies with the index or this machine, not with who asks.
        why: one line, for the sandbox: it names nothing of this machine, such as a private index.
        detail: what the line leaves out, for this machine's user.
    """

    def __init__(self, status: int, why: str, detail: str = "") -> None:
        super().__init__(f"{why}: {detail}" if detail else why)
        self.status, self.why, self.detail = status, why, detail


@dataclass(frozen=True)
class Page:
    """A project's page as it was read. `fetched`: seconds since the epoch. `etag`: what the index calls this state."""

    files: tuple[File, ...]
    fetched: float
    etag: str = ""


_PAGE = TypeAdapter(Page)


class Store:
    """A folder with `files/`, `pages/`, `locks/` and `scratch/`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in ("files", "pages", "locks", "scratch"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        for left in (folder / "scratch").iterdir():  # by a process that was killed
            with contextlib.suppress(OSError):
                if left.stat().st_mtime < time.time() - _DAY:
                    left.unlink()

    def page(self, index: str, project: str) -> Page | None:
        """A page that was kept, however old; None where there is none."""
        try:
            return _PAGE.validate_json(self._page(index, project).read_bytes())
        except (OSError, ValidationError):
            return None

    def keep_page(self, index: str, project: str, page: Page) -> None:
        file = self._page(index, project)
        file.parent.mkdir(exist_ok=True)
        with self._written(file) as stream:
            stream(_PAGE.dump_json(page))

    def file(self, key: str) -> Path | None:
        """A file that was kept."""
        path = self._file(key)
        return path if path.is_file() else None

    def keep_file(self, key: str, chunks: Iterator[bytes], sha256: str = "", size: int | None = None) -> Path:
        """Keep what comes, if it is what was promised.

        Raises:
            Refused: it is not, or the disk is nearly full.
        """
        path = self._file(key)
        path.parent.mkdir(exist_ok=True)
        self._needs(size or 0)
        digest = hashlib.sha256()
        with self._written(path) as write:
            since_look = 0
            for chunk in chunks:
                digest.update(chunk)
                write(chunk)
                since_look += len(chunk)
                if since_look > ROOM >> 4:
                    self._needs(0)
                    since_look = 0
            if sha256 and digest.hexdigest() != sha256:
                raise Refused(502, "what the package index sent is not what its page promised", digest.hexdigest())
        return path

    @contextlib.contextmanager
    def locked(self, key: str, seconds: float) -> Iterator[None]:
        """Held by one thread of all processes at a time, mostly: where it is not, work is done twice and no harm.

        Raises:
            Refused: another one held it for longer than `seconds`.
        """
        path = self._folder / "locks" / key
        deadline = time.monotonic() + seconds
        with path.open("w") as lock:
            while True:
                with contextlib.suppress(BlockingIOError):
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                if time.monotonic() > deadline:
                    raise Refused(504, "another sandbox is still downloading this; try again later")
                time.sleep(0.02)
            try:
                yield
            finally:
                path.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _written(self, target: Path) -> Iterator[Callable[[bytes], object]]:
        fd, name = tempfile.mkstemp(dir=self._folder / "scratch")
        try:
            with os.fdopen(fd, "wb") as stream:
                yield stream.write
            os.rename(name, target)
        except BaseException as error:
            Path(name).unlink(missing_ok=True)
            if isinstance(error, OSError):
                raise Refused(507, "the package index cannot keep this file", str(error)) from error
            raise

    def _needs(self, size: int) -> None:
        if shutil.disk_usage(self._folder).free - size < ROOM:
            raise Refused(507, "the package index has no room for more", f"{self._folder} may be emptied")

    def _page(self, index: str, project: str) -> Path:
        return self._folder / "pages" / hashlib.sha256(index.encode()).hexdigest()[:16] / f"{project}.json"

    def _file(self, key: str) -> Path:
        return self._folder / "files" / key[:2] / key
