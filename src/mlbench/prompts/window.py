"""Reads the context window of a model from its endpoint."""

from __future__ import annotations

from typing import Any

import httpx

SECONDS = 5.0
"""Timeout of one request."""
_LONGEST = 10_000_000
"""A larger number of tokens is not believed."""


def context_window(base_url: str, model: str, api_key: str | None = None) -> int | None:
    """How many tokens a model takes, its reply included; None if its endpoint does not say.

    vLLM and SGLang state it in `/v1/models`; llama.cpp's server states it in `/props`, as the share of one slot.

    Args:
        base_url: of OpenAI's protocol, like `http://localhost:8000/v1`.
        model: its name at the endpoint.
        api_key: sent as a bearer token; None for none.
    """
    root = base_url.rstrip("/")
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    with httpx.Client(headers=headers, timeout=SECONDS) as client:
        listed = _entry(_json(client, f"{root}/models"), model)
        if (length := _number(_inside(listed, "max_model_len"))) is not None:
            return length
        props = _json(client, f"{root.removesuffix('/v1')}/props")
    return _number(_inside(props, "default_generation_settings", "n_ctx")) or _number(_inside(listed, "meta", "n_ctx"))


def _entry(models: Any, name: str) -> Any:
    """The entry of this model in the list of models, or the only entry."""
    data = _inside(models, "data")
    entries = [each for each in data if isinstance(each, dict)] if isinstance(data, list) else []
    named = [each for each in entries if each.get("id") == name]
    return next(iter(named or (entries if len(entries) == 1 else [])), None)


def _json(client: httpx.Client, url: str) -> Any:
    """The parsed reply; None if there is none."""
    try:
        answer = client.get(url)
        return answer.json() if answer.status_code == 200 else None
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, RecursionError):
        return None


def _inside(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _LONGEST else None
