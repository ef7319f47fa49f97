"""Check a model's endpoint: its address, its key, and whether it answers."""

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
    """Set a placeholder key for an endpoint on this machine, because Inspect requires a key.

    Applies only to models named `openai-api/SERVICE/MODEL`, whose key is the variable `SERVICE_API_KEY`.

    Args:
        name: the model.
        base_url: URL of the endpoint; None to take it from `SERVICE_BASE_URL`.

    Raises:
        UsageError: the URL is not known, or the endpoint is on another machine and no key is set; says what to do.
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
    """Check that an endpoint answers, before Inspect retries for an hour.

    Raises:
        UsageError: the URL is not valid.
        RunError: nothing answers at the URL.
    """
    parts = urlsplit(url)
    if not parts.hostname:
        raise UsageError(f"model {name}: {url} is not a URL; for example http://localhost:8000/v1")
    if {parts.scheme, "all"} & set(getproxies()) and not proxy_bypass(parts.hostname):
        return  # behind a proxy, only the request itself shows whether the endpoint answers
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname, port), timeout=10).close()
    except OSError as error:
        raise RunError(
            f"model {name}: nothing answers at {url} ({error.strerror or error}); --base-url names another address"
        ) from error


def refuse_wrong_key(name: str, base_url: str | None, model_args: Mapping[str, Any]) -> None:
    """Ask an OpenAI-compatible endpoint for its list of models, to find a wrong key early and at no cost.

    Only a 401 is an error, because some endpoints have no such list. Other providers are not asked.

    Args:
        name: the model.
        base_url: URL of the endpoint; None to take it from the environment.
        model_args: arguments of the provider; may hold `api_key`.

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
        return  # `reach` reports that nothing answers


class EndpointRefusal:
    """Detects that an endpoint refuses every request: a wrong key (401), or a wrong model or path (404).

    Attributes:
        error: message for the user; None as long as requests are accepted.
    """

    def __init__(self, name: str, url: str | None) -> None:
        self._name, self._url = name, url
        self.error: str | None = None
        self._answered = False

    def watch(self, model: Model) -> None:
        """Stop the run at the first refusal, without retries.

        The run is stopped as by Ctrl-C: finished samples are kept, and the run can be resumed.
        """
        generate = getattr(
            model.api.generate, "__wrapped__", model.api.generate
        )  # Inspect caches models: wrap only once

        @functools.wraps(generate)
        async def watched(*args: Any, **kwargs: Any) -> Any:
            if self.error is not None:
                raise RunError(self.error)
            try:
                answer = await generate(*args, **kwargs)
            except Exception as error:
                status = getattr(error, "status_code", None)
                if status == 401 or (
                    status == 404 and not self._answered
                ):  # a 404 between answers is a temporary error
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
    """Return whether a URL names this machine."""
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ipaddress.ip_address(host).is_loopback or host == "0.0.0.0"
    except ValueError:
        return False
