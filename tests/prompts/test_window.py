"""An endpoint is asked for its context window; nothing that it says can break a run."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from mlbench.eval_models import window_of
from mlbench.prompts.context import INSTRUCTION, REPLY, Context
from mlbench.prompts.window import context_window
from mlbench.records import UsageError
from mlbench.run_config import RunConfig

LLAMA_CPP = {
    "/v1/models": {"data": [{"id": "tiny", "meta": {"n_ctx": 8192, "n_ctx_train": 131072}}]},
    "/props": {"default_generation_settings": {"n_ctx": 4096}, "total_slots": 2},
}
VLLM = {"/v1/models": {"data": [{"id": "other", "max_model_len": 1}, {"id": "tiny", "max_model_len": 32768}]}}


@contextmanager
def stating(pages: Mapping[str, Any]) -> Iterator[str]:
    """A server that has these pages: JSON, or bytes as they are."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = pages.get(self.path)
            body = page if isinstance(page, bytes) else json.dumps(page).encode()
            self.send_response(404 if page is None else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("pages", "window"),
    [
        pytest.param(LLAMA_CPP, 4096, id="llama.cpp: one slot's share"),
        pytest.param({"/v1/models": LLAMA_CPP["/v1/models"]}, 8192, id="llama.cpp without /props"),
        pytest.param(VLLM, 32768, id="vLLM"),
        pytest.param({"/v1/models": {"data": [{"id": "alias", "max_model_len": 512}]}}, 512, id="the only one"),
        pytest.param({"/v1/models": {"data": [{"id": "tiny"}]}}, None, id="says nothing"),
        pytest.param({}, None, id="no such page"),
        pytest.param({"/v1/models": b"<html>", "/props": b"[" * 100_000}, None, id="not JSON"),
        pytest.param({"/v1/models": {"data": [{"id": "tiny", "max_model_len": "4096"}]}}, None, id="text"),
        pytest.param({"/v1/models": {"data": [{"id": "tiny", "max_model_len": -1}]}}, None, id="negative"),
        pytest.param({"/v1/models": {"data": [{"id": "tiny", "max_model_len": True}]}}, None, id="a truth value"),
        pytest.param({"/v1/models": [1], "/props": {"default_generation_settings": [2]}}, None, id="another shape"),
    ],
)
def test_the_window_is_what_the_endpoint_states(pages: Mapping[str, Any], window: int | None) -> None:
    with stating(pages) as url:
        assert context_window(url, "tiny", "a key") == window


def test_an_endpoint_that_is_down_states_nothing() -> None:
    with stating({}) as url:
        pass
    assert context_window(url, "tiny") is None


def test_a_run_asks_the_endpoint_of_its_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "a key")
    with stating(LLAMA_CPP) as url:
        assert window_of("openai-api/local/tiny", RunConfig(base_url=url)) == 4096
    assert window_of("mlbench/nothing", RunConfig()) is None


def test_documents_get_what_the_reply_and_the_instruction_leave() -> None:
    assert Context().budget == 128_000 - REPLY - INSTRUCTION
    assert Context(tokens=2048, reply=384).budget == 2048 - 384 - INSTRUCTION
    assert Context(tokens=2048).budget == 2048 - 512 - INSTRUCTION
    assert Context(tokens=4096).budget == 4096 - 1024 - INSTRUCTION  # 5,120 were kept, and nothing was left


def test_a_window_without_room_for_documents_says_what_to_do() -> None:
    with pytest.raises(UsageError, match="lower --max-tokens or raise --context-tokens"):
        _ = Context(tokens=2048, reply=1500).budget
