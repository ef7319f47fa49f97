"""A real HTTP server that speaks OpenAI's protocols: chat completions and responses, at once or streamed (SSE).

It finds the row that a prompt is about by the instruction in it and answers with the row's reference, with a wrong
answer on demand, or with a scripted fault. Every answer names the request it is the answer to, and every request is
kept, so that a test can say which reply ended in which sample and what was asked how often.
"""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from mlbench.prompts.messages import fenced
from mlbench.suites.suite import load_split

MEGABYTE = 1_000_000
OUTPUT_TOKENS = 50
_INSTRUCTION = re.compile(r"<instruction>\n(.*)\n</instruction>", re.DOTALL)
_REPLY = re.compile(r"\(reply (\d+)\)")


class Fault(StrEnum):
    """What goes wrong with one request."""

    RATE_LIMIT = "429 with Retry-After: 1"
    ERROR = "500"
    CUT = "the connection ends within the body"
    MALFORMED = "a body that is no JSON"
    NO_CHOICE = "a body without any choice"
    EMPTY = "an answer of no characters"
    HUGE = "an answer of 1 MB: prose, then the code"
    HUGE_CODE = "an answer of 1 MB: code, most of it a comment"
    SLOW = "the answer takes 1 s"
    HANG = "no answer until the server closes"
    OVERFLOW = "400 of llama.cpp's server: the prompt exceeds the context"
    OVERFLOW_CODE = "400 of OpenAI's: the same"
    LENGTH = "the answer stops at the limit of tokens"


@dataclass(frozen=True)
class Asked:
    """One request. `serial` counts all requests from 1, `turn` those for this row from 1."""

    serial: int
    row: int
    turn: int
    path: str
    stream: bool
    key: str
    body: Mapping[str, Any]
    seconds: float
    fault: Fault | None = None


def serial_of(answer: str) -> int:
    """The serial of the request that an answer was given to."""
    found = _REPLY.search(answer)
    assert found, f"not an answer of this server: {answer[-200:]!r}"
    return int(found[1])


def input_tokens(row: int) -> int:
    """What the server says a prompt about this row has cost."""
    return 1000 + row


class Endpoint:
    """The server and what it saw.

    Args:
        faults: per row, what goes wrong with its first requests, in turn.
        always: per row, what goes wrong with every request.
        wrong: rows that are answered wrongly.
        dies_after: after so many sound answers nobody listens any more.
        pause: seconds that every answer takes.
        on_asked: called in the request's thread before the answer is sent.
        on_answered: called in the request's thread when the last byte of a sound answer was handed over.
    """

    def __init__(
        self,
        *,
        faults: Mapping[int, Iterable[Fault]] | None = None,
        always: Mapping[int, Fault] | None = None,
        wrong: Iterable[int] = (),
        dies_after: int | None = None,
        pause: float = 0,
        on_asked: Callable[[Asked], None] = lambda asked: None,
        on_answered: Callable[[Asked], None] = lambda asked: None,
    ) -> None:
        self.on_asked, self.on_answered = on_asked, on_answered
        self._faults = {row: list(given) for row, given in (faults or {}).items()}
        self._always, self._wrong = dict(always or {}), frozenset(wrong)
        self._dies_after, self.pause = dies_after, pause
        self._rows = {row.instruction.strip(): row for row in load_split("pocket", "full")}
        self._lock = threading.Lock()
        self._turns: Counter[int] = Counter()
        self.closed = threading.Event()
        self.asked: list[Asked] = []
        self.answered: list[Asked] = []

    def open_request(self, path: str, key: str, body: Mapping[str, Any]) -> Asked:
        text = json.dumps(body.get("messages") or body.get("input"))
        instruction = _INSTRUCTION.search(json.loads(f'"{_strings(text)}"'))
        assert instruction, f"a prompt without an instruction: {text[:500]}"
        row = self._rows[instruction[1].strip()].id
        with self._lock:
            self._turns[row] += 1
            left = self._faults.get(row)
            fault = self._always.get(row) or (left.pop(0) if left else None)
            asked = Asked(
                serial=len(self.asked) + 1,
                row=row,
                turn=self._turns[row],
                path=path,
                stream=bool(body.get("stream")),
                key=key,
                body=body,
                seconds=time.monotonic(),
                fault=fault,
            )
            self.asked.append(asked)
        return asked

    def close_request(self, asked: Asked) -> None:
        with self._lock:
            self.answered.append(asked)

    @property
    def dead(self) -> bool:
        return self._dies_after is not None and len(self.answered) >= self._dies_after

    def answer(self, asked: Asked) -> str:
        sample = next(row for row in self._rows.values() if row.id == asked.row)
        reply = "```bash\nexit 1\n```" if asked.row in self._wrong else fenced(sample.output, sample.kind)
        if asked.fault is Fault.EMPTY:
            return ""
        if asked.fault is Fault.HUGE:
            reply = "Let me think about it. " * (MEGABYTE // 23) + "\n\n" + reply
        if asked.fault is Fault.HUGE_CODE:
            reply = fenced(sample.output + "\n" + f"# {'x' * 98}\n" * (MEGABYTE // 101), sample.kind)
        return f"{reply}\n(reply {asked.serial})"

    def by_row(self) -> dict[int, list[Asked]]:
        """The requests, by row."""
        found: dict[int, list[Asked]] = defaultdict(list)
        for asked in self.asked:
            found[asked.row].append(asked)
        return found


def _strings(text: str) -> str:
    """All of a JSON text as the inside of one JSON string: enough to find the instruction wherever it stands."""
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', text))


@contextmanager
def serving(endpoint: Endpoint, port: int = 0) -> Iterator[str]:
    """Serve on 127.0.0.1; yields the base url."""
    server = _Server(("127.0.0.1", port), endpoint)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        endpoint.closed.set()
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def nobody() -> Iterator[str]:
    """The base url of a port at which nobody listens, and nobody else will as long as the context lasts."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}/v1"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], endpoint: Endpoint) -> None:
        super().__init__(address, _Handler)
        self.endpoint = endpoint

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that is gone is what these tests are about."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path not in ("/v1/chat/completions", "/v1/responses"):
            self._send(404, {"error": {"message": f"no such path {self.path}", "type": "invalid_request_error"}})
            return
        endpoint = self.server.endpoint
        if endpoint.dead:
            self.server.socket.close()
            self._cut()
            return
        asked = endpoint.open_request(self.path, self.headers.get("Authorization", "").removeprefix("Bearer "), body)
        endpoint.on_asked(asked)
        match asked.fault:
            case Fault.RATE_LIMIT:
                error = {"message": "slower", "type": "rate_limit_error", "code": "rate_limit_exceeded"}
                self._send(429, {"error": error}, {"Retry-After": "1"})
                return
            case Fault.ERROR:
                self._send(500, {"error": {"message": "the server has failed", "type": "server_error"}})
                return
            case Fault.OVERFLOW:
                words = "request (12031 tokens) exceeds the available context size (8192 tokens), try increasing it"
                self._send(400, {"error": {"code": 400, "message": words, "type": "exceed_context_size_error"}})
                return
            case Fault.OVERFLOW_CODE:
                words = "This model's maximum context length is 8192 tokens."
                self._send(400, {"error": {"code": "context_length_exceeded", "message": words, "type": "invalid"}})
                return
            case Fault.MALFORMED:
                self._raw(200, b'{"id": "1", "choices": [{"message": {"con', "application/json")
                return
            case Fault.HANG:
                endpoint.closed.wait(120)
                self.close_connection = True
                return
            case Fault.SLOW:
                time.sleep(1)
        time.sleep(endpoint.pause)
        answer = endpoint.answer(asked)
        whole = _responses if self.path == "/v1/responses" else _completion
        if asked.stream:
            events = _response_events if self.path == "/v1/responses" else _chunks
            self._stream(events(asked, answer), cut=asked.fault is Fault.CUT)
        else:
            data = json.dumps(whole(asked, answer)).encode()
            self._raw(200, data, "application/json", cut=asked.fault is Fault.CUT)
        if asked.fault is not Fault.CUT:
            endpoint.close_request(asked)
            endpoint.on_answered(asked)

    def _send(self, status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        self._raw(status, json.dumps(body).encode(), "application/json", headers)

    def _raw(
        self, status: int, data: bytes, kind: str, headers: Mapping[str, str] | None = None, cut: bool = False
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if cut else data)
        if cut:
            self._cut()

    def _stream(self, events: Iterator[Mapping[str, Any] | str], cut: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for position, event in enumerate(events):
            if cut and position == 2:
                self._cut()
                return
            name = f"event: {event['type']}\n" if isinstance(event, Mapping) and "type" in event else ""
            data = (name + f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n").encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.write(b"0\r\n\r\n")

    def _cut(self) -> None:
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True


def _usage(asked: Asked) -> dict[str, int]:
    prompt = input_tokens(asked.row)
    return {"prompt_tokens": prompt, "completion_tokens": OUTPUT_TOKENS, "total_tokens": prompt + OUTPUT_TOKENS}


def _completion(asked: Asked, answer: str) -> dict[str, Any]:
    reason = "length" if asked.fault is Fault.LENGTH else "stop"
    choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": answer}}
    return {
        "id": f"chatcmpl-{asked.serial}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": asked.body["model"],
        "choices": [] if asked.fault is Fault.NO_CHOICE else [choice],
        "usage": _usage(asked),
    }


def _chunks(asked: Asked, answer: str) -> Iterator[Mapping[str, Any] | str]:
    head = {
        "id": f"chatcmpl-{asked.serial}",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": asked.body["model"],
    }

    def chunk(delta: Mapping[str, Any], reason: str | None = None) -> dict[str, Any]:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    if asked.fault is not Fault.NO_CHOICE:
        yield chunk({"role": "assistant", "content": ""})
        step = max(20, len(answer) // 50)
        for start in range(0, len(answer), step):
            yield chunk({"content": answer[start : start + step]})
        yield chunk({}, "stop")
    if asked.body.get("stream_options", {}).get("include_usage"):
        yield {**head, "choices": [], "usage": _usage(asked)}
    yield "[DONE]"


def _responses(asked: Asked, answer: str, status: str = "completed") -> dict[str, Any]:
    usage = _usage(asked)
    message = {
        "id": f"msg_{asked.serial}",
        "type": "message",
        "role": "assistant",
        "status": status,
        "content": [{"type": "output_text", "text": answer, "annotations": []}],
    }
    return {
        "id": f"resp_{asked.serial}",
        "object": "response",
        "created_at": 1_700_000_000,
        "status": status,
        "model": asked.body["model"],
        "output": [] if asked.fault is Fault.NO_CHOICE or status != "completed" else [message],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": usage["prompt_tokens"],
            "output_tokens": usage["completion_tokens"],
            "total_tokens": usage["total_tokens"],
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }


def _response_events(asked: Asked, answer: str) -> Iterator[Mapping[str, Any] | str]:
    where = {"item_id": f"msg_{asked.serial}", "output_index": 0, "content_index": 0}
    whole = _responses(asked, answer)
    part = {"type": "output_text", "text": "", "annotations": []}
    opened = {**whole["output"][0], "status": "in_progress", "content": []}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": _responses(asked, answer, "in_progress")},
        {"type": "response.output_item.added", "output_index": 0, "item": opened},
        {"type": "response.content_part.added", **where, "part": part},
        {"type": "response.output_text.delta", **where, "delta": answer, "logprobs": []},
        {"type": "response.output_text.done", **where, "text": answer, "logprobs": []},
        {"type": "response.content_part.done", **where, "part": {**part, "text": answer}},
        {"type": "response.output_item.done", "output_index": 0, "item": whole["output"][0]},
        {"type": "response.completed", "response": whole},
    ]
    for number, event in enumerate(events):
        yield {**event, "sequence_number": number}
