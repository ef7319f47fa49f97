"""A package index on a loopback port, with tiny wheels, that counts what it is asked and lies on demand."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import threading
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx

from mlbench.package_index.aggregate import AggregateIndex
from mlbench.package_index.pages import JSON_TYPE
from mlbench.package_index.server import IndexServer
from mlbench.repositories.pip_config import Upstream


def wheel(project: str, version: str = "1.0", requires: str = "") -> bytes:
    """A wheel with one module, `PROJECT.py`, that says which version it is."""
    about = f"{project}-{version}.dist-info"
    files = {
        f"{project}.py": f"version = {version!r}\n",
        f"{about}/METADATA": metadata(project, version, requires).decode(),
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    digests = {name: base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()) for name, text in files.items()}
    record = [f"{name},sha256={digests[name].decode().rstrip('=')},{len(text)}" for name, text in files.items()]
    files[f"{about}/RECORD"] = "\n".join([*record, f"{about}/RECORD,,"]) + "\n"
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return into.getvalue()


def metadata(project: str, version: str = "1.0", requires: str = "") -> bytes:
    needs = f"Requires-Dist: {requires}\n" if requires else ""
    return f"Metadata-Version: 2.1\nName: {project}\nVersion: {version}\n{needs}".encode()


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True)
class Answer:
    """What a path is answered with.

    Attributes:
        etag: sent with the answer; a request that sends it back gets 304.
        cut: only half of the body is sent before the connection closes.
    """

    body: bytes = b""
    status: int = 200
    type: str = "application/octet-stream"
    etag: str = ""
    location: str = ""
    cut: bool = False


class FakeIndex:
    """`answers` by path; `asked` counts by path; `headers` are those of the latest request for a path."""

    def __init__(self, port: int) -> None:
        self.host = f"http://127.0.0.1:{port}"
        self.answers: dict[str, Answer | Callable[[], Answer]] = {}
        self.asked: Counter[str] = Counter()
        self.headers: dict[str, dict[str, str]] = {}

    def add(self, project: str, version: str = "1.0", requires: str = "", with_metadata: bool = False) -> str:
        """A project with one wheel; returns the wheel's name."""
        name, content = f"{project}-{version}-py3-none-any.whl", wheel(project, version, requires)
        mark = ""
        if with_metadata:
            beside = metadata(project, version, requires)
            mark = f' data-core-metadata="sha256={sha256(beside)}"'
            self.answers[f"/packages/{name}.metadata"] = Answer(beside)
        self.answers[f"/packages/{name}"] = Answer(content)
        self.page(project, f'<a href="../../packages/{name}#sha256={sha256(content)}"{mark}>{name}</a>')
        return name

    def page(self, project: str, text: str, etag: str = "") -> None:
        self.answers[f"/simple/{project}/"] = Answer(text.encode(), type="text/html", etag=etag)

    def json_page(self, project: str, *rows: dict[str, object]) -> None:
        body = json.dumps({"meta": {"api-version": "1.1"}, "name": project, "files": rows}).encode()
        self.answers[f"/simple/{project}/"] = Answer(body, type=JSON_TYPE)

    @property
    def url(self) -> str:
        return f"{self.host}/simple/"


@contextmanager
def fake_index() -> Iterator[FakeIndex]:
    """One that runs."""

    class IndexHandler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            fake.asked[self.path] += 1
            fake.headers[self.path] = dict(self.headers)
            answer = fake.answers.get(self.path, Answer(status=404))
            answer = answer() if callable(answer) else answer
            if answer.etag and self.headers.get("If-None-Match") == answer.etag:
                answer = Answer(status=304, etag=answer.etag)
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.type)
            self.send_header("Content-Length", str(len(answer.body)))
            for name, value in (("ETag", answer.etag), ("Location", answer.location)):
                if value:
                    self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body[: len(answer.body) // 2] if answer.cut else answer.body)
            self.close_connection = answer.cut

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), IndexHandler)
    server.daemon_threads = True
    fake = FakeIndex(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def served(upstream: Upstream, folder: Path) -> Iterator[httpx.Client]:
    """Our index over `upstream`, kept in `folder`; a client that is connected to its socket."""
    folder.mkdir(exist_ok=True)
    path = folder / "socket"
    server = IndexServer(path, AggregateIndex(upstream, folder))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        with httpx.Client(transport=httpx.HTTPTransport(uds=str(path)), base_url="http://index", timeout=30) as client:
            yield client
    finally:
        server.shutdown()
        server.server_close()
        path.unlink()
        thread.join()
