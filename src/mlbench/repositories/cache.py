"""The cache folder, for everything that mlbench can make again."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path


def cache_folder(*parts: str) -> Path:
    """Return a folder of the cache, and create it if needed. `MLBENCH_CACHE` sets another cache."""
    root = os.environ.get("MLBENCH_CACHE")
    folder = (Path(root).resolve() if root else user_cache_path("mlbench", appauthor=False)).joinpath(*parts)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
