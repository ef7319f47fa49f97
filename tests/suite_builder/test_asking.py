"""Asking a model over OpenAI's protocol: answers that are right, rubbish, refused, or never come."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import anyio
import pytest
from inspect_ai.model import GenerateConfig, Model, get_model
from pydantic import BaseModel

from mlbench.suite_builder.llm import LONGEST, SILENCE, TRIES, Asker, ask, parsed

pytest.importorskip("openai")


class Part(BaseModel):
    name: str
    values: list[str]


class Parts(BaseModel):
    parts: list[Part]


GOOD = '{"parts": [{"name": "epochs", "values": ["3", "5"]}]}'


SILENT = -1
"""In place of a reply: none at all."""


@contextmanager
def endpoint(replies: Sequence[str | int], asked: list[dict[str, Any]]) -> Iterator[Callable[[], Model]]:
    """A server with these replies in turn, the last one for ever; a number is a status.

    The client waits long for a server that replies, however busy this machine is, and briefly for a silent one.
    """
    closed = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            reply = replies[min(len(asked), len(replies)) - 1]
            if reply == SILENT:
                closed.wait(60)
                return
            message = {"role": "assistant", "content": reply if isinstance(reply, str) else ""}
            reason = "content_filter" if reply == "(refused)" else "stop"
            body = {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": "m",
                "choices": [{"index": 0, "finish_reason": reason, "message": message}],
                "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
            }
            data = json.dumps(body).encode()
            self.send_response(reply if isinstance(reply, int) else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    wait = 1 if SILENT in replies else 60
    config = GenerateConfig(max_retries=0, timeout=2 * wait, attempt_timeout=wait)
    try:
        yield lambda: get_model("openai-api/local/m", base_url=url, api_key="k", config=config, memoize=False)
    finally:
        closed.set()
        server.shutdown()
        server.server_close()
        thread.join()


def asked_for(
    replies: Sequence[str | int], questions: int = 1
) -> tuple[list[Parts | None], Asker, list[dict[str, Any]]]:
    """The answers to so many questions, the asker, and the requests."""
    requests: list[dict[str, Any]] = []

    async def questioning(asker: Asker) -> list[Parts | None]:
        return [await asker.ask("Name the parts.", "the text", Parts, f"task-{n}") for n in range(questions)]

    with endpoint(replies, requests) as model:
        asker = Asker(model())
        return anyio.run(questioning, asker), asker, requests


def test_an_answer_has_the_shape_that_the_request_names() -> None:
    (found,), asker, (request,) = asked_for([GOOD])
    assert found == Parts(parts=[Part(name="epochs", values=["3", "5"])])
    assert request["response_format"]["json_schema"]["name"] == "Parts"
    assert request["response_format"]["json_schema"]["schema"]["required"] == ["parts"]
    assert '"required": ["parts"]' in request["messages"][0]["content"]  # for servers that know no response_format
    assert (asker.usage.input_tokens, asker.usage.output_tokens, asker.usage.total_cost) == (10, 5, None)
    assert asker.cost == "openai-api/local/m: 1 questions, 0 without an answer, 15 tokens, price unknown"
    assert [(each.about, each.wanted, each.fault) for each in asker.questions] == [("task-0", "Parts", "")]


def test_what_was_wrong_is_shown_and_the_next_reply_taken() -> None:
    short, long = '{"parts": [{"name": "epochs"}]}', f"Here it is:\n```json\n{GOOD}\n```\nBye."
    (found,), asker, requests = asked_for([short, long])
    assert found is not None and found.parts[0].name == "epochs"
    assert "parts.0.values: Field required" in requests[1]["messages"][-1]["content"]
    assert [bool(reply.fault) for reply in asker.questions[0].replies] == [True, False]
    assert asker.usage.total_tokens == 30  # a refused reply was paid for too


def test_rubbish_is_asked_for_no_more_than_a_few_times() -> None:
    (found,), asker, requests = asked_for(["I would rather talk about {music}."])
    assert found is None and len(requests) == TRIES
    assert asker.questions[0].fault == "there is no JSON object in it"


def test_a_refusal_is_not_asked_again() -> None:
    (found,), asker, requests = asked_for(["(refused)"])
    assert found is None and len(requests) == 1 and asker.questions[0].fault == "refused by the model"


@pytest.mark.parametrize("reply", [500, SILENT])
def test_a_service_that_fails_or_is_silent_is_left_alone_after_a_while(reply: int) -> None:
    found, asker, requests = asked_for([reply], SILENCE + 2)
    assert found == [None] * (SILENCE + 2) and requests
    faults = [question.fault for question in asker.questions]
    assert all("failed: " in fault and "\n" not in fault for fault in faults[:SILENCE])
    assert all(fault.startswith("not asked") for fault in faults[SILENCE:])


def test_without_a_model_nobody_is_asked() -> None:
    assert anyio.run(ask, None, "Name the parts.", "the text", Parts) is None
    assert Asker(None).cost == "no model was asked"


@pytest.mark.parametrize(
    "reply",
    ["", "[]", "{", "{" * 300_000, '{"a":' * 100_000, "null", '{"parts": null}', " " * LONGEST + GOOD],
    ids=["nothing", "list", "open", "many", "deep", "null", "none", "late"],
)
def test_no_reply_is_too_strange(reply: str) -> None:
    found, fault = parsed(reply, Parts)
    assert found is None and fault


def test_the_first_object_that_fits_is_taken() -> None:
    found, _ = parsed('{"an": "example"} and now ' + GOOD + ' {"parts": []}', Parts)
    assert found is not None and len(found.parts) == 1
