"""Published data: fetched with consent and login, held against their hashes, made ready in a jail."""

from __future__ import annotations

import base64
import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
import yaml

from mlbench.evals.mlagentbench.data import place_of, prepared
from mlbench.evals.mlagentbench.download import fetched, held, probe_downloads, raw_folder, sums
from mlbench.evals.mlagentbench.problem import PROBLEMS, ResearchProblem, load_problem
from mlbench.records import RunError, UsageError

TABLE = b"id,price\n1,10\n2,20\n"
SUM = hashlib.sha256(TABLE).hexdigest()
FULL = """
import sys
from pathlib import Path
raw, out = Path(sys.argv[1], "table.csv").read_text(), Path(sys.argv[2])
if not raw.startswith("id,price"):
    raise SystemExit("table.csv: has no columns id and price")
for part, text in (("visible", raw.splitlines()[0]), ("hidden", raw)):
    (out / part).mkdir()
    (out / part / "table.csv").write_text(text)
"""


@dataclass
class Site:
    """A site that gives a table, or what it is told to answer; remembers who asked, and how it was signed."""

    answer: int = 200
    body: bytes = TABLE
    said_length: int | None = None
    asked: list[tuple[str, str]] = field(default_factory=list)
    port: int = 0

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}/{path}"


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append((f"{self.headers['Host']}{self.path}", self.headers.get("Authorization") or ""))
            if self.path == "/elsewhere":
                self.send_response(302)
                self.send_header("Location", site.url("table", "localhost"))
                self.end_headers()
                return
            self.send_response(site.answer)
            self.send_header("Content-Length", str(site.said_length or len(site.body)))
            self.end_headers()
            self.wfile.write(site.body)

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        site.port = server.server_address[1]
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield site
        server.shutdown()


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No login of whoever runs the tests, and a cache of its own."""
    for name in ("KAGGLE_API_TOKEN", "KAGGLE_USERNAME", "KAGGLE_KEY", "HF_TOKEN", "HF_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KAGGLE_CONFIG_DIR", str(tmp_path / ".kaggle"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setattr(
        "mlbench.evals.mlagentbench.download.cache_folder", lambda *parts: _folder(tmp_path / "cache", *parts)
    )


def _folder(root: Path, *parts: str) -> Path:
    folder = root.joinpath(*parts)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def problem(tmp_path: Path, file: dict[str, str], script: str = FULL, **more: object) -> ResearchProblem:
    """One whose published data are one table."""
    folder = tmp_path / "mine"
    if not folder.is_dir():
        shutil.copytree(PROBLEMS / "house-price", folder)
    full = {"source": "https://example.org/prices", "terms": "cite us", "files": {"table.csv": file}, **more}
    said = yaml.safe_load((PROBLEMS / "house-price" / "task.yaml").read_text())
    (folder / "task.yaml").write_text(yaml.safe_dump({**said, "full": full}))
    (folder / "hidden" / "full.py").write_text(script)
    return load_problem(folder, "full")


@pytest.mark.anyio
async def test_they_are_fetched_once_and_made_ready(tmp_path: Path, site: Site) -> None:
    mine = problem(tmp_path, {"url": site.url("table"), "sha256": SUM})
    said: list[str] = []
    fetched(mine, True, said.append)
    fetched(mine, False)
    assert (len(site.asked), len(said)) == (1, 1)
    assert sums(mine) == {"table.csv": SUM}
    data = await prepared(mine)
    try:
        assert (data.hidden / "table.csv").read_bytes() == TABLE
        assert (data.workspace / "table.csv").read_text() == "id,price"
        assert (data.workspace / "train.py").is_file()
    finally:
        shutil.rmtree(data.workspace.parent)


def test_nothing_is_fetched_without_consent(tmp_path: Path, site: Site) -> None:
    mine = problem(tmp_path, {"url": site.url("table")})
    with pytest.raises(UsageError, match=r"example\.org/prices under these terms: cite us\. .*--accept-terms"):
        fetched(mine, False)
    assert not site.asked


@pytest.mark.parametrize(("who", "where"), [("kaggle", "KAGGLE_USERNAME"), ("huggingface", "HF_TOKEN")])
def test_a_missing_login_is_named(tmp_path: Path, site: Site, who: str, where: str) -> None:
    mine = problem(tmp_path, {"url": site.url("table"), "login": who})
    with pytest.raises(UsageError, match=where):
        fetched(mine, True)
    assert not site.asked


def test_a_login_file_that_is_none_is_named(tmp_path: Path, site: Site) -> None:
    _folder(tmp_path, ".kaggle").joinpath("kaggle.json").write_text("{}")
    with pytest.raises(UsageError, match=r"kaggle\.json: holds no username and key"):
        fetched(problem(tmp_path, {"url": site.url("table"), "login": "kaggle"}), True)


def test_a_login_goes_to_its_own_site_alone(tmp_path: Path, site: Site) -> None:
    _folder(tmp_path, ".kaggle").joinpath("kaggle.json").write_text('{"username": "ada", "key": "secret"}')
    fetched(problem(tmp_path, {"url": site.url("elsewhere"), "login": "kaggle"}), True)
    assert site.asked == [
        (f"127.0.0.1:{site.port}/elsewhere", f"Basic {base64.b64encode(b'ada:secret').decode()}"),
        (f"localhost:{site.port}/table", ""),
    ]


@pytest.mark.parametrize(("name", "who"), [("HF_TOKEN", "huggingface"), ("KAGGLE_API_TOKEN", "kaggle")])
def test_a_token_signs(tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch, name: str, who: str) -> None:
    monkeypatch.setenv(name, "token")
    fetched(problem(tmp_path, {"url": site.url("table"), "login": who}), True)
    assert site.asked[0][1] == "Bearer token"


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (403, UsageError, "has not accepted the terms at https://example.org/prices"),
        (404, RunError, "answers HTTP 404 .* can also be put at .*table.csv by hand"),
    ],
)
def test_a_refusal_says_what_to_do(tmp_path: Path, site: Site, answer: int, kind: type[Exception], said: str) -> None:
    site.answer = answer
    mine = problem(tmp_path, {"url": site.url("table")})
    with pytest.raises(kind, match=said):
        fetched(mine, True)
    assert list(raw_folder(mine).iterdir()) == []


def test_a_login_is_tried_without_a_download(tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAGGLE_API_TOKEN", "token")
    mine = problem(tmp_path, {"url": site.url("table"), "login": "kaggle"})
    assert probe_downloads(mine, True) == ["table.csv"]
    assert (site.asked[0][1], list(raw_folder(mine).iterdir())) == ("Bearer token", [])
    site.answer = 403
    with pytest.raises(UsageError, match="the login is refused, or its account has not accepted the terms"):
        probe_downloads(mine, True)
    site.answer = 200
    fetched(mine, True)
    assert probe_downloads(mine, False) == []


def test_a_broken_download_leaves_nothing(tmp_path: Path, site: Site) -> None:
    site.said_length = 1000
    mine = problem(tmp_path, {"url": site.url("table")})
    with pytest.raises(RunError, match="cannot be downloaded"):
        fetched(mine, True)
    assert list(raw_folder(mine).iterdir()) == []


def test_another_hash_than_the_published_one_is_refused(tmp_path: Path, site: Site) -> None:
    mine = problem(tmp_path, {"url": site.url("table"), "sha256": "0" * 64})
    with pytest.raises(RunError, match=rf"table\.csv: its SHA-256 is {SUM}, the published one is 000"):
        fetched(mine, True)
    with pytest.raises(RunError, match="is missing"):
        sums(mine)


@pytest.mark.anyio
async def test_data_that_changed_since_the_first_fetch_are_refused(tmp_path: Path, site: Site) -> None:
    mine = problem(tmp_path, {"url": site.url("table")})
    fetched(mine, True)
    (raw_folder(mine) / "table.csv").write_bytes(TABLE + b"3,30\n")
    with pytest.raises(RunError, match="that of the first one is"):
        await prepared(mine)


def test_a_file_may_be_put_there_by_hand(tmp_path: Path) -> None:
    mine = problem(tmp_path, {}, note="zip what you want")
    with pytest.raises(UsageError, match=r"table\.csv is missing; put it there by hand: zip what you want"):
        fetched(mine, True)
    (raw_folder(mine) / "table.csv").write_bytes(TABLE)
    fetched(mine, False)
    assert sums(mine) == {"table.csv": SUM}


@pytest.mark.anyio
async def test_another_file_under_the_name_is_told_by_its_line(tmp_path: Path, site: Site) -> None:
    site.body = b"<html>please log in</html>"
    mine = problem(tmp_path, {"url": site.url("table")})
    fetched(mine, True)
    with pytest.raises(RunError, match=r"full\.py fails: table\.csv: has no columns id and price"):
        await prepared(mine)
    assert not place_of(mine).workspace.exists()


def test_what_is_not_offered_says_why(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not offered: too large; use --data lite"):
        problem(tmp_path, {}, unavailable="too large")


def test_a_login_is_not_sent_where_a_folder_from_elsewhere_says(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the login of kaggle is for www.kaggle.com alone, not for example.org"):
        problem(tmp_path, {"url": "https://example.org/table", "login": "kaggle"})


def test_the_end_of_a_line_is_no_part_of_a_token(tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAGGLE_API_TOKEN", "token\n")
    fetched(problem(tmp_path, {"url": site.url("table"), "login": "kaggle"}), True)
    assert site.asked[0][1] == "Bearer token"


def test_a_folder_from_elsewhere_has_files_of_its_own(tmp_path: Path) -> None:
    mine = problem(tmp_path, {})
    assert mine.name == load_problem("house-price").name
    assert raw_folder(mine) != raw_folder(load_problem("house-price"))


def test_the_first_file_may_have_been_the_wrong_one(tmp_path: Path, site: Site) -> None:
    site.body = b"<html>please log in</html>"
    mine = problem(tmp_path, {"url": site.url("table")})
    fetched(mine, True)
    (raw_folder(mine) / "table.csv").write_bytes(TABLE)
    with pytest.raises(RunError, match=r"if the first one was wrong, remove .*sums\.json"):
        held(mine)
    (raw_folder(mine) / "sums.json").unlink()
    fetched(mine, False)
    assert sums(mine) == {"table.csv": SUM}


@pytest.mark.parametrize("text", ["[]", "{"])
def test_hashes_that_are_none_are_named(tmp_path: Path, site: Site, text: str) -> None:
    mine = problem(tmp_path, {"url": site.url("table")})
    (raw_folder(mine) / "sums.json").write_text(text)
    with pytest.raises(RunError, match=r"sums\.json: .*remove it"):
        fetched(mine, True)


def test_an_address_must_be_safe(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"full\.files\.table\.csv\.url"):
        problem(tmp_path, {"url": "http://example.org/table"})
