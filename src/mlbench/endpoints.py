"""The endpoint of a model: whether its key and address are known, and whether anything answers there."""

from __future__ import annotations

import ipaddress
import os
import socket
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from mlbench.types import RunError, UsageError

_COMPATIBLE = "openai-api"
_NO_KEY = "none"


def find_key(name: str, base_url: str | None) -> None:
    """Provide the key that Inspect insists on if a model's endpoint is on this machine, where none is needed.

    Only for models named `openai-api/SERVICE/MODEL`, whose key is the variable `SERVICE_API_KEY`.

    Raises:
        UsageError: the address is not known, or the endpoint is elsewhere and no key is set; says what to type.
    """
    provider, _, rest = name.partition("/")
    service, slash, _ = rest.partition("/")
    if provider != _COMPATIBLE or not slash:
        return
    prefix = service.upper().replace("-", "_")
    url = base_url or os.environ.get(f"{prefix}_BASE_URL") or os.environ.get("INSPECT_EVAL_MODEL_BASE_URL")
    if not url:
        raise UsageError(f"model {name}: no address; --base-url http://localhost:8000/v1 or {prefix}_BASE_URL")
    key = f"{prefix}_API_KEY"
    if os.environ.get(key):
        return
    if not _is_here(url):
        raise UsageError(f"model {name}: no {key}; if the endpoint needs none, any value does: export {key}={_NO_KEY}")
    os.environ[key] = _NO_KEY


def reach(name: str, url: str) -> None:
    """Say at once that an endpoint is down, not after an hour of retries.

    Raises:
        UsageError: the URL is none.
        RunError: nothing answers there.
    """
    parts = urlsplit(url)
    if not parts.hostname:
        raise UsageError(f"model {name}: {url} is not an address; like http://localhost:8000/v1")
    if {parts.scheme, "all"} & set(getproxies()) and not proxy_bypass(parts.hostname):
        return  # a proxy stands in between: only the request itself can tell
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname, port), timeout=10).close()
    except OSError as error:
        raise RunError(f"model {name}: nothing answers at {url} ({error.strerror or error})") from error


def _is_here(url: str) -> bool:
    """Whether a URL names this machine."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback or host == "0.0.0.0"
    except ValueError:
        return False
