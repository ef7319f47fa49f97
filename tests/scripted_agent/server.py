"""The engineer's HTTP server: `/v1/chat/completions`, `/v1/responses` and `/v1/models`, at once or streamed (SSE)."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

from tests.scripted_agent.behaviours import BEHAVIOURS, reply_of
from tests.scripted_agent.protocol import BadRequestError, Conversation, Reply, conversation
from tests.scripted_agent.wire import Answer, Json

_POSTS = ("/v1/chat/completions", "/v1/responses")
_LARGEST = 64 << 20


@dataclass(frozen=True)
class Asked:
    """One request, for tests to look at; `body` is what was sent, `behaviour` who answered."""

    serial: int
    path: str
    key: str
    body: Json
    said: Conversation
    behaviour: str
    reply: Reply


class Engineer:
    """The server, with a log of what it was asked.

    Args:
        behaviour: one of `BEHAVIOURS`; a request whose model is named like another one is answered by that one.
        port: 0 for any that is free.
        think: in place of a behaviour, a function from the conversation to the reply.
    """

    def __init__(
        self, behaviour: str = "competent", port: int = 0, think: Callable[[Conversation], Reply] | None = None
    ) -> None:
        if behaviour not in BEHAVIOURS:
            raise ValueError(f"no behaviour {behaviour!r}; there are: {', '.join(BEHAVIOURS)}")
        self.behaviour = behaviour
        self._port, self._think = port, think
        self._lock = threading.Lock()
        self._serial = 0
        self._server: _Server | None = None
        self.asked: list[Asked] = []
        self.faults: list[BaseException] = []

    def __enter__(self) -> Engineer:
        self._server = _Server(("127.0.0.1", self._port), self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """The base url, with /v1."""
        assert self._server is not None, "use it as a context: with Engineer() as engineer: …"
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def env(self) -> dict[str, str]:
        """What Inspect wants for the model `openai-api/engineer/competent`."""
        return {"ENGINEER_BASE_URL": self.url, "ENGINEER_API_KEY": "none"}

    def answer(self, path: str, key: str, body: Json) -> Answer:
        """What is said to one request.

        Raises:
            BadRequestError: it is not as the protocol wants it.
        """
        said = conversation(path, body)
        named = said.model.rsplit("/", 1)[-1]
        behaviour = named if named in BEHAVIOURS else self.behaviour
        with self._lock:  # Python's parser, which he reads sources with, is not safe in several threads at once
            reply = self._think(said) if self._think else reply_of(behaviour, said)
            self._serial += 1
            serial = self._serial
            self.asked.append(Asked(serial, path, key, body, said, behaviour, reply))
        return Answer(said, reply, serial)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], engineer: Engineer) -> None:
        super().__init__(address, _Handler)
        self.engineer = engineer

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is its own affair."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed: tests look at `Engineer.asked`."""

    def do_GET(self) -> None:
        if self._path == "/v1/models":
            models = [{"id": name, "object": "model", "created": 0, "owned_by": "engineer"} for name in BEHAVIOURS]
            self._json(200, {"object": "list", "data": models})
        else:
            self._error(404, f"no such path: {self._path}")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > _LARGEST:
            self.close_connection = True
            self._error(400, "a Content-Length of at most 64 MiB is needed")
            return
        data = self.rfile.read(int(length))
        if self._path not in _POSTS:
            self._error(404, f"no such path: {self._path}; there are: {', '.join(_POSTS)}")
            return
        engineer = self.server.engineer
        try:
            body = json.loads(data)
            if not isinstance(body, dict):
                raise BadRequestError("the body is no JSON object")
            answer = engineer.answer(self._path, self.headers.get("Authorization", "").removeprefix("Bearer "), body)
        except BadRequestError as error:
            self._error(400, str(error))
        except ValueError as error:
            self._error(400, f"the body is no JSON: {error}")
        except Exception as error:  # the engineer's own mistake: the test that has it wants to see it
            engineer.faults.append(error)
            self._error(500, f"{type(error).__name__}: {error}", "server_error")
        else:
            self._answer(answer, body)

    @property
    def _path(self) -> str:
        return self.path.split("?", 1)[0]

    def _answer(self, answer: Answer, body: Json) -> None:
        responses = self._path == "/v1/responses"
        if body.get("stream"):
            usage = bool((body.get("stream_options") or {}).get("include_usage"))
            self._stream(answer.events() if responses else answer.chunks(usage))
        else:
            self._json(200, answer.response() if responses else answer.completion())

    def _error(self, status: int, message: str, kind: str = "invalid_request_error") -> None:
        self._json(status, {"error": {"message": message, "type": kind, "param": None, "code": None}})

    def _json(self, status: int, body: Json) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: Iterator[Json | str]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in events:
            name = f"event: {event['type']}\n" if isinstance(event, dict) and "type" in event else ""
            data = f"{name}data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.write(b"0\r\n\r\n")
