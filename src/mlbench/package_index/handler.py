"""Answers one HTTP request: project pages and files, and a one-line refusal for everything else."""

from __future__ import annotations

import json
import logging
import os
import re
import socket
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from mlbench.package_index import pages
from mlbench.package_index.errors import PackageIndexError

if TYPE_CHECKING:
    from mlbench.package_index.server import IndexServer

_LONGEST_PATH = 1000
_STALL_SECONDS = 60.0  # without any progress while sending
_PROJECT = re.compile(rf"/simple/({pages.PROJECT})/?")
_FILE = re.compile(rf"/files/({pages.PROJECT})/({pages.FILE}(?:\.metadata)?)")
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
_IMMUTABLE = "max-age=31536000, immutable"

log = logging.getLogger(__name__)


class IndexHandler(BaseHTTPRequestHandler):
    """Serves GET and HEAD of `/simple/PROJECT/` and `/files/PROJECT/FILE`."""

    protocol_version = "HTTP/1.1"
    timeout = _STALL_SECONDS
    server: IndexServer

    def handle_one_request(self) -> None:
        """Read and answer a request. The server closes the connection if the request arrives too slowly."""
        self.server.expect_request(self.connection)
        try:
            super().handle_one_request()
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        finally:
            self.server.request_arrived(self.connection)

    def do_GET(self) -> None:
        """Answer, and report failures that are not the sandbox's fault."""
        self.server.request_arrived(self.connection)
        try:
            self._answer()
        except PackageIndexError as error:
            if error.status >= 500:
                self.server.report_failure(str(error))
            self._refuse(error.status, error.why)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        """Refuse: an index accepts no uploads."""
        self.close_connection = True  # a body may follow
        self._refuse(405, "this is a package index: only GET and HEAD")

    do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_TRACE = do_CONNECT = do_POST

    def _answer(self) -> None:
        if self.headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in self.headers:
            self.close_connection = True
            raise PackageIndexError(400, "a package index takes no body")
        if len(self.path) > _LONGEST_PATH:
            raise PackageIndexError(414, "no project or file has so long a name")
        if not self.path.startswith("/"):
            raise PackageIndexError(403, "this is a package index, not a proxy")
        path = unquote(self.path)
        if path.rstrip("/") == "/simple":
            raise PackageIndexError(403, "the list of all projects is not served: ask for /simple/PROJECT/")
        if match := _PROJECT.fullmatch(path):
            self._page(pages.normalised(match[1]))
        elif match := _FILE.fullmatch(path):
            self._file(self.server.index.file(pages.normalised(match[1]), match[2]))
        else:
            raise PackageIndexError(404, "this is a package index: it has /simple/PROJECT/ and the files listed there")

    def _page(self, name: str) -> None:
        project = self.server.index.project(name)
        is_json = pages.JSON_TYPE in self.headers.get("Accept", "")
        body = (pages.as_json if is_json else pages.as_html)(name, project.files).encode()
        self.send_response(200)
        self.send_header("Content-Type", pages.JSON_TYPE if is_json else f"{pages.HTML_TYPE}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Vary", "Accept")
        self.send_header("Cache-Control", "no-store" if project.stale else "max-age=60")
        if project.stale:
            self.send_header("Warning", '110 mlbench-index "stale: the index cannot be reached"')
        self.end_headers()
        self._send(body)

    def _file(self, path: Path) -> None:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            first, end = self._range(size)
            self.send_response(200 if end - first == size else 206)
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Content-Length", str(end - first))
            self.send_header("Accept-Ranges", "bytes")
            self.send_header("Cache-Control", _IMMUTABLE)
            if end - first != size:
                self.send_header("Content-Range", f"bytes {first}-{end - 1}/{size}")
            self.end_headers()
            if self.command != "HEAD" and end > first:
                self.connection.sendfile(file, first, end - first)

    def _range(self, size: int) -> tuple[int, int]:
        """First byte and end of the single range that is asked for, or of the whole file (RFC 9110, section 14)."""
        match = _RANGE.fullmatch(self.headers.get("Range", ""))
        if not match or not (match[1] or match[2]) or "If-Range" in self.headers:
            return 0, size
        first = int(match[1]) if match[1] else max(0, size - int(match[2]))
        end = min(size, int(match[2]) + 1) if match[1] and match[2] else size
        if first >= end:
            raise PackageIndexError(416, f"the file has {size} bytes")
        return first, end

    def _refuse(self, status: int, why: str) -> None:
        """Send an error with its sentence where the client shows it.

        uv shows the problem details (RFC 9457), and pip the reason phrase. If a page fails, pip shows nothing, as if
        the project did not exist. It does show the type of a page whose type it does not know, so that is used.
        """
        line = " ".join(why.split()).encode("ascii", "replace").decode()[:300]
        log.debug("%s %.200s: %d %s", self.command, self.path, status, line)
        body = json.dumps({"status": status, "detail": line}).encode()
        kind = "application/problem+json"
        if status >= 500 and self.path.startswith("/simple/") and self.headers.get("User-Agent", "").startswith("pip/"):
            status, kind = 203, f'text/plain; problem="{line}"'
        self.send_response(status, line)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self._send(body)

    def _send(self, body: bytes) -> None:
        if self.command != "HEAD":
            self.wfile.write(body)

    def version_string(self) -> str:
        return "mlbench-index"

    def address_string(self) -> str:
        return "sandbox"

    def log_message(self, format: str, *args: object) -> None:
        log.debug(format, *args)


def shut_down(connection: socket.socket) -> None:
    """Close a connection from another thread; the thread that reads or writes there wakes up."""
    with suppress(OSError):  # it is closed already
        connection.shutdown(socket.SHUT_RDWR)
