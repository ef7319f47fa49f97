"""A digest of this package's own code: two machines with the same digest judge alike."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parent
_DATA = {"__pycache__", "data", "problems"}
"""Folders that hold no code of the package. Suites and problems have versions of their own."""


@cache
def source_digest(*rooms: str) -> str:
    """Return a SHA-256 over the files of the package.

    Args:
        rooms: only these folders of the package, with all their files; none for the whole code.
    """
    digest = hashlib.sha256()
    for folder in [_PACKAGE / room for room in rooms] or [_PACKAGE]:
        for file in sorted(folder.rglob("*")):
            skipped = {"__pycache__"} if rooms else _DATA
            if file.is_file() and not skipped & set(file.relative_to(_PACKAGE).parts):
                digest.update(file.relative_to(_PACKAGE).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()
