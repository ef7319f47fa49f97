"""An endpoint that refuses the key or the model is told at once; it was asked three times for every row."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from mlbench import eval_runs
from mlbench.evals.ml_llm_bench.task import llm_bench
from mlbench.records import RunError
from mlbench.run_config import Generation, RunConfig


@contextmanager
def refusing(get: int, post: int) -> Iterator[tuple[str, list[str]]]:
    """An endpoint that answers with these status codes; its address, and what was asked."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def _answer(self, status: int) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            asked.append(self.command)
            self.send_response(status)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def do_GET(self) -> None:
            self._answer(get)

        def do_POST(self) -> None:
            self._answer(post)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("get", "post", "words", "requests"),
    [
        (401, 401, "does not accept the key (401)", ["GET"]),
        (404, 401, "does not accept the key (401)", ["GET", "POST"]),
        (200, 404, "does not know the model or the path (404)", ["GET", "POST"]),
    ],
)
def test_a_refusal_is_not_retried(
    get: int, post: int, words: str, requests: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "wrong")
    with refusing(get, post) as (url, asked):
        config = RunConfig(
            log_dir=tmp_path, display="none", base_url=url, max_samples=1, generation=Generation(max_retries=7)
        )
        with pytest.raises(RunError) as said:
            eval_runs.run(llm_bench(split="quarter", limit=3, judged=False), "openai-api/local/x", config)
    assert words in str(said.value)
    assert "\n" not in str(said.value)
    assert asked == requests


def test_a_run_in_the_background_ends_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell starts programs in the background with SIGINT ignored: then no further request is made all the same."""
    monkeypatch.setenv("LOCAL_API_KEY", "wrong")
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with refusing(404, 401) as (url, asked):
            config = RunConfig(log_dir=tmp_path, display="none", base_url=url, max_samples=1)
            with pytest.raises(RunError, match="does not accept the key"):
                eval_runs.run(llm_bench(split="quarter", limit=3, judged=False), "openai-api/local/x", config)
    finally:
        signal.signal(signal.SIGINT, before)
    assert asked == ["GET", "POST"]
