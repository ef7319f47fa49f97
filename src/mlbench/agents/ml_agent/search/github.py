"""Search GitHub by its REST interface, with a cache on disk, within its rate limits.

GitHub returns only repositories that match every keyword, so the last keywords are dropped until something matches.
A repository is pinned to its present commit and then fetched (`mlbench.repositories.fetch`).
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx

from mlbench.agents.ml_agent.search import SearchResult
from mlbench.agents.ml_agent.search.catalogue import BEGINNING
from mlbench.atomic_write import write_file
from mlbench.records import RunError, UsageError
from mlbench.repositories.cache import cache_folder
from mlbench.repositories.fetch import fetch
from mlbench.repositories.pinning import pin

ADDRESS = "https://api.github.com"
KEPT_SECONDS = 24 * 3600.0
"""How long a cached response is used."""
PATIENCE = 60.0
"""The longest wait for a rate limit, in seconds; a longer one is an error."""
LARGEST_KB = 2_000_000
_TIMEOUT = 30.0
_LONGEST = 256
_OFFLINE = "`--search catalogue` needs no network"


@dataclass(frozen=True)
class GitHub:
    """A search over GitHub.

    Attributes:
        base_url: the address of the REST interface.
        token: raises the rate limits; by default the value of GITHUB_TOKEN.
        mirror: a folder of clones to fetch from instead of the network.
        sleep: waits a number of seconds.
        now: returns the time in seconds since the epoch.
    """

    base_url: str = ADDRESS
    token: str = field(default_factory=lambda: os.environ.get("GITHUB_TOKEN", ""), repr=False)
    mirror: Path | None = None
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.time

    def find(self, keywords: Sequence[str], count: int) -> list[SearchResult]:
        """Return repositories that match as many of the first keywords as possible.

        Raises:
            UsageError: GitHub refuses the token.
            RunError: GitHub cannot be reached, refuses the request, or answers in another form.
        """
        words = [word for word in (_plain(keyword) for keyword in keywords) if word]
        for wanted in _ever_fewer(words):
            query = " ".join(wanted)[:_LONGEST].strip()
            answer = self._get("/search/repositories", {"q": query, "per_page": str(min(count, 100))})
            items = answer.get("items") if isinstance(answer, dict) else None
            if not isinstance(items, list):
                raise RunError(f"{self.base_url} does not answer as GitHub does; {_OFFLINE}")
            found = [self._result_of(item) for item in items[:count] if _usable(item)]
            if found:
                return found
        return []

    def checkout(self, found: SearchResult) -> Path:
        """Pin a repository to its present commit, fetch it, and return its folder."""
        return fetch(pin(found.url, mirror=self.mirror), self.mirror).folder

    def _result_of(self, item: Mapping[str, Any]) -> SearchResult:
        topics = [topic for topic in item.get("topics") or [] if isinstance(topic, str)]
        return SearchResult(
            name=item["full_name"],
            description=str(item.get("description") or "")[:300],
            topics=tuple(topics[:20]),
            readme=self._readme(item["full_name"]),
            url=item["html_url"],
        )

    def _readme(self, full_name: str) -> str:
        """Return the beginning of a README; empty if it is missing or the rate limit is used up."""
        try:
            answer = self._get(f"/repos/{full_name}/readme", {}, raw=True)
        except RunError:
            return ""
        return answer[:BEGINNING] if isinstance(answer, str) else ""

    def _get(self, path: str, query: dict[str, str], *, raw: bool = False) -> Any:
        """Return a response, from the cache if it is young enough.

        Args:
            path: of the resource.
            query: the parameters of the request.
            raw: return the body as text, and None if the resource does not exist; else the body as JSON.

        Raises:
            UsageError: GitHub refuses the token.
            RunError: there is no network, the rate limit lasts too long, or GitHub refuses the request.
        """
        key = json.dumps([self.base_url, path, query, raw, bool(self.token)], sort_keys=True)
        file = cache_folder("github") / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"
        cached = _cached(file, self.now() - KEPT_SECONDS)
        if cached is not None:
            return cached.reply
        response = self._send(path, query, raw)
        if (wait := self._wait(response)) is not None and wait <= PATIENCE:
            self.sleep(wait)
            response = self._send(path, query, raw)
        reply = self._read(response, raw)
        _store(file, _CachedReply(self.now(), reply))
        return reply

    def _send(self, path: str, query: dict[str, str], raw: bool) -> httpx.Response:
        headers = {
            "Accept": "application/vnd.github.raw+json" if raw else "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
            "User-Agent": "mlbench",
            **({"Authorization": f"Bearer {self.token}"} if self.token else {}),
        }
        address = self.base_url.rstrip("/") + path
        try:
            return httpx.get(address, params=query, headers=headers, timeout=_TIMEOUT, follow_redirects=True)
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise RunError(
                f"GitHub cannot be reached at {self.base_url} ({type(error).__name__}: {error}); {_OFFLINE}"
            ) from error

    def _wait(self, response: httpx.Response) -> float | None:
        """Return the seconds until the rate limit ends; None if no rate limit caused this response."""
        if response.status_code not in (403, 429):
            return None
        after, reset = response.headers.get("Retry-After"), response.headers.get("X-RateLimit-Reset")
        try:
            if after is not None:
                return max(0.0, float(after))
            if reset is not None and response.headers.get("X-RateLimit-Remaining") == "0":
                return max(0.0, float(reset) - self.now()) + 1
        except ValueError:
            return PATIENCE + 1
        return PATIENCE + 1 if response.status_code == 429 else None

    def _read(self, response: httpx.Response, raw: bool) -> Any:
        """Return the body of a response, or raise an error that names the cause."""
        if response.status_code == 401:
            raise UsageError("GitHub refuses the token in GITHUB_TOKEN: make a new one, or unset it (401)")
        if (wait := self._wait(response)) is not None:
            until = datetime.fromtimestamp(self.now() + wait).strftime("%H:%M:%S")
            more = "" if self.token else ", or set GITHUB_TOKEN, which raises it"
            raise RunError(f"GitHub's rate limit is used up until {until}: wait{more}; {_OFFLINE}")
        if response.status_code == 404 and raw:
            return None
        if response.status_code != 200:
            raise RunError(f"GitHub answers {response.status_code} ({_message_of(response)}); {_OFFLINE}")
        if raw:
            return response.text
        try:
            return response.json()
        except (ValueError, RecursionError) as error:
            raise RunError(f"{self.base_url} does not answer as GitHub does: no JSON; {_OFFLINE}") from error


def _ever_fewer(words: list[str]) -> list[list[str]]:
    """Return shorter and shorter lists of keywords: at most four, as GitHub allows ten a minute."""
    sizes = sorted({len(words), *(size for size in (4, 2, 1) if size < len(words))}, reverse=True)
    return [words[:size] for size in sizes if size]


def _plain(keyword: str) -> str:
    """Return a keyword without the characters that GitHub reads as qualifiers or operators."""
    return " ".join("".join(c if c.isalnum() or c in "-_.+#" else " " for c in keyword).split())


def _usable(item: Any) -> bool:
    return (
        isinstance(item, dict)
        and all(isinstance(item.get(name), str) for name in ("full_name", "html_url"))
        and not item.get("private")
        and isinstance(item.get("size", 0), int)
        and item.get("size", 0) <= LARGEST_KB
    )


def _message_of(response: httpx.Response) -> str:
    try:
        return " ".join(str(response.json()["message"]).split())[:200]
    except (ValueError, TypeError, KeyError, RecursionError):
        return response.reason_phrase or "no word"


@dataclass(frozen=True)
class _CachedReply:
    """The body of a response, and when it was received, in seconds since the epoch."""

    at: float
    reply: Any


def _cached(file: Path, since: float) -> _CachedReply | None:
    """Return a cached response that is not older than `since`."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return _CachedReply(content["at"], content["reply"]) if content["at"] >= since else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _store(file: Path, content: _CachedReply) -> None:
    """Write a cache file atomically; a cache that cannot be written is no error."""
    try:
        write_file(file, json.dumps(asdict(content)))
    except OSError:
        return
