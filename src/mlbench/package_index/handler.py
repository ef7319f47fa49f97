"""One HTTP request for the index: what may be asked, and what is answered."""

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
from mlbench.package_index.store import Refused

if TYPE_CHECKING:
    from mlbench.package_index.server import Server

_LONGEST_PATH = 1000
_SENDING_SECONDS = 60.0  # without any progress
_PROJECT = re.compile(rf"/simple/({pages.PROJECT})/?")
_FILE = re.compile(rf"/files/({pages.PROJECT})/({pages.FILE}(?:\.metadata)?)")
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
_FOR_EVER = "max-age=31536000, immutable"

log = logging.getLogger(__name__)


class Handler(BaseHTTPRequestHandler):
    """GET and HEAD of `/simple/PROJECT/` and `/files/PROJECT/FILE`; all else is refused with a sentence."""

    protocol_version = "HTTP/1.1"
    timeout = _SENDING_SECONDS
    server: Server

    def handle_one_request(self) -> None:
        """Within the time that the server gives a request to arrive."""
        self.server.waits(self.connection)
        try:
            super().handle_one_request()
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        finally:
            self.server.waits_no_more(self.connection)

    def do_GET(self) -> None:
        self.server.waits_no_more(self.connection)
        try:
            self._answer()
        except Refused as error:
            if error.status >= 500:
                self.server.failed(str(error))
            self._refuse(error.status, error.why)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        """Nothing is taken in, whatever the method."""
        self.close_connection = True  # a body may follow
        self._refuse(405, "this is a package index: only GET and HEAD")

    do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_TRACE = do_CONNECT = do_POST

    def _answer(self) -> None:
        if self.headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in self.headers:
            self.close_connection = True
            raise Refused(400, "a package index takes no body")
        if len(self.path) > _LONGEST_PATH:
            raise Refused(414, "no project or file has so long a name")
        if not self.path.startswith("/"):
            raise Refused(403, "this is a package index, not a proxy")
        path = unquote(self.path)
        if path.rstrip("/") == "/simple":
            raise Refused(403, "the list of all projects is not served: ask for /simple/PROJECT/")
        if match := _PROJECT.fullmatch(path):
            self._page(pages.normalised(match[1]))
        elif match := _FILE.fullmatch(path):
            self._file(self.server.catalogue.file(pages.normalised(match[1]), match[2]))
        else:
            raise Refused(404, "this is a package index: it has /simple/PROJECT/ and the files listed there")

    def _page(self, name: str) -> None:
        project = self.server.catalogue.project(name)
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
            self.send_header("Cache-Control", _FOR_EVER)
            if end - first != size:
                self.send_header("Content-Range", f"bytes {first}-{end - 1}/{size}")
            self.end_headers()
            if self.command != "HEAD" and end > first:
                self.connection.sendfile(file, first, end - first)

    def _range(self, size: int) -> tuple[int, int]:
        """First byte and end of what is asked for: all of it, where no single range is (RFC 9110, section 14)."""
        match = _RANGE.fullmatch(self.headers.get("Range", ""))
        if not match or not (match[1] or match[2]) or "If-Range" in self.headers:
            return 0, size
        first = int(match[1]) if match[1] else max(0, size - int(match[2]))
        end = min(size, int(match[2]) + 1) if match[1] and match[2] else size
        if first >= end:
            raise Refused(416, f"the file has {size} bytes")
        return first, end

    def _refuse(self, status: int, why: str) -> None:
        """With the sentence where a client shows it: uv the problem's details (RFC 9457), pip the reason phrase.

        Of a page that fails pip shows nothing at all, as if there were no such project, unless it is a page of a type
        that pip does not know: then it shows the type.
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


def shut(connection: socket.socket) -> None:
    """End a connection from another thread: whoever reads or writes there is woken."""
    with suppress(OSError):  # it ended by itself
        connection.shutdown(socket.SHUT_RDWR)
