"""A server for this machine's own browser: one secret address, one page and a few JSON answers.

A foreign page in the same browser can neither read nor change anything. It does not know the address, its Host differs
(DNS rebinding), and a change needs a header that no foreign page may send.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import threading
import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from mlbench.records import UsageError
from mlbench.web.local_page import LocalPage

LOOPBACK = "127.0.0.1"
TOKEN_HEADER = "X-Mlbench-Token"
MOST = 1_000_000
"""The largest request in bytes."""
_PATIENCE = 10.0
"""Seconds that a connection may be silent."""


@dataclass(frozen=True)
class JsonReply:
    """An answer to the page: a status, and a value for `json.dumps`."""

    status: HTTPStatus
    value: Any


def refusal(status: HTTPStatus, why: str) -> JsonReply:
    """The reply to a request that is not carried out."""
    return JsonReply(status, {"faults": [why]})


class LocalServer(ThreadingHTTPServer):
    """Serves one page on this machine's loopback address. A subclass answers its requests, one at a time.

    Args:
        page: the page.
        changes: the paths of the requests that change something.
        port: 0 for any free port.

    Raises:
        UsageError: the port is taken.
    """

    daemon_threads = True

    def __init__(self, page: LocalPage, changes: Sequence[str], port: int = 0) -> None:
        self.page = page
        self.changes = frozenset(changes)
        self.lock = threading.Lock()
        self.token = secrets.token_urlsafe(24)
        try:
            super().__init__((LOOPBACK, port), _Handler)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or error
            raise UsageError(
                f"port {port} cannot be used ({why}); name another port, or 0 for any free port"
            ) from error

    def read(self, name: str, query: Mapping[str, str]) -> JsonReply | None:
        """Answer a request that changes nothing; None if there is no such path."""
        raise NotImplementedError

    def change(self, name: str, body: bytes) -> JsonReply:
        """Carry out a request of the page's own script; `name` is one of `changes`."""
        raise NotImplementedError

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.server_port}/{self.token}/"

    @property
    def hosts(self) -> tuple[str, ...]:
        return (f"{LOOPBACK}:{self.server_port}", f"localhost:{self.server_port}")

    def run(self, title: str, open_browser: bool) -> None:
        """Print the address and serve until Ctrl-C; a change that has begun is finished.

        Args:
            title: what is served, in a few words.
            open_browser: whether the page is opened.
        """
        print(f"{title}: {self.url}   (Ctrl-C ends it)", flush=True)
        if open_browser:
            webbrowser.open(self.url)
        with contextlib.suppress(KeyboardInterrupt):
            self.serve_forever(poll_interval=0.2)
        self.lock.acquire()  # the process ends now; no other change begins

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore connections that a browser closed."""


class _Handler(BaseHTTPRequestHandler):
    server: LocalServer
    server_version, sys_version = "mlbench", ""
    timeout = _PATIENCE

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        name = self._named(url.path)
        if name is None:
            return
        if name == "":
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page.html.encode())
            return
        with self.server.lock:
            reply = self.server.read(name, dict(parse_qsl(url.query)))
        self._json(reply or refusal(HTTPStatus.NOT_FOUND, "there is no such page"))

    def do_POST(self) -> None:
        name = self._named(urlsplit(self.path).path)
        if name is None:
            return
        if refused := self._refused(name):
            self._json(refused)
            return
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            reply = self.server.change(name, body)
        self._json(reply)

    def _refused(self, name: str) -> JsonReply | None:
        """Why a change is refused before it is read."""
        given, length = self.headers.get(TOKEN_HEADER, ""), self.headers.get("Content-Length", "")
        origin = f"http://{self.headers.get('Host', '')}"
        if not _same(given, self.server.token) or self.headers.get("Origin", origin) != origin:
            return refusal(HTTPStatus.FORBIDDEN, "a change needs this server's own page")
        if name not in self.server.changes or self.headers.get_content_type() != "application/json":
            return refusal(HTTPStatus.NOT_FOUND, "there is no such question")
        if not (length.isascii() and length.isdecimal()):
            return refusal(HTTPStatus.LENGTH_REQUIRED, "the request has no length")
        if len(length) > 9 or int(length) > MOST:
            return refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the request is longer than {MOST:,} bytes")
        return None

    def _named(self, path: str) -> str | None:
        """The path below the secret address; None if the request was refused."""
        if self.headers.get("Host", "") not in self.server.hosts:
            self._json(refusal(HTTPStatus.MISDIRECTED_REQUEST, "this is not the host's name"))
            return None
        _, token, *rest = [*path.split("/"), ""]
        if not _same(token, self.server.token) or not rest:
            self._json(refusal(HTTPStatus.FORBIDDEN, "the address is the one that the command printed"))
            return None
        return "/".join(rest).strip("/")

    def _json(self, reply: JsonReply) -> None:
        # a lone surrogate can only be sent escaped
        self._send(reply.status, "application/json", json.dumps(reply.value, allow_nan=False).encode())

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Content-Security-Policy": self.server.page.policy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: the terminal shows a summary at the end."""


def _same(given: str, token: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "replace"), token.encode())
