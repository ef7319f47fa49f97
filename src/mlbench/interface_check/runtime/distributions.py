"""Metadata of packages that are not installed: the repository's own, those that it requires, and those with stubs.

Programs ask for their own version and requirements, or for the version of a library. Other packages are not found.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import sys

from . import generated, stubs

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .import_scope import ImportScope

_PROJECT = re.compile(r"""(?m)^\s*name\s*=\s*["']?([A-Za-z][\w.-]*)""")


def projects(text: str) -> set[str]:
    """Read the project names in a setup.py, setup.cfg or pyproject.toml."""
    return {plain(name) for name in _PROJECT.findall(text)}


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()


def found(name: str | None, scope: ImportScope) -> list[Any]:
    """Find the distribution of this name: the repository's own, one that it requires, or that of a stub."""
    own = plain(name or "")
    if not name:
        return []
    libraries = scope.needed | scope.known  # a folder of the repository may have the name of one
    if own in scope.projects or own in scope.own - libraries:
        return [_Missing(name, generated.VERSION, "".join(_requirements(own, scope.root)))]
    if own not in scope.needed and own not in scope.own and not isinstance(sys.modules.get(own), stubs.StubModule):
        return []
    return [_Missing(name, str(stubs.attribute(own, "__version__")))]


def _requirements(project: str, root: str) -> Iterator[str]:
    """Yield the fields on what a project requires, from its pyproject.toml in the root."""
    text = generated.text_of(os.path.join(root, "pyproject.toml"))
    try:
        import tomllib  # from Python 3.11

        said = tomllib.loads(text).get("project", {})
        extras = dict(said.get("optional-dependencies", {}))
        if plain(said.get("name", "")) == project:
            yield from (f"Requires-Dist: {each}\n" for each in said.get("dependencies", ()))
            for extra, names in extras.items():
                yield f"Provides-Extra: {extra}\n"
                yield from (f'Requires-Dist: {each}; extra == "{extra}"\n' for each in names)
    except (ImportError, ValueError, TypeError, AttributeError):
        return


_USUAL = ("Summary", "Home-page", "Author", "Author-email", "License")
"""Fields that programs take for granted; setuptools writes UNKNOWN where a project does not say them."""


class _Missing(importlib.metadata.Distribution):
    def __init__(self, name: str, version: str, requirements: str = "") -> None:
        head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        self._text = head + "".join(f"{field}: UNKNOWN\n" for field in _USUAL) + requirements

    def read_text(self, filename: str) -> str | None:
        return self._text if filename == "METADATA" else None

    def locate_file(self, path: Any) -> Any:
        return f"{stubs.NOWHERE}{path}"
