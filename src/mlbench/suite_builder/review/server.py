"""The review's server: local, with one secret address, one page and a few JSON answers.

A foreign page in the same browser can neither read nor decide. It does not know the address, its Host differs (DNS
rebinding), and a decision needs a header that no foreign page may send.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import threading
import webbrowser
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from mlbench.records import UsageError
from mlbench.results.format import printable
from mlbench.suite_builder.review.api import MOST, answered
from mlbench.suite_builder.review.page import ReviewPage, page
from mlbench.suite_builder.review.recipe_store import ReviewDecision
from mlbench.suite_builder.review.service import ReviewService

LOOPBACK = "127.0.0.1"
TOKEN_HEADER = "X-Review-Token"
_PATIENCE = 10.0
"""Seconds that a connection may be silent."""


def serve(suite_folder: Path, port: int = 0, open_browser: bool = True) -> None:
    """Serve a suite's review until Ctrl-C, then print what was decided.

    Args:
        suite_folder: the suite's folder.
        port: 0 for any free port.
        open_browser: whether the page is opened.

    Raises:
        UsageError: the folder holds no suite with recipes, or the port is taken.
    """
    with ReviewServer(ReviewService(suite_folder), port) as server:
        print(f"review of {printable(str(suite_folder))}: {server.url}   (Ctrl-C ends it)", flush=True)
        if open_browser:
            webbrowser.open(server.url)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever(poll_interval=0.2)
        with server.lock:  # waits until a decision is stored
            print("\n".join(["", *summary(server.desk.decided)]), flush=True)


def summary(decided: Sequence[ReviewDecision]) -> list[str]:
    """The decisions, as lines to print."""
    if not decided:
        return ["nothing was decided"]
    counts = Counter(decision.what for decision in decided)
    lines = [
        f"{each.repository}/{each.task}: {each.what}" + (f" ({each.why})" if each.why.strip() else "")
        for each in decided
    ]
    total = ", ".join(f"{number} {what}" for what, number in counts.items())
    return [*(printable(line) for line in lines), f"{total}; it stands in the recipes, the next build follows it"]


class ReviewServer(ThreadingHTTPServer):
    """Serves one review on this machine's loopback address.

    Raises:
        UsageError: the port is taken.
    """

    daemon_threads = True

    def __init__(self, desk: ReviewService, port: int = 0) -> None:
        self.desk = desk
        self.lock = threading.Lock()
        self.page: ReviewPage = page()
        self.token = secrets.token_urlsafe(24)
        try:
            super().__init__((LOOPBACK, port), _Handler)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or error
            raise UsageError(
                f"port {port} cannot be had ({why}); name another one, or 0 for any that is free"
            ) from error

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.server_port}/{self.token}/"

    @property
    def hosts(self) -> tuple[str, ...]:
        return (f"{LOOPBACK}:{self.server_port}", f"localhost:{self.server_port}")

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore connections that a browser closed."""


@dataclass(frozen=True)
class _Refusal:
    status: HTTPStatus
    why: str


class _Handler(BaseHTTPRequestHandler):
    server: ReviewServer
    server_version, sys_version = "mlbench", ""
    timeout = _PATIENCE

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        name = self._named(url.path)
        if name is None:
            return
        if name == "":
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page.html.encode())
        elif name == "suite":
            with self.server.lock:
                overview = self.server.desk.overview()
            self._json(HTTPStatus.OK, asdict(overview))
        elif name == "task":
            asked = parse_qs(url.query)
            try:
                with self.server.lock:
                    view = self.server.desk.view(asked.get("repository", [""])[0], asked.get("task", [""])[0])
            except UsageError as error:
                self._json(HTTPStatus.NOT_FOUND, {"faults": [str(error)]})
            else:
                self._json(HTTPStatus.OK, asdict(view))
        else:
            self._json(HTTPStatus.NOT_FOUND, {"faults": ["there is no such page"]})

    def do_POST(self) -> None:
        name = self._named(urlsplit(self.path).path)
        if name is None:
            return
        if refused := self._refused(name):
            self._json(refused.status, {"faults": [refused.why]})
            return
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            answer = answered(self.server.desk, body)
        self._json(answer.status, answer.model_dump(exclude={"status"}))

    def _refused(self, name: str) -> _Refusal | None:
        """Why a decision is refused before it is read."""
        given, length = self.headers.get(TOKEN_HEADER, ""), self.headers.get("Content-Length", "")
        origin = f"http://{self.headers.get('Host', '')}"
        if not _same(given, self.server.token) or self.headers.get("Origin", origin) != origin:
            return _Refusal(HTTPStatus.FORBIDDEN, "a decision needs this review's own page")
        if name != "decide" or self.headers.get_content_type() != "application/json":
            return _Refusal(HTTPStatus.NOT_FOUND, "there is no such question")
        if not (length.isascii() and length.isdecimal()):
            return _Refusal(HTTPStatus.LENGTH_REQUIRED, "the request has no length")
        if len(length) > 9 or int(length) > MOST:
            return _Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the request is longer than {MOST:,} bytes")
        return None

    def _named(self, path: str) -> str | None:
        """The path below the secret address; None if the request was refused."""
        if self.headers.get("Host", "") not in self.server.hosts:
            self._json(HTTPStatus.MISDIRECTED_REQUEST, {"faults": ["this is not the host's name"]})
            return None
        _, token, *rest = [*path.split("/"), ""]
        if not _same(token, self.server.token) or not rest:
            self._json(HTTPStatus.FORBIDDEN, {"faults": ["the address is the one that the command printed"]})
            return None
        return "/".join(rest).strip("/")

    def _json(self, status: HTTPStatus, value: Any) -> None:
        # a lone surrogate can only be sent escaped
        self._send(status, "application/json", json.dumps(value, allow_nan=False).encode())

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
        """Log nothing: the terminal shows the decisions at the end."""


def _same(given: str, token: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "replace"), token.encode())
