"""The review's server: only its own page decides, nothing is too big, and it ends cleanly."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mlbench.records import UsageError
from mlbench.suite_builder.review.server import ReviewServer, serve
from mlbench.suite_builder.review.service import ReviewService
from mlbench.web.local_server import MOST
from tests.local_server import ask, own
from tests.suite_builder.reviewing import BLOCK, made


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ReviewServer]:
    with ReviewServer(ReviewService(made(tmp_path / "small"))) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def recipe(server: ReviewServer) -> str:
    return server.desk.view("pulsar", "block").text


def test_the_page_may_run_its_own_script_and_nothing_else(server: ReviewServer) -> None:
    answer = ask(server, own(server))
    assert answer.status == 200 and "<title>Review" in answer.text
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-") and "unsafe" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff" and answer.headers["Cache-Control"] == "no-store"
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert not re.findall(r"https?://|//\w+\.\w+", answer.text)


def test_a_decision_is_stored(server: ReviewServer) -> None:
    view = ask(server, own(server, "task?repository=pulsar&task=block")).json
    about = {"repository": "pulsar", "task": "block", "version": view["version"]}
    answer = ask(server, own(server, "decide"), {"do": "reject", "why": "no", **about})
    assert answer.status == 200 and answer.json["said"] == "rejected pulsar/block"
    assert recipe(server).startswith("# A comment at the top stays.\nrejected: no\n")
    stale = ask(server, own(server, "decide"), {"do": "accept", **about})
    assert stale.status == 409 and "changed on disk" in stale.json["faults"][0]
    assert ask(server, own(server, "decide"), {"do": "undo"}).json["said"] == "undone: rejected, pulsar/block"
    assert recipe(server) == BLOCK
    entries = ask(server, own(server, "suite")).json["entries"]
    assert [entry["state"] for entry in entries] == ["open", "open"]


def test_the_texts_of_a_repository_go_out_as_data(server: ReviewServer) -> None:
    answer = ask(server, own(server, "task?repository=pulsar&task=block"))
    assert answer.headers["Content-Type"] == "application/json" and "\x1b" not in answer.text
    assert "\x1b[31mred" in answer.json["body"]["segment"]["text"]
    assert "<script>document.title" not in ask(server, own(server)).text


@pytest.mark.parametrize("path", ["/", "/suite", "/x/", "/x/suite", "/%2e%2e/", "//", "/x/../y"])
def test_without_the_address_there_is_nothing(server: ReviewServer, path: str) -> None:
    assert ask(server, path).status == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "evil.example:80", "localhost:1", ""])
def test_another_host_is_refused(server: ReviewServer, host: str) -> None:
    """DNS rebinding: a foreign name that suddenly means this machine."""
    assert ask(server, own(server), Host=host).status == 421
    assert ask(server, own(server, "decide"), {"do": "undo"}, Host=host).status == 421


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"X_Mlbench_Token": ""}, 403),
        ({"X_Mlbench_Token": "nonsense"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content_Type": "text/plain"}, 404),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 404),
        ({"Content_Length": ""}, 411),
        ({"Content_Length": "-1"}, 411),
        ({"Content_Length": "\u0661".encode().decode("latin-1")}, 411),
        ({"Content_Length": str(MOST + 1)}, 413),
        ({"Content_Length": "9" * 5000}, 413),
    ],
)
def test_a_decision_needs_its_own_page(server: ReviewServer, headers: dict[str, str], status: int) -> None:
    version = server.desk.view("pulsar", "block").version
    request = {"do": "accept", "repository": "pulsar", "task": "block", "version": version}
    assert ask(server, own(server, "decide"), request, **headers).status == status
    assert recipe(server) == BLOCK


@pytest.mark.parametrize(
    ("body", "status", "fault"),
    [
        (b"", 400, "Invalid JSON"),
        (b"{", 400, "Invalid JSON"),
        (b"[" * 100_000, 400, "Invalid JSON"),
        (b"\xff", 400, "Invalid JSON"),
        ({"do": "destroy"}, 400, "do: "),
        ({"do": "undo", "file": "/etc/passwd"}, 400, "file: "),
        ({"do": "reject", "why": "x" * 3000}, 400, "why: "),
        ({"do": "accept", "repository": "..", "task": "x"}, 422, "there is no recipe ../x.yaml"),
        ({"do": "reject", "repository": "pulsar", "task": "block", "version": "VERSION"}, 422, "needs a reason"),
        ({"do": "undo"}, 422, "nothing to undo"),
    ],
)
def test_a_bad_request_is_told_so(server: ReviewServer, body: Any, status: int, fault: str) -> None:
    if isinstance(body, dict) and body.get("version"):
        body = {**body, "version": server.desk.view("pulsar", "block").version}
    answer = ask(server, own(server, "decide"), body)
    assert answer.status == status and fault in answer.json["faults"][0]
    assert recipe(server) == BLOCK


def test_what_is_not_there_is_not_found(server: ReviewServer) -> None:
    for name in (
        "nothing",
        "task",
        "task?repository=pulsar&task=nosuch",
        "task?repository=../recipes/pulsar&task=block",
    ):
        assert ask(server, own(server, name)).status == 404


def test_it_listens_on_this_machine_alone(server: ReviewServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


def test_a_port_in_use_is_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"^port {port} cannot be used .*name another port, or 0"):
            serve(made(tmp_path / "small"), port, open_browser=False)
    with pytest.raises(UsageError, match="port 70000 cannot be used"):
        serve(tmp_path / "small", 70000, open_browser=False)


def test_ctrl_c_ends_it_and_says_what_was_decided(tmp_path: Path) -> None:
    folder = made(tmp_path / "small")
    code = "import sys; from pathlib import Path; from mlbench.suite_builder.review import serve;"
    command = [sys.executable, "-c", f"{code} serve(Path(sys.argv[1]), open_browser=False)", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)/([\w-]+)/", process.stdout.readline())
        assert found is not None
        version = json.loads(_plain(found, "task?repository=pulsar&task=block"))["version"]
        why = "no\u001b[31m such"
        _plain(
            found, "decide", {"do": "reject", "repository": "pulsar", "task": "block", "version": version, "why": why}
        )
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert (process.returncode, err) == (0, "")
    assert out.strip().splitlines() == [
        "pulsar/block: rejected (no [31m such)",
        "1 rejected; it stands in the recipes, the next build follows it",
    ]


def _plain(address: re.Match[str], name: str, body: object = None) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", int(address[1]), timeout=20)
    headers = {"X-Mlbench-Token": address[2], "Content-Type": "application/json"}
    connection.request("GET" if body is None else "POST", f"/{address[2]}/{name}", json.dumps(body), headers)
    return connection.getresponse().read().decode()
