"""Where mlbench keeps what it can make again: checkouts, environments, an empty mount point."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path


def cache_folder(*parts: str) -> Path:
    """A folder of the cache, made if need be. `MLBENCH_CACHE` moves it."""
    root = os.environ.get("MLBENCH_CACHE")
    folder = (Path(root).resolve() if root else user_cache_path("mlbench", appauthor=False)).joinpath(*parts)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
