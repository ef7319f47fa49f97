"""The search over GitHub, by its REST interface. Replies are kept on disk; its rate limits are respected.

A search of GitHub wants every keyword: the last ones are dropped until something is found. A found repository is pinned
to the commit that it has now, and fetched like every other (`mlbench.repositories.fetch`).
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
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
"""A reply is taken from the cache for a day."""
PATIENCE = 60.0
"""Seconds that it waits for a rate limit to end; beyond it says so."""
LARGEST_KB = 2_000_000
_TIMEOUT = 30.0
_LONGEST = 256
_OFFLINE = "`--search catalogue` needs no network"


@dataclass(frozen=True)
class GitHub:
    """Attributes:
    base_url: of the interface; another for a GitHub of one's own.
    token: raises the limits; as a rule from GITHUB_TOKEN.
    mirror: a folder of clones to fetch from, instead of the network.
    """

    base_url: str = ADDRESS
    token: str = field(default_factory=lambda: os.environ.get("GITHUB_TOKEN", ""), repr=False)
    mirror: Path | None = None
    sleep: Callable[[float], None] = time.sleep
    now: Callable[[], float] = time.time

    def find(self, keywords: Sequence[str], count: int) -> list[SearchResult]:
        words = [word for word in (_plain(keyword) for keyword in keywords) if word]
        for wanted in _fewer(words):
            query = " ".join(wanted)[:_LONGEST].strip()
            answer = self._asked("/search/repositories", {"q": query, "per_page": str(min(count, 100))})
            items = answer.get("items") if isinstance(answer, dict) else None
            if not isinstance(items, list):
                raise RunError(f"{self.base_url} does not answer as GitHub does; {_OFFLINE}")
            found = [self._found(item) for item in items[:count] if _usable(item)]
            if found:
                return found
        return []

    def checkout(self, found: SearchResult) -> Path:
        """Pinned to its present commit, and fetched."""
        return fetch(pin(found.url, mirror=self.mirror), self.mirror).folder

    def _found(self, item: dict[str, Any]) -> SearchResult:
        topics = [topic for topic in item.get("topics") or [] if isinstance(topic, str)]
        return SearchResult(
            name=item["full_name"],
            description=str(item.get("description") or "")[:300],
            topics=tuple(topics[:20]),
            readme=self._readme(item["full_name"]),
            url=item["html_url"],
        )

    def _readme(self, full_name: str) -> str:
        """Its beginning; nothing where there is none, or where the limit is used up: the search has succeeded."""
        try:
            answer = self._asked(f"/repos/{full_name}/readme", {}, raw=True)
        except RunError:
            return ""
        return answer[:BEGINNING] if isinstance(answer, str) else ""

    def _asked(self, path: str, query: dict[str, str], *, raw: bool = False) -> Any:
        """A reply, from the cache where it is young enough. Text where it is `raw`; None for what is not there.

        Raises:
            UsageError: the token is refused.
            RunError: no network, a rate limit beyond patience, or another refusal.
        """
        key = json.dumps([self.base_url, path, query, raw, bool(self.token)], sort_keys=True)
        file = cache_folder("github") / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"
        kept = _kept(file, self.now() - KEPT_SECONDS)
        if kept is not None:
            return kept["reply"]
        response = self._sent(path, query, raw)
        if (wait := self._wait(response)) is not None and wait <= PATIENCE:
            self.sleep(wait)
            response = self._sent(path, query, raw)
        reply = self._read(response, raw)
        _keep(file, {"at": self.now(), "reply": reply})
        return reply

    def _sent(self, path: str, query: dict[str, str], raw: bool) -> httpx.Response:
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
        """Seconds until it may be asked again; None where no rate limit is what stands against it."""
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
        if response.status_code == 401:
            raise UsageError("GitHub refuses the token in GITHUB_TOKEN: make a new one, or unset it (401)")
        if (wait := self._wait(response)) is not None:
            until = datetime.fromtimestamp(self.now() + wait).strftime("%H:%M:%S")
            more = "" if self.token else ", or set GITHUB_TOKEN, which raises it"
            raise RunError(f"GitHub's rate limit is used up until {until}: wait{more}; {_OFFLINE}")
        if response.status_code == 404 and raw:
            return None
        if response.status_code != 200:
            raise RunError(f"GitHub answers {response.status_code} ({_said(response)}); {_OFFLINE}")
        if raw:
            return response.text
        try:
            return response.json()
        except (ValueError, RecursionError) as error:
            raise RunError(f"{self.base_url} does not answer as GitHub does: no JSON; {_OFFLINE}") from error


def _fewer(words: list[str]) -> list[list[str]]:
    """All of them, then fewer, the last ones first: four searches at most, as only ten a minute are allowed."""
    sizes = sorted({len(words), *(size for size in (4, 2, 1) if size < len(words))}, reverse=True)
    return [words[:size] for size in sizes if size]


def _plain(keyword: str) -> str:
    """Without what is a qualifier or an operator to GitHub's search."""
    return " ".join("".join(c if c.isalnum() or c in "-_.+#" else " " for c in keyword).split())


def _usable(item: Any) -> bool:
    return (
        isinstance(item, dict)
        and all(isinstance(item.get(name), str) for name in ("full_name", "html_url"))
        and not item.get("private")
        and isinstance(item.get("size", 0), int)
        and item.get("size", 0) <= LARGEST_KB
    )


def _said(response: httpx.Response) -> str:
    try:
        return " ".join(str(response.json()["message"]).split())[:200]
    except (ValueError, TypeError, KeyError, RecursionError):
        return response.reason_phrase or "no word"


def _kept(file: Path, since: float) -> dict[str, Any] | None:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        return content if content["at"] >= since and "reply" in content else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _keep(file: Path, content: dict[str, Any]) -> None:
    """Written beside and moved; a cache that cannot be written is none, and no error."""
    try:
        write_file(file, json.dumps(content))
    except OSError:
        return
