"""Types for names and paths in a suite's files, which must not lead out of their folder."""

from __future__ import annotations

import posixpath
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][\w.-]*$")]
"""The name of a suite or repository, which is also the name of its folder."""


def _inside(path: str) -> str:
    normal = posixpath.normpath(path)
    if posixpath.isabs(normal) or normal == ".." or normal.startswith("../"):
        raise ValueError(f"{path!r} leads out of the repository")
    return path


Inside = Annotated[str, AfterValidator(_inside)]
"""A relative path that stays inside the repository."""
