"""`mlbench` as a user starts it: a real process, with a home, a cache of replies and buffers of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests import command_line

PROGRAM = Path(sys.executable).with_name("mlbench")
_PROXIES = ("http_proxy", "https_proxy", "all_proxy")


@dataclass(frozen=True)
class Done:
    """A process that has ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def said(self) -> str:
        """The one line on stderr, and that there is no traceback anywhere.

        Raises:
            AssertionError: there are more lines, or none, or a traceback.
        """
        assert "Traceback" not in self.stderr + self.stdout, self.stderr + self.stdout
        lines = self.stderr.strip().splitlines()
        assert len(lines) == 1, self.stderr
        return lines[0]


@dataclass(frozen=True)
class Place:
    """A folder in which commands run: `logs` is the log folder."""

    root: Path

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def replies(self) -> Path:
        """Where Inspect keeps replies."""
        return self.root / "replies"

    def env(self, **more: str) -> dict[str, str]:
        mlbench_cache = os.environ.get("MLBENCH_CACHE")
        kept = {
            name: value
            for name, value in os.environ.items()
            if name.lower() not in _PROXIES and not name.startswith(("INSPECT_", "OPENAI_", "LOCAL_"))
        }
        own = {} if mlbench_cache else {"MLBENCH_CACHE": str(_default_cache())}
        return {
            **kept,
            **own,
            "HOME": str(self.root),
            "XDG_DATA_HOME": str(self.root / "data"),
            "XDG_CACHE_HOME": str(self.root / "cache"),
            "INSPECT_CACHE_DIR": str(self.replies),
            "OPENAI_API_KEY": "a key",
            **more,
        }

    def command(self, *arguments: str) -> list[str]:
        return [str(PROGRAM), "eval", *arguments, "--log-dir", str(self.logs), "--display", "plain"]

    def start(self, *arguments: str, env: Mapping[str, str] | None = None) -> command_line.Command:
        """`mlbench eval` in a session of its own, so that all of it can be killed at once."""
        return command_line.start(*self.command(*arguments)[1:], cwd=self.root, env=self.env(**(env or {})))

    def run(self, *arguments: str, env: Mapping[str, str] | None = None, seconds: float = 240) -> Done:
        done = command_line.mlbench(
            *self.command(*arguments)[1:], cwd=self.root, env=self.env(**(env or {})), seconds=seconds
        )
        return Done(done.returncode, done.stdout, done.stderr)


def _default_cache() -> Path:
    from mlbench.repositories.cache import cache_folder

    return cache_folder()
