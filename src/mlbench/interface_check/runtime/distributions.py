"""Metadata of packages that are not installed: the repository's own, and those with stubs.

Programs ask for their own version, or for that of a library that they import. Other packages are not found.
"""

from __future__ import annotations

import importlib.metadata
import re
import sys
from typing import Any

from . import stubs

_PROJECT = re.compile(r"""(?m)^\s*name\s*=\s*["']?([A-Za-z][\w.-]*)""")


def projects(text: str) -> set[str]:
    """Read the project names in a setup.py, setup.cfg or pyproject.toml."""
    return {plain(name) for name in _PROJECT.findall(text)}


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()


def found(name: str | None, own: Any) -> list[Any]:
    """Find the distribution of this name, if it is in `own` or belongs to a stub."""
    module = sys.modules.get(plain(name or ""))
    if not name or not (plain(name) in own or isinstance(module, stubs.StubModule)):
        return []
    version = module.__version__ if isinstance(module, stubs.StubModule) else "0.0.0"
    return [_Missing(name, str(version))]


_USUAL = ("Summary", "Home-page", "Author", "Author-email", "License")
"""Fields that programs take for granted; setuptools writes UNKNOWN where a project does not say them."""


class _Missing(importlib.metadata.Distribution):
    def __init__(self, name: str, version: str) -> None:
        head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        self._text = head + "".join(f"{field}: UNKNOWN\n" for field in _USUAL)

    def read_text(self, filename: str) -> str | None:
        return self._text if filename == "METADATA" else None

    def locate_file(self, path: Any) -> Any:
        return f"{stubs.NOWHERE}{path}"
