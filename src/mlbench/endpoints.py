"""The endpoint of a model: whether its key and address are known, and whether anything answers there."""

from __future__ import annotations

import functools
import ipaddress
import os
import signal
import socket
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, getproxies, proxy_bypass, urlopen

from mlbench.records import RunError, UsageError

if TYPE_CHECKING:
    from inspect_ai.model import Model

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


def refuse_wrong_key(name: str, base_url: str | None, model_args: Mapping[str, Any]) -> None:
    """Ask an OpenAI-compatible endpoint for its models, before anything heavy is imported; nothing is paid.

    Only a 401 says something: some endpoints have no list of models. Other providers are not asked.

    Raises:
        RunError: the endpoint does not accept the key.
    """
    provider, _, rest = name.partition("/")
    if provider not in ("openai", _COMPATIBLE):
        return
    service = "openai" if provider == "openai" else rest.partition("/")[0]
    prefix = service.upper().replace("-", "_")
    url = base_url or os.environ.get(f"{prefix}_BASE_URL") or os.environ.get("INSPECT_EVAL_MODEL_BASE_URL")
    url = url or ("https://api.openai.com/v1" if provider == "openai" else None)
    key = model_args.get("api_key") or os.environ.get(f"{prefix}_API_KEY")
    if not url or not key or urlsplit(url).scheme not in ("http", "https"):
        return
    try:
        request = Request(f"{url.rstrip('/')}/models", headers={"Authorization": f"Bearer {key}"})
        urlopen(request, timeout=5).close()
    except HTTPError as error:
        if error.code == 401:
            raise RunError(_refused(name, error.code, url, f"{prefix}_API_KEY")) from error
    except (OSError, ValueError):
        return  # `reach` says that nothing answers


class EndpointRefusal:
    """Whether the endpoint of a model has refused every further request: the key (401), or model and path (404).

    Attributes:
        error: what to tell the user; None as long as requests are taken.
    """

    def __init__(self, name: str, url: str | None) -> None:
        self._name, self._url = name, url
        self.error: str | None = None
        self._answered = False

    def watch(self, model: Model) -> None:
        """Stop the run at the first refusal: no request is made again, and no further one is made.

        The run is stopped as Ctrl-C stops it, so finished samples are kept and it can be resumed.
        """
        generate = getattr(model.api.generate, "__wrapped__", model.api.generate)  # Inspect keeps models: wrap once

        @functools.wraps(generate)
        async def watched(*args: Any, **kwargs: Any) -> Any:
            if self.error is not None:
                raise RunError(self.error)
            try:
                answer = await generate(*args, **kwargs)
            except Exception as error:
                status = getattr(error, "status_code", None)
                if status == 401 or (status == 404 and not self._answered):  # a 404 between answers is a hiccup
                    self._stop(status)
                raise
            self._answered = True
            return answer

        model.api.generate = watched  # type: ignore[method-assign]

    def _stop(self, status: int) -> None:
        if self.error is None:
            self.error = _refused(self._name, status, self._url, "the variable of its key")
            if threading.current_thread() is threading.main_thread():
                signal.raise_signal(signal.SIGINT)


def _refused(name: str, status: int, url: str | None, key: str) -> str:
    where = f" at {url}" if url else ""
    if status == 401:
        return f"model {name}: the endpoint{where} does not accept the key (401): look at {key}, or -M api_key=…"
    return (
        f"model {name}: the endpoint{where} does not know the model or the path (404): look at --model and --base-url"
    )


def _is_here(url: str) -> bool:
    """Whether a URL names this machine."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback or host == "0.0.0.0"
    except ValueError:
        return False
