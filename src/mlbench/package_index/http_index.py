"""A package index over HTTP: its project pages and files, fetched once and kept on disk.

Pages are not trusted. A file is fetched only from an address that its index may name, and kept only if its hash is the
one that the page promised.
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
from urllib.parse import urlsplit

import httpx

from mlbench.package_index import pages
from mlbench.package_index.errors import PackageIndexError
from mlbench.package_index.page_reader import read
from mlbench.package_index.pages import IndexFile
from mlbench.package_index.store import PackageStore, ProjectPage
from mlbench.repositories.pip_config import Upstream, hidden

FRESH_SECONDS = 600.0  # a page younger than this is taken from the disk
LARGEST_PAGE = 64 << 20  # bytes
LARGEST_FILE = 8 << 30  # bytes
PAGE_SECONDS = 60.0
FILE_SECONDS = 600.0
_PAUSE_SECONDS = 30.0  # an index that could not be reached is not asked again for this long
_TIMEOUT = httpx.Timeout(30.0, connect=10.0)
_UNREACHABLE = "the package index cannot be reached"
_ACCEPTED = f"{pages.JSON_TYPE}, {pages.HTML_TYPE};q=0.1"

log = logging.getLogger(__name__)


class HttpIndex:
    """An index over HTTP. Its credentials are sent to its own host only."""

    def __init__(self, url: str, store: PackageStore, upstream: Upstream) -> None:
        self.name = hidden(url)
        self._store = store
        own = httpx.URL(url)
        self._url = own.copy_with(userinfo=b"")
        self._auth = httpx.BasicAuth(own.username, own.password) if own.userinfo else _netrc_auth()
        self._paused_until, self._paused_why = 0.0, ""
        proxy = upstream.proxy_for(url)
        trusting = {f"https://{host}": httpx.HTTPTransport(verify=False, proxy=proxy) for host in upstream.trusted}
        self._client = httpx.Client(
            verify=_verify(upstream.certificates),
            proxy=proxy if upstream.proxy else None,  # without it, httpx reads the proxies of the environment
            mounts=trusting,
            timeout=_TIMEOUT,
            follow_redirects=True,
            max_redirects=5,
            headers={"User-Agent": "mlbench-index"},
            event_hooks={"request": [self._check_scheme]},
        )

    def page(self, project: str) -> ProjectPage | None:
        """See `IndexSource.page`. If the index cannot be asked, an older page is returned."""
        kept = self._store.page(self.name, project)
        if kept and _is_fresh(kept):
            return kept
        with self._store.locked(f"{hashlib.sha256(self.name.encode()).hexdigest()[:16]}-{project}", PAGE_SECONDS):
            kept = self._store.page(self.name, project)  # another thread or process may have fetched it
            if kept and _is_fresh(kept):
                return kept
            try:
                page = self._fetch_page(project, kept)
            except PackageIndexError as error:
                if kept is None:
                    raise
                log.warning("%s; its older page of %s is used", error, project)
                return kept
            if page:
                with suppress(PackageIndexError):  # the disk is full
                    self._store.keep_page(self.name, project, page)
            return page

    def file(self, file: IndexFile, metadata: bool = False) -> Path:
        """See `IndexSource.file`. Downloads the file once, however many ask for it."""
        url, sha256 = (f"{file.url}.metadata", file.metadata or "") if metadata else (file.url, file.sha256)
        key = sha256 or "url-" + hashlib.sha256(url.encode()).hexdigest()
        if kept := self._store.file(key):
            return kept
        with self._store.locked(key, FILE_SECONDS):
            if kept := self._store.file(key):
                return kept
            with self._get(url, FILE_SECONDS, LARGEST_FILE, {"Accept-Encoding": "identity"}) as answer:
                if answer.response.status_code != 200:
                    raise PackageIndexError(
                        502, f"the package index does not give {file.name}", self._describe(answer.response)
                    )
                return self._store.keep_file(key, answer.raw(), sha256, None if metadata else file.size)

    def unusable(self) -> str | None:
        """One line that says why this index cannot be used; None if it answers."""
        try:
            self._fetch_page("pip", None)
        except PackageIndexError as error:
            return str(error)
        return None

    def _fetch_page(self, project: str, kept: ProjectPage | None) -> ProjectPage | None:
        headers = {"Accept": _ACCEPTED}
        headers |= {"If-None-Match": kept.etag} if kept and kept.etag else {}
        with self._get(str(self._url.join(f"{project}/")), PAGE_SECONDS, LARGEST_PAGE, headers) as answer:
            response = answer.response
            if response.status_code == 304 and kept:
                return replace(kept, fetched=time.time())
            if response.status_code in (404, 410):
                return None
            if response.status_code in (401, 403, 407):
                raise PackageIndexError(502, "the package index wants another password", self._describe(response))
            if response.status_code != 200:
                raise PackageIndexError(502, "the package index is out of order", self._describe(response))
            text = answer.decoded().decode(errors="replace")
            is_json = "json" in response.headers.get("content-type", "")
            try:
                files = read(text, str(response.url), is_json=is_json)
            except ValueError as error:
                raise PackageIndexError(
                    502, f"the page of {project} is not understood", f"{self.name}: {error}"
                ) from error
        return ProjectPage(
            tuple(filter(None, map(self._trusted, files))), time.time(), response.headers.get("etag", "")
        )

    def _trusted(self, file: IndexFile) -> IndexFile | None:
        """The file, if it may be fetched.

        Another host is allowed only if the hash is known, and plain HTTP only if the index itself uses it.
        """
        url = urlsplit(file.url)
        if url.scheme not in ("https", self._url.scheme) or not url.hostname or "@" in url.netloc:
            return None
        if self._is_own(httpx.URL(file.url)):
            return file
        return replace(file, metadata=file.metadata or None) if file.sha256 else None

    def _is_own(self, url: httpx.URL) -> bool:
        return (url.scheme, url.host, url.port) == (self._url.scheme, self._url.host, self._url.port)

    def _check_scheme(self, request: httpx.Request) -> None:
        """Refuse unsafe addresses. httpx calls this for every request, including redirects."""
        if request.url.scheme not in ("https", self._url.scheme):
            raise PackageIndexError(
                502, "the package index leads to an unsafe address", f"{self.name} leads to {request.url}"
            )

    def _describe(self, response: httpx.Response) -> str:
        return f"{self.name} answers HTTP {response.status_code} {response.reason_phrase}".strip()

    @contextmanager
    def _get(self, url: str, seconds: float, most: int, headers: dict[str, str]) -> Iterator[_BoundedResponse]:
        if time.monotonic() < self._paused_until:
            raise PackageIndexError(504, _UNREACHABLE, self._paused_why)
        try:
            auth = self._auth if self._is_own(httpx.URL(url)) else None
            with self._client.stream("GET", url, headers=headers, auth=auth) as response:
                yield _BoundedResponse(response, time.monotonic() + seconds, most, self.name)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = f"{self.name}: {str(error) or type(error).__name__}"
            if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout) and self._is_own(error.request.url):
                self._paused_until, self._paused_why = time.monotonic() + _PAUSE_SECONDS, why
            if isinstance(error, httpx.ReadError | httpx.ReadTimeout | httpx.RemoteProtocolError):
                # pip and uv ask again after 503
                raise PackageIndexError(503, "the package index broke off its answer", why) from error
            raise PackageIndexError(504, _UNREACHABLE, why) from error


class _BoundedResponse:
    """A response whose body is read within a limit of time and size."""

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
                raise PackageIndexError(502, f"the package index sends more than {self._most >> 20} MiB", self._name)
            if time.monotonic() > self._deadline:
                raise PackageIndexError(504, "the package index is too slow", self._name)
            yield chunk


def _verify(certificates: str) -> ssl.SSLContext | bool:
    """What to check certificates against: a file or folder of authorities, or True for httpx's own choice."""
    if not certificates:
        return True
    if Path(certificates).is_dir():
        return ssl.create_default_context(capath=certificates)
    return ssl.create_default_context(cafile=certificates)


def _is_fresh(page: ProjectPage) -> bool:
    return 0 <= time.time() - page.fetched < FRESH_SECONDS


def _netrc_auth() -> httpx.Auth | None:
    try:
        return httpx.NetRCAuth()
    except (OSError, netrc.NetrcParseError):
        return None
