"""Where project pages and files come from: an index over HTTP, an index in a folder, a folder of wheels.

What a page says is not trusted: a file is only taken from where its index may send us, and kept only where its hash is
the one that was promised.
"""

from __future__ import annotations

import hashlib
import logging
import netrc
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

import httpx

from mlbench.package_index import pages
from mlbench.package_index.pages import File
from mlbench.package_index.store import Page, Refused, Store
from mlbench.repositories.pip_config import Upstream, folder_of, hidden

FRESH = 600.0  # seconds that a page is taken from the disk without a question
LARGEST_PAGE = 64 << 20
LARGEST_FILE = 8 << 30
PAGE_SECONDS = 60.0
FILE_SECONDS = 600.0
_NOT_AGAIN = 30.0  # seconds that an index which could not be reached is left alone
_TIMEOUT = httpx.Timeout(30.0, connect=10.0)
_UNREACHABLE = "the package index cannot be reached"
_ACCEPTED = f"{pages.JSON_TYPE}, {pages.HTML_TYPE};q=0.1"

log = logging.getLogger(__name__)


class Source(Protocol):
    """What projects and files are asked of."""

    def page(self, project: str) -> Page | None:
        """The files of a project, by its normalised name; None where this source does not have it.

        Raises:
            Refused: there is no telling.
        """

    def file(self, file: File, metadata: bool = False) -> Path:
        """A file of a page of this source, or its core metadata, on this machine's disk.

        Raises:
            Refused: it cannot be had.
        """


class Remote:
    """An index over HTTP. Its credentials go to its own host only."""

    def __init__(self, url: str, store: Store, upstream: Upstream) -> None:
        self.name = hidden(url)
        self._store = store
        own = httpx.URL(url)
        self._url = own.copy_with(userinfo=b"")
        self._auth = httpx.BasicAuth(own.username, own.password) if own.userinfo else _from_netrc()
        self._down_until, self._why_down = 0.0, ""
        proxy = upstream.proxy_for(url)
        trusting = {f"https://{host}": httpx.HTTPTransport(verify=False, proxy=proxy) for host in upstream.trusted}
        self._client = httpx.Client(
            verify=_verify(upstream.certificates),
            proxy=proxy if upstream.proxy else None,  # else httpx finds those of the environment by itself
            mounts=trusting,
            timeout=_TIMEOUT,
            follow_redirects=True,
            max_redirects=5,
            headers={"User-Agent": "mlbench-index"},
            event_hooks={"request": [self._check]},
        )

    def page(self, project: str) -> Page | None:
        """As `Source.page`; where the index cannot be asked, what it said before."""
        kept = self._store.page(self.name, project)
        if kept and _is_fresh(kept):
            return kept
        with self._store.locked(f"{hashlib.sha256(self.name.encode()).hexdigest()[:16]}-{project}", PAGE_SECONDS):
            kept = self._store.page(self.name, project)  # somebody else may have been faster
            if kept and _is_fresh(kept):
                return kept
            try:
                page = self._asked(project, kept)
            except Refused as error:
                if kept is None:
                    raise
                log.warning("%s; what it said of %s before is used", error, project)
                return kept
            if page:
                with suppress(Refused):  # a full disk
                    self._store.keep_page(self.name, project, page)
            return page

    def file(self, file: File, metadata: bool = False) -> Path:
        """As `Source.file`; downloaded once, whoever asks."""
        url, sha256 = (f"{file.url}.metadata", file.metadata or "") if metadata else (file.url, file.sha256)
        key = sha256 or "url-" + hashlib.sha256(url.encode()).hexdigest()
        if kept := self._store.file(key):
            return kept
        with self._store.locked(key, FILE_SECONDS):
            if kept := self._store.file(key):
                return kept
            with self._answer(url, FILE_SECONDS, LARGEST_FILE, {"Accept-Encoding": "identity"}) as answer:
                if answer.response.status_code != 200:
                    raise Refused(502, f"the package index does not give {file.name}", self._said(answer.response))
                return self._store.keep_file(key, answer.raw(), sha256, None if metadata else file.size)

    def why_not(self) -> str | None:
        """One line that says why it cannot be used; None where it answers."""
        try:
            self._asked("pip", None)
        except Refused as error:
            return str(error)
        return None

    def _asked(self, project: str, kept: Page | None) -> Page | None:
        headers = {"Accept": _ACCEPTED}
        headers |= {"If-None-Match": kept.etag} if kept and kept.etag else {}
        with self._answer(str(self._url.join(f"{project}/")), PAGE_SECONDS, LARGEST_PAGE, headers) as answer:
            response = answer.response
            if response.status_code == 304 and kept:
                return replace(kept, fetched=time.time())
            if response.status_code in (404, 410):
                return None
            if response.status_code in (401, 403, 407):
                raise Refused(502, "the package index wants another password", self._said(response))
            if response.status_code != 200:
                raise Refused(502, "the package index is out of order", self._said(response))
            text = answer.decoded().decode(errors="replace")
            is_json = "json" in response.headers.get("content-type", "")
            try:
                files = pages.read(text, str(response.url), is_json=is_json)
            except ValueError as error:
                raise Refused(502, f"the page of {project} is not understood", f"{self.name}: {error}") from error
        return Page(tuple(filter(None, map(self._trusted, files))), time.time(), response.headers.get("etag", ""))

    def _trusted(self, file: File) -> File | None:
        """Files may lie on another host where their hash is known, and are as safe to fetch as the index is."""
        url = urlsplit(file.url)
        if url.scheme not in ("https", self._url.scheme) or not url.hostname or "@" in url.netloc:
            return None
        if self._is_own(httpx.URL(file.url)):
            return file
        return replace(file, metadata=file.metadata or None) if file.sha256 else None

    def _is_own(self, url: httpx.URL) -> bool:
        return (url.scheme, url.host, url.port) == (self._url.scheme, self._url.host, self._url.port)

    def _check(self, request: httpx.Request) -> None:
        """Every request passes here, those of redirects too."""
        if request.url.scheme not in ("https", self._url.scheme):
            raise Refused(502, "the package index leads to an unsafe address", f"{self.name} leads to {request.url}")

    def _said(self, response: httpx.Response) -> str:
        return f"{self.name} answers HTTP {response.status_code} {response.reason_phrase}".strip()

    @contextmanager
    def _answer(self, url: str, seconds: float, most: int, headers: dict[str, str]) -> Iterator[_Answer]:
        if time.monotonic() < self._down_until:
            raise Refused(504, _UNREACHABLE, self._why_down)
        try:
            auth = self._auth if self._is_own(httpx.URL(url)) else None
            with self._client.stream("GET", url, headers=headers, auth=auth) as response:
                yield _Answer(response, time.monotonic() + seconds, most, self.name)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = f"{self.name}: {str(error) or type(error).__name__}"
            if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout) and self._is_own(error.request.url):
                self._down_until, self._why_down = time.monotonic() + _NOT_AGAIN, why
            raise Refused(504, _UNREACHABLE, why) from error


class _Answer:
    """A response that is being read, within bounds of time and size."""

    def __init__(self, response: httpx.Response, deadline: float, most: int, name: str) -> None:
        self.response = response
        self._deadline, self._most, self._name = deadline, most, name

    def raw(self) -> Iterator[bytes]:
        return self._bounded(self.response.iter_raw())

    def decoded(self) -> bytes:
        return b"".join(self._bounded(self.response.iter_bytes()))

    def _bounded(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        size = 0
        for chunk in chunks:
            size += len(chunk)
            if size > self._most:
                raise Refused(502, f"the package index sends more than {self._most >> 20} MiB", self._name)
            if time.monotonic() > self._deadline:
                raise Refused(504, "the package index is too slow", self._name)
            yield chunk


class Folder:
    """An index in a folder, as `file:///…/simple/`: a folder a project, `index.html` in it.

    Its files lie inside it, or beside it where it is named `simple`.
    """

    def __init__(self, folder: Path) -> None:
        self.name = str(folder)
        self._folder = folder
        self._root = folder.parent if folder.name == "simple" else folder

    def page(self, project: str) -> Page | None:
        """As `Source.page`."""
        file = self._folder / project / "index.html"
        if not self._within(file):
            return None
        try:
            found = pages.read(file.read_text(errors="replace"), file.as_uri(), is_json=False)
        except (OSError, ValueError) as error:
            raise Refused(502, f"the page of {project} cannot be read", str(error)) from error
        return Page(tuple(file for file in found if self._is_here(file)), time.time())

    def file(self, file: File, metadata: bool = False) -> Path:
        """As `Source.file`."""
        path = Path(unquote(urlsplit(file.url).path) + (".metadata" if metadata else ""))
        if not self._within(path):
            raise Refused(404, f"{file.name} is listed, but is not there", self.name)
        return path

    def _is_here(self, file: File) -> bool:
        """Whether it can be a file of this folder at all; that it is there is seen when it is asked for."""
        url = urlsplit(file.url)
        return url.scheme == "file" and not url.netloc and "\0" not in unquote(url.path)

    def _within(self, path: Path) -> bool:
        real = path.resolve()
        return real.is_file() and real.is_relative_to(self._root.resolve())

    def why_not(self) -> str | None:
        """One line that says why it cannot be used."""
        return None if self._folder.is_dir() else f"there is no folder {self._folder}"


class Links:
    """A folder of wheels and sdists, pip's `find-links`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def page(self, project: str) -> Page | None:
        """As `Source.page`."""
        try:
            names = sorted(path.name for path in self._folder.iterdir() if pages.project_of(path.name) == project)
        except OSError as error:
            raise Refused(502, "a folder of packages cannot be read", str(error)) from error
        files = tuple(File(name, (self._folder / name).as_uri()) for name in names if pages.is_file_name(name))
        return Page(files, time.time()) if files else None

    def file(self, file: File, metadata: bool = False) -> Path:
        """As `Source.file`."""
        path = self._folder / file.name
        if metadata or not path.resolve().is_file():
            raise Refused(404, f"{file.name} is not there any more", str(self._folder))
        return path


def _verify(certificates: str) -> ssl.SSLContext | bool:
    """What certificates are checked against: a file or folder of authorities; True if httpx shall decide."""
    if not certificates:
        return True
    if Path(certificates).is_dir():
        return ssl.create_default_context(capath=certificates)
    return ssl.create_default_context(cafile=certificates)


def source(url: str, store: Store, upstream: Upstream) -> Remote | Folder:
    """The index at a URL (see `Upstream`)."""
    folder = folder_of(url)
    return Folder(folder) if folder else Remote(url, store, upstream)


def _is_fresh(page: Page) -> bool:
    return 0 <= time.time() - page.fetched < FRESH


def _from_netrc() -> httpx.Auth | None:
    try:
        return httpx.NetRCAuth()
    except (OSError, netrc.NetrcParseError):
        return None
