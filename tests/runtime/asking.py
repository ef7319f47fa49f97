"""Asks the interface check's real server, in a real jail, about small programs that a test writes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from anyio.from_thread import start_blocking_portal

from mlbench.interface_check.check_server import CheckEnv
from mlbench.interface_check.client_pool import Servers

Ask = Callable[..., dict[str, Any]]


@contextlib.contextmanager
def asking(repository: Path, environment: Path | None = None) -> Iterator[Ask]:
    """`ask(target, *words, run="file", cwd="/workspace", env={}, ...)` gives the server's answer, without its time."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Servers(2)) as servers:

        def ask(target: str, *words: str, **rest: Any) -> dict[str, Any]:
            request = {"do": "program", "run": "file", "target": target, "argv": list(words), **rest}
            request = {"cwd": "/workspace", "env": {}, "cpu": 2.0, "wall": 60.0, **request}
            answer = portal.call(servers.ask, CheckEnv(repository, environment), request)
            assert answer.pop("seconds") >= 0
            return answer

        yield ask


def write(folder: Path, files: dict[str, str]) -> Path:
    """A repository with these files."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder
