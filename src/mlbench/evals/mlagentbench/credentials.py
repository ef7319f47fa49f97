"""Find the user's logins for published data where the sites' own clients look for them."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path

import httpx

from mlbench.records import UsageError


class _Bearer(httpx.Auth):
    def __init__(self, token: str) -> None:
        self._token = token

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response]:
        request.headers["Authorization"] = f"Bearer {self._token}"
        yield request


def login(site: str, problem: str, source: str) -> httpx.Auth:
    """Return the authentication of a request to a site.

    Args:
        site: `kaggle` or `huggingface`.
        problem: its name, for the error.
        source: the data's page, for the error.

    Raises:
        UsageError: there is no login; says where one is looked for.
    """
    found = _kaggle() if site == "kaggle" else _huggingface()
    if found is None:
        raise UsageError(f"{problem}: no login for {source}: {_WHERE[site]}")
    return found


_WHERE = {
    "kaggle": "set KAGGLE_USERNAME and KAGGLE_KEY, or KAGGLE_API_TOKEN, or keep ~/.kaggle/kaggle.json "
    "(kaggle.com, Settings, API), and accept the competition's rules there",
    "huggingface": "set HF_TOKEN, or say `hf auth login`, and accept the terms on the page",
}


def _kaggle() -> httpx.Auth | None:
    if token := _variable("KAGGLE_API_TOKEN"):
        return _Bearer(token)
    name, key = _variable("KAGGLE_USERNAME"), _variable("KAGGLE_KEY")
    if not (name and key):
        file = Path(os.environ.get("KAGGLE_CONFIG_DIR") or Path.home() / ".kaggle", "kaggle.json")
        try:
            login = json.loads(file.read_text())
            name, key = str(login["username"]), str(login["key"])
        except OSError:
            return None
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{file}: holds no username and key, as JSON: fetch it again from kaggle.com") from error
    return httpx.BasicAuth(name, key)


def _huggingface() -> httpx.Auth | None:
    token = _variable("HF_TOKEN")
    if not token:
        home = os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface"
        try:
            token = Path(os.environ.get("HF_TOKEN_PATH") or Path(home, "token")).read_text().strip()
        except OSError:
            return None
    return _Bearer(token) if token else None


def _variable(name: str) -> str:
    """A variable's value without a trailing line end, which cannot be sent."""
    return os.environ.get(name, "").strip()
