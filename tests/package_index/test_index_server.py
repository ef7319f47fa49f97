"""The index of this machine as a sandbox sees it: what it has, how often it asks for it, what it refuses."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from mlbench.package_index import aggregate, http_index, process_server, server
from mlbench.package_index.pages import JSON_TYPE
from mlbench.repositories.pip_config import Upstream
from tests.package_index.fake_index import Answer, FakeIndex, metadata, served, sha256, wheel

TINY = "tiny-1.0-py3-none-any.whl"


def links(client: httpx.Client, project: str) -> list[str]:
    """The links of a page."""
    page = client.get(f"/simple/{project}/", headers={"Accept": JSON_TYPE})
    assert page.status_code == 200, page.reason_phrase
    return [file["url"] for file in page.json()["files"]]


def test_a_page_and_its_file(fake: FakeIndex, index: httpx.Client) -> None:
    name = fake.add("tiny")
    page = index.get("/simple/Tiny/")
    assert page.headers["content-type"].startswith("text/html")
    assert f'href="/files/tiny/{name}#sha256={sha256(wheel("tiny"))}"' in page.text
    assert links(index, "tiny") == [f"/files/tiny/{name}"]
    answer = index.get(f"/files/tiny/{name}")
    assert (answer.status_code, answer.content) == (200, wheel("tiny"))
    head = index.head(f"/files/tiny/{name}")
    assert (head.headers["content-length"], head.content) == (str(len(wheel("tiny"))), b"")


def test_metadata_is_to_be_had_where_the_page_has_it(fake: FakeIndex, index: httpx.Client) -> None:
    name, other = fake.add("tiny", with_metadata=True), fake.add("other")
    assert index.get(f"/files/tiny/{name}.metadata").content == metadata("tiny")
    assert index.get(f"/files/other/{other}.metadata").status_code == 404


@pytest.mark.parametrize(
    ("asked", "status", "part"),
    [
        ("bytes=0-0", 206, slice(0, 1)),
        ("bytes=10-", 206, slice(10, None)),
        ("bytes=-20", 206, slice(-20, None)),
        ("bytes=5-99999999", 206, slice(5, None)),
        ("bytes=-99999999", 200, slice(None)),
        ("bytes=0-1,3-4", 200, slice(None)),
        ("lines=1-2", 200, slice(None)),
        ("bytes=-", 200, slice(None)),
        ("bytes=99999999-", 416, None),
        ("bytes=9-3", 416, None),
    ],
)
def test_a_part_of_a_file(fake: FakeIndex, index: httpx.Client, asked: str, status: int, part: slice | None) -> None:
    name = fake.add("tiny")
    answer = index.get(f"/files/tiny/{name}", headers={"Range": asked})
    assert answer.status_code == status
    if part:
        assert answer.content == wheel("tiny")[part]


def test_each_thing_is_asked_for_once_a_machine(fake: FakeIndex, tmp_path: Path) -> None:
    """A second sandbox, a second process: nothing but the disk of this machine is asked."""
    name = fake.add("tiny")
    for _ in range(2):
        with served(Upstream(fake.url), tmp_path) as client:
            for _ in range(2):
                assert links(client, "tiny")
                assert client.get(f"/files/tiny/{name}").content == wheel("tiny")
    assert fake.asked == {"/simple/tiny/": 1, f"/packages/{name}": 1}


def test_those_who_ask_at_once_share_one_download(fake: FakeIndex, index: httpx.Client) -> None:
    name, all_wait = fake.add("tiny"), threading.Event()
    content = fake.answers[f"/packages/{name}"]

    def slowly() -> Answer:
        all_wait.wait(20)
        assert isinstance(content, Answer)
        return content

    fake.answers[f"/packages/{name}"] = slowly
    got: list[bytes] = []
    threads = [threading.Thread(target=lambda: got.append(index.get(f"/files/tiny/{name}").content)) for _ in range(4)]
    for thread in threads:
        thread.start()
    while not fake.asked[f"/packages/{name}"]:
        time.sleep(0.01)
    time.sleep(0.2)  # for the others to come as far
    all_wait.set()
    for thread in threads:
        thread.join()
    assert got == [wheel("tiny")] * 4
    assert fake.asked[f"/packages/{name}"] == 1


def test_a_page_that_is_old_is_asked_for_again(
    fake: FakeIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_index, "FRESH_SECONDS", 0.0)
    monkeypatch.setattr(aggregate, "_MEMORY_SECONDS", 0.0)
    fake.page("tiny", f'<a href="/{TINY}">', etag='"one"')
    with served(Upstream(fake.url), tmp_path) as client:
        assert links(client, "tiny") == links(client, "tiny") == [f"/files/tiny/{TINY}"]
        assert fake.headers["/simple/tiny/"]["If-None-Match"] == '"one"'
        fake.page("tiny", f'<a href="/{TINY.replace("1.0", "2.0")}">', etag='"two"')
        assert links(client, "tiny") == [f"/files/tiny/{TINY.replace('1.0', '2.0')}"]


def test_without_upstream_what_is_kept_is_served_and_called_stale(
    fake: FakeIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = fake.add("tiny")
    with served(Upstream(fake.url), tmp_path) as client:
        assert "warning" not in client.get("/simple/tiny/").headers
        assert client.get(f"/files/tiny/{name}").status_code == 200
    monkeypatch.setattr(http_index, "FRESH_SECONDS", -1.0)
    monkeypatch.setattr(aggregate, "FRESH_SECONDS", -1.0)
    fake.answers = {path: Answer(status=503) for path in fake.answers}
    with served(Upstream(fake.url), tmp_path) as client:
        page = client.get("/simple/tiny/")
        assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
        assert "stale" in page.headers["warning"]
        assert client.get(f"/files/tiny/{name}").content == wheel("tiny")


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (Answer(status=404), 404, "no package index has a project tiny"),
        (Answer(status=500), 502, "out of order"),
        (Answer(status=401), 502, "password"),
        (Answer(b"no json", type=JSON_TYPE), 502, "not understood"),
        (Answer(status=302, location="/simple/tiny/"), 504, "cannot be reached"),
        (Answer(status=302, location="file:///etc/passwd"), 502, "unsafe"),
    ],
)
def test_trouble_upstream_is_one_line_that_does_not_name_it(
    fake: FakeIndex, index: httpx.Client, answer: Answer, status: int, words: str
) -> None:
    fake.answers["/simple/tiny/"] = answer
    got = index.get("/simple/tiny/")
    assert got.status_code == status
    assert words in got.reason_phrase
    assert got.json()["detail"] == got.reason_phrase
    assert fake.host.removeprefix("http://") not in got.text


def test_the_bench_hears_of_failures_that_are_not_the_sandboxes(
    fake: FakeIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", fake.url)
    process_server.stop()
    try:
        began = time.monotonic()
        transport = httpx.HTTPTransport(uds=str(process_server.serve()))
        with httpx.Client(transport=transport, base_url="http://index") as client:
            client.get("/simple/none/")
            assert process_server.failure(began) is None
            fake.answers["/simple/tiny/"] = Answer(status=500)
            client.get("/simple/tiny/")
        assert "out of order" in (process_server.failure(began) or "")
        assert process_server.failure(time.monotonic()) is None
    finally:
        process_server.stop()


def test_a_download_that_breaks_off_may_be_tried_again(
    fake: FakeIndex, index: httpx.Client, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """pip and uv both ask again after 503. pip gave up at once, because it was told 504: "cannot be reached"."""
    name = fake.add("tiny")
    fake.answers[f"/packages/{name}"] = Answer(wheel("tiny"), cut=True)
    got = index.get(f"/files/tiny/{name}")
    assert (got.status_code, "broke off" in got.reason_phrase) == (503, True)
    assert "broke off" in caplog.text  # the machine's failure, for `process_server.failure`
    assert not list((tmp_path / "index" / "scratch").iterdir())
    fake.answers[f"/packages/{name}"] = Answer(wheel("tiny"))
    assert index.get(f"/files/tiny/{name}").content == wheel("tiny")


def test_pip_is_told_of_trouble_where_it_looks(fake: FakeIndex, index: httpx.Client) -> None:
    """pip says nothing of a page that failed but "from versions: none", as if there were no such package."""
    fake.answers["/simple/tiny/"] = Answer(status=500)
    assert "out of order" in index.get("/simple/tiny/", headers={"User-Agent": "pip/26.0"}).headers["content-type"]
    assert index.get("/simple/none/", headers={"User-Agent": "pip/26.0"}).status_code == 404


def test_an_index_that_is_down_is_named_to_the_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{free.getsockname()[1]}"
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", f"http://me:secret@{host}/simple")
    why = aggregate.unreachable() or ""
    assert host in why
    assert "PIP_INDEX_URL" in why
    assert "secret" not in why
    with served(Upstream(f"http://me:secret@{host}/simple/"), tmp_path) as client:
        got = client.get("/simple/tiny/")
        assert got.status_code == 504
        assert host not in got.text


@pytest.mark.parametrize(
    ("env", "words"),
    [
        ({"PIP_INDEX_URL": "ftp://host/simple"}, "neither http"),
        ({"PIP_INDEX_URL": "https://host:port/simple"}, "cannot use the package index"),
        ({"PIP_INDEX_URL": "https://[host/simple"}, "cannot use the package index"),
        ({"PIP_INDEX_URL": "file:///no/where/simple"}, "no folder"),
        ({"PIP_CERT": "/no/where.pem"}, "certificates"),
        ({"PIP_CONFIG_FILE": __file__}, "pip's settings"),
        ({"HTTPS_PROXY": "gopher://x"}, "proxy"),
    ],
)
def test_what_cannot_be_is_one_line(monkeypatch: pytest.MonkeyPatch, env: dict[str, str], words: str) -> None:
    for name, value in {"PIP_CONFIG_FILE": os.devnull, **env}.items():
        monkeypatch.setenv(name, value)
    assert words in (aggregate.unreachable() or "")


def test_an_index_that_answers_is_reachable(fake: FakeIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX_URL", fake.url)
    assert aggregate.unreachable() is None  # though it has no pip
    fake.answers["/simple/pip/"] = Answer(status=403)
    assert "password" in (aggregate.unreachable() or "")


def test_what_is_not_what_was_promised_is_neither_served_nor_kept(
    fake: FakeIndex, index: httpx.Client, tmp_path: Path
) -> None:
    name = fake.add("tiny")
    fake.answers[f"/packages/{name}"] = Answer(b"evil")
    got = index.get(f"/files/tiny/{name}")
    assert (got.status_code, "does not have the hash" in got.reason_phrase) == (502, True)
    assert not [path for path in (tmp_path / "index").rglob("*") if path.is_file() and path.read_bytes() == b"evil"]
    fake.answers[f"/packages/{name}"] = Answer(wheel("tiny"))
    assert index.get(f"/files/tiny/{name}").status_code == 200


def test_links_that_lead_elsewhere_are_left_out(fake: FakeIndex, index: httpx.Client) -> None:
    """Another host is right where the hash is known, as PyPI's files are; nothing else is."""
    known = f"#sha256={sha256(b'x')}"
    fake.page(
        "tiny",
        f'<a href="javascript:alert(1)/{TINY}{known}"><a href="file:///etc/{TINY}{known}">'
        f'<a href="ftp://host/{TINY}{known}"><a href="http://user:pw@host/{TINY}{known}">'
        f'<a href="http://169.254.169.254/{TINY}"><a href="data:,{TINY}">'
        f'<a href="../../packages/..%2f..%2fetc%2fpasswd"><a href="https://files.host/tiny-2.0.tar.gz{known}">',
    )
    assert links(index, "tiny") == ["/files/tiny/tiny-2.0.tar.gz"]
    assert index.get(f"/files/tiny/{TINY}").status_code == 404


def test_a_password_goes_to_its_own_host_only(fake: FakeIndex, tmp_path: Path) -> None:
    content = b"x"
    elsewhere = fake.host.replace("127.0.0.1", "localhost")
    fake.page("tiny", f'<a href="/{TINY}"><a href="{elsewhere}/other/tiny-2.0.tar.gz#sha256={sha256(content)}">')
    fake.answers[f"/{TINY}"] = Answer(content)
    fake.answers["/other/tiny-2.0.tar.gz"] = Answer(content)
    fake.answers["/simple/moved/"] = Answer(status=302, location=f"{elsewhere}/new/moved/")
    with served(Upstream(fake.url.replace("//", "//me:secret@")), tmp_path) as client:
        for name in (TINY, "tiny-2.0.tar.gz"):
            assert client.get(f"/files/tiny/{name}").content == content
        client.get("/simple/moved/")
    assert "Authorization" in fake.headers["/simple/tiny/"]
    assert "Authorization" in fake.headers[f"/{TINY}"]
    assert "Authorization" not in fake.headers["/other/tiny-2.0.tar.gz"]
    assert "Authorization" not in fake.headers["/new/moved/"]
    assert not [path for path in tmp_path.rglob("*.json") if "secret" in path.read_text()]


def test_what_the_main_index_lacks_comes_from_folders(fake: FakeIndex, tmp_path: Path) -> None:
    """An extra index in a folder serves what lies in it; a link of it that leads out serves nothing."""
    fake.add("tiny")
    extra, wheels = tmp_path / "extra" / "simple", tmp_path / "wheels"
    (tmp_path / "secret-1.0.tar.gz").write_bytes(b"secret")
    for name, href in (
        ("more", "../../files/more-1.0.tar.gz"),
        ("tiny", "../../files/tiny-9.tar.gz"),
        ("out", "../../../secret-1.0.tar.gz"),
        ("link", "../../files/link-1.0.tar.gz"),
    ):
        (extra / name).mkdir(parents=True)
        (extra / name / "index.html").write_text(f'<a href="{href}">')
    (tmp_path / "extra" / "files").mkdir()
    (tmp_path / "extra" / "files" / "more-1.0.tar.gz").write_bytes(b"more")
    (tmp_path / "extra" / "files" / "link-1.0.tar.gz").symlink_to(tmp_path / "secret-1.0.tar.gz")
    wheels.mkdir()
    (wheels / "tiny-3.0+cpu-py3-none-any.whl").write_bytes(b"three")
    (wheels / TINY).write_bytes(b"not the index's")
    with served(Upstream(fake.url, (extra.as_uri() + "/",), (wheels,)), tmp_path / "index") as client:
        assert client.get("/files/more/more-1.0.tar.gz").content == b"more"
        assert links(client, "tiny") == [f"/files/tiny/{TINY}", "/files/tiny/tiny-3.0%2Bcpu-py3-none-any.whl"]
        assert [client.get(link).content for link in links(client, "tiny")] == [wheel("tiny"), b"three"]
        for name in ("out/secret-1.0.tar.gz", "link/link-1.0.tar.gz"):
            got = client.get(f"/files/{name}")
            assert got.status_code == 404
            assert b"secret\n" not in got.content


def test_no_index_at_all_serves_the_folders(tmp_path: Path) -> None:
    (tmp_path / TINY).write_bytes(b"x")
    with served(Upstream("", (), (tmp_path,)), tmp_path / "index") as client:
        assert links(client, "tiny") == [f"/files/tiny/{TINY}"]
        assert client.get("/simple/none/").status_code == 404


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("GET /simple/ HTTP/1.1", 403),
        ("GET /simple HTTP/1.1", 403),
        ("GET / HTTP/1.1", 404),
        ("GET /simple/../../etc/passwd HTTP/1.1", 404),
        ("GET /simple/%2e%2e/ HTTP/1.1", 404),
        ("GET /simple/..%2f..%2fetc/ HTTP/1.1", 404),
        ("GET /simple/%252e%252e/ HTTP/1.1", 404),
        ("GET /simple/ti%0d%0any/ HTTP/1.1", 404),
        ("GET /simple/tiny/?data=secret HTTP/1.1", 404),
        ("GET /simple/\xc3\xa4/ HTTP/1.1", 404),
        ("GET /simple/%00/ HTTP/1.1", 404),
        (f"GET /simple/{'a' * 101}/ HTTP/1.1", 404),
        (f"GET /simple/{'a' * 5000}/ HTTP/1.1", 414),
        (f"GET /{'a' * 70000} HTTP/1.1", 414),
        ("GET /files/tiny/../../etc/passwd HTTP/1.1", 404),
        ("GET /files/tiny/%2fetc%2fpasswd HTTP/1.1", 404),
        ("GET http://evil.example/simple/tiny/ HTTP/1.1", 403),
        ("GET //evil.example/simple/tiny/ HTTP/1.1", 404),
        ("CONNECT evil.example:443 HTTP/1.1", 405),
        ("POST /simple/tiny/ HTTP/1.1\r\nContent-Length: 3", 405),
        ("PUT /files/tiny/x HTTP/1.1", 405),
        ("DELETE /simple/tiny/ HTTP/1.1", 405),
        ("BREW /simple/tiny/ HTTP/1.1", 501),
        ("GET /simple/tiny/ HTTP/1.1\r\nContent-Length: 3", 400),
        ("GET /simple/tiny/ HTTP/1.1\r\nTransfer-Encoding: chunked", 400),
        ("GET /simple/tiny/ HTTP/1.1" + "\r\nA: b" * 200, 431),
    ],
)
def test_anything_else_is_refused_and_reaches_nobody(
    fake: FakeIndex, index: httpx.Client, tmp_path: Path, line: str, status: int
) -> None:
    fake.add("tiny")
    assert raw(tmp_path, f"{line}\r\n\r\n".encode("latin-1")).split()[1] == str(status).encode()
    assert not fake.asked
    assert index.get("/simple/tiny/").status_code == 200


def raw(tmp_path: Path, request: bytes) -> bytes:
    """What the server says to bytes that no client would send."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(20)
        connection.connect(str(tmp_path / "index" / "socket"))
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while chunk := connection.recv(65536):
            answer += chunk
    return answer


@pytest.mark.parametrize(
    ("line", "status"), [(b"nonsense", 400), (b"GET /simple/tiny/ HTTP/9.9", 505), (b"\x16\x03\x01\0\xff", 400)]
)
def test_what_is_not_http_is_refused_without_headers(
    fake: FakeIndex, index: httpx.Client, tmp_path: Path, line: bytes, status: int
) -> None:
    assert b"Error code: %d<" % status in raw(tmp_path, line + b"\r\n\r\n")
    assert not fake.asked


def test_requests_in_a_pipeline_are_answered_in_turn(fake: FakeIndex, index: httpx.Client, tmp_path: Path) -> None:
    fake.add("tiny")
    request = b"GET /simple/tiny/ HTTP/1.1\r\n\r\n"
    assert raw(tmp_path, request * 5).count(b"HTTP/1.1 200 OK") == 5


def test_a_request_that_comes_drop_by_drop_is_ended(
    fake: FakeIndex, index: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_ARRIVAL_SECONDS", 0.3)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(20)
        connection.connect(str(tmp_path / "index" / "socket"))
        connection.sendall(b"GET /simple/tiny/ HTTP/1.1\r\n")
        with pytest.raises(OSError):
            for _ in range(200):
                connection.sendall(b"X")
                time.sleep(0.05)


def test_one_sandbox_cannot_take_all_connections(
    index: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_MAX_PER_SANDBOX", 3)
    whose = iter(["one"] * 5 + ["two"])
    monkeypatch.setattr(server, "_sandbox_of", lambda connection: next(whose))
    with ExitStack() as stack:
        opened = [stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(6)]
        for connection in opened:
            connection.settimeout(20)
            connection.connect(str(tmp_path / "index" / "socket"))
        assert [answers(connection) for connection in opened] == [True, True, True, False, False, True]


def answers(connection: socket.socket) -> bool:
    try:
        connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
        return connection.recv(12) != b""
    except OSError:
        return False


def test_a_disk_that_is_nearly_full_is_not_filled(
    fake: FakeIndex, index: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mlbench.package_index.store.MIN_FREE_BYTES", 1 << 62)
    name = fake.add("tiny")
    assert index.get(f"/files/tiny/{name}").status_code == 507


_PROGRAM = """
import os, sys, time
from mlbench.package_index import process_server
path = process_server.serve()
assert process_server.serve() == path
print(path, flush=True)
child = os.fork()
if child == 0:
    other = process_server.serve()
    sys.exit(0 if other != path and other.exists() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), path.exists(), flush=True)
sys.stdin.read()
"""


def program(tmp_path: Path) -> subprocess.Popen[str]:
    env = {**os.environ, "TMPDIR": str(tmp_path), "PIP_INDEX_URL": "http://127.0.0.1:9/simple"}
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
    )


def test_the_socket_lives_as_long_as_its_process(tmp_path_factory: pytest.TempPathFactory) -> None:
    """It goes at the end, not at the end of a forked child; what a killed process left goes at the next start."""
    folder = Path("/tmp") / f"mlbench-test-{os.getpid()}"
    folder.mkdir()
    try:
        with program(folder) as killed:
            assert killed.stdout
            left = Path(killed.stdout.readline().strip())
            assert killed.stdout.readline() == "0 True\n"
            assert (left.stat().st_mode & 0o777, left.parent.stat().st_mode & 0o777) == (0o666, 0o711)
            assert left.parent.parent.stat().st_mode & 0o777 == 0o700
            assert len(str(left)) < 100
            killed.kill()
        os.utime(left.parent.parent, (0, 0))
        with program(folder) as alive:
            assert alive.stdout
            path = Path(alive.stdout.readline().strip())
            os.utime(path.parent.parent, (0, 0))
            assert alive.stdout.readline() == "0 True\n"  # the child's start did not sweep its parent's
            assert not left.exists()
            alive.communicate("")
        assert not list(folder.iterdir())
    finally:
        subprocess.run(["rm", "-rf", str(folder)], check=True)
