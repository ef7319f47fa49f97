"""The two searches: a catalogue on disk, and GitHub as a local server that speaks like it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mlbench.agents.ml_agent.search import SearchResult
from mlbench.agents.ml_agent.search.catalogue import RepositoryCatalogue, of_folder, of_folders
from mlbench.agents.ml_agent.search.github import KEPT_SECONDS, GitHub
from mlbench.records import RunError, UsageError
from mlbench.suites.suite import load_split, load_suite

NOW = 1_000_000.0


def repositories(root: Path, **readmes: str) -> RepositoryCatalogue:
    for name, text in readmes.items():
        (root / name).mkdir()
        (root / name / "README.md").write_text(text)
    return of_folder(root)


def test_a_repository_is_found_by_any_of_its_readmes(tmp_path: Path) -> None:
    catalogue = repositories(tmp_path, newts="# Newts\n", frogs="# Frogs\n", toads="# Toads\n")
    (tmp_path / "frogs" / "deep").mkdir()
    (tmp_path / "frogs" / "deep" / "README.md").write_text("Graph attention networks on Cora.\n")
    assert [found.name for found in catalogue.find(["graph attention", "Cora"], 2)] == ["frogs", "newts"]
    assert [found.name for found in of_folder(tmp_path).find(["Toad"], 1)] == ["toads"]
    assert catalogue.checkout(catalogue.find(["newt"], 1)[0]) == tmp_path / "newts"


def test_name_topic_and_description_count(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "README.md").write_text("# B\n\nSegments volumes of the brain, voxel by voxel.\n")
    catalogue = of_folders([("a", tmp_path / "a"), ("b", tmp_path / "b")], {"a": "music, sound"})
    assert catalogue.find(["music"], 1)[0].name == "a"
    found = catalogue.find(["brains"], 1)[0]
    assert (found.name, found.description) == ("b", "Segments volumes of the brain, voxel by voxel.")


@pytest.mark.parametrize("keywords", [[], [""], ["\ud800"], ["(("], ["zzz"]])
def test_whatever_is_searched_for_the_catalogue_answers(keywords: list[str], tmp_path: Path) -> None:
    assert len(repositories(tmp_path, a="x", b="").find(keywords, 5)) == 2
    assert RepositoryCatalogue(()).find(keywords, 5) == []


def test_a_folder_that_holds_no_checkouts_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no subfolders"):
        of_folder(tmp_path)
    with pytest.raises(UsageError, match="no such folder"):
        of_folder(tmp_path / "nosuch")


def test_pockets_repositories_are_among_the_five_for_every_row() -> None:
    """The instruction's own words as keywords: no model is needed to keep the right one."""
    suite = load_suite("pocket")
    named = [(each.name, suite.folder(each.name)) for each in suite.repositories]
    catalogue = of_folders(named, {each.name: each.domain for each in suite.repositories})
    lost = [
        row.id
        for row in load_split("pocket", "full")
        if suite.repository_of(row.github_id).name
        not in [found.name for found in catalogue.find(row.instruction.split(), 5)]
    ]
    assert lost == []


@dataclass
class Hub:
    """Replies by path, as a list of (status, headers, body); the last one stays. What was asked is kept."""

    replies: dict[str, list[tuple[int, dict[str, str], Any]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    url: str = ""
    waited: list[float] = field(default_factory=list)

    def github(self, token: str = "", now: float = NOW) -> GitHub:
        return GitHub(self.url, token, sleep=self.waited.append, now=lambda: now)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setenv("MLBENCH_CACHE", str(tmp_path / "cache"))
    held = Hub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            held.asked.append(self.path)
            held.tokens.append(self.headers.get("Authorization", ""))
            replies = held.replies.get(self.path.partition("?")[0], [(404, {}, {"message": "Not Found"})])
            status, headers, body = replies.pop(0) if len(replies) > 1 else replies[0]
            content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    held.url = f"http://127.0.0.1:{server.server_address[1]}"
    yield held
    server.shutdown()
    server.server_close()


SEARCH, README = "/search/repositories", "/repos/pond/toad/readme"
TOAD = {
    "full_name": "pond/toad",
    "html_url": "https://github.com/pond/toad",
    "description": "Toads.",
    "topics": ["amphibians", 7],
    "size": 12,
}
FOUND = SearchResult("pond/toad", "Toads.", ("amphibians",), "# Toad", None, "https://github.com/pond/toad")


def test_github_is_searched_once_a_day(hub: Hub) -> None:
    hub.replies = {SEARCH: [(200, {}, {"items": [TOAD]})], README: [(200, {}, "# Toad")]}
    assert hub.github().find(["toad", "graph: networks"], 5) == [FOUND]
    assert hub.asked == [f"{SEARCH}?q=toad+graph+networks&per_page=5", README]
    assert hub.github().find(["toad", "graph: networks"], 5) == [FOUND]
    assert len(hub.asked) == 2
    hub.github(now=NOW + KEPT_SECONDS + 1).find(["toad", "graph: networks"], 5)
    assert len(hub.asked) == 4


def test_a_damaged_cache_is_asked_for_again(hub: Hub, tmp_path: Path) -> None:
    hub.replies = {SEARCH: [(200, {}, {"items": [TOAD]})], README: [(200, {}, "# Toad")]}
    hub.github().find(["toad"], 5)
    for file in (tmp_path / "cache" / "github").glob("*.json"):
        file.write_text("[")
    assert hub.github().find(["toad"], 5) == [FOUND]
    assert len(hub.asked) == 4


def test_keywords_are_dropped_from_the_end_until_something_is_found(hub: Hub) -> None:
    nothing = (200, {}, {"items": []})
    hub.replies = {SEARCH: [nothing, nothing, (200, {}, {"items": [TOAD]})]}
    assert [found.name for found in hub.github().find(list("abcdef"), 5)] == ["pond/toad"]
    assert [asked.split("q=")[1].split("&")[0] for asked in hub.asked[:3]] == ["a+b+c+d+e+f", "a+b+c+d", "a+b"]
    hub.replies = {SEARCH: [nothing]}
    assert hub.github().find(["::", "x"], 5) == []
    assert hub.github().find([], 5) == []


def test_the_token_is_sent_and_never_shown(hub: Hub) -> None:
    hub.replies = {SEARCH: [(200, {}, {"items": []})]}
    github = hub.github("secret")
    github.find(["toad"], 5)
    assert hub.tokens == ["Bearer secret"]
    assert "secret" not in repr(github)


def test_a_short_limit_is_waited_for(hub: Hub) -> None:
    limited = (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(NOW) + 20)}, {"message": "limit"})
    hub.replies = {SEARCH: [limited, (200, {}, {"items": [TOAD]})]}
    assert hub.github().find(["toad"], 5)
    assert hub.waited == [21.0]
    hub.replies = {SEARCH: [(429, {"Retry-After": "3"}, {}), (200, {}, {"items": [TOAD]})]}
    assert hub.github().find(["other"], 5)
    assert hub.waited == [21.0, 3.0]


@pytest.mark.parametrize(
    ("reply", "error", "said"),
    [
        ((401, {}, {"message": "Bad credentials"}), UsageError, "refuses the token in GITHUB_TOKEN"),
        ((429, {"Retry-After": "900"}, {}), RunError, "rate limit is used up until .*GITHUB_TOKEN.*catalogue"),
        ((429, {}, {}), RunError, "rate limit"),
        ((429, {"Retry-After": "Fri, 31 Dec"}, {}), RunError, "rate limit"),
        (
            (403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1003600"}, {}),
            RunError,
            "rate limit is used up until",
        ),
        ((403, {}, {"message": "forbidden\nfor you"}), RunError, r"answers 403 \(forbidden for you\)"),
        ((500, {}, "oops"), RunError, "answers 500"),
        ((200, {}, "<html>"), RunError, "does not answer as GitHub does"),
        ((200, {}, [1]), RunError, "does not answer as GitHub does"),
        ((200, {}, {"items": 3}), RunError, "does not answer as GitHub does"),
        ((302, {"Location": "/search/repositories"}, ""), RunError, "cannot be reached"),
    ],
)
def test_what_goes_wrong_is_one_line(hub: Hub, reply: Any, error: type[Exception], said: str) -> None:
    hub.replies = {SEARCH: [reply]}
    with pytest.raises(error, match=said) as raised:
        hub.github().find(["toad"], 5)
    assert "\n" not in str(raised.value)


def test_no_network_is_one_line(hub: Hub) -> None:
    for address in ("http://127.0.0.1:9", "nonsense", "http://[", "ftp://x"):
        with pytest.raises(RunError, match="cannot be reached.*--search catalogue"):
            GitHub(address, "").find(["toad"], 5)


@pytest.mark.parametrize(
    "item",
    [None, 3, {}, {"full_name": "a/b"}, {**TOAD, "private": True}, {**TOAD, "size": 10**9}, {**TOAD, "size": "x"}],
)
def test_what_cannot_be_used_is_passed_over(hub: Hub, item: Any) -> None:
    hub.replies = {SEARCH: [(200, {}, {"items": [item, TOAD]})]}
    assert [found.name for found in hub.github().find(["toad"], 5)] == ["pond/toad"]


def test_a_readme_that_cannot_be_had_is_none(hub: Hub) -> None:
    for reply in ((404, {}, {}), (500, {}, {}), (429, {"Retry-After": "900"}, {})):
        hub.replies = {SEARCH: [(200, {}, {"items": [TOAD]})], README: [reply]}
        assert hub.github().find([f"toad {reply[0]}"], 5)[0].readme == ""


def test_an_address_that_is_no_repositorys_is_not_fetched(hub: Hub) -> None:
    for url in ("file:///etc/passwd", "https://x", "--upload-pack=touch /tmp/x"):
        with pytest.raises(UsageError, match="an address such as"):
            hub.github().checkout(SearchResult("a/b", url=url))
