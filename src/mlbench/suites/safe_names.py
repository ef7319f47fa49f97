"""What a suite's files may call things: names that are one folder, paths that stay inside the repository."""

from __future__ import annotations

import posixpath
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][\w.-]*$")]
"""Of a suite or repository: also the name of its folder, here and in the cache."""


def _inside(path: str) -> str:
    normal = posixpath.normpath(path)
    if posixpath.isabs(normal) or normal == ".." or normal.startswith("../"):
        raise ValueError(f"{path!r} leads out of the repository")
    return path


Inside = Annotated[str, AfterValidator(_inside)]
"""A path from the root of a repository that stays within it."""
