"""Which parts of a repository a checkout does not have: submodules, Git LFS files, files left out."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from pathlib import Path

from mlbench.repositories.documents import inner_files

_POINTER = b"version https://git-lfs.github.com/spec/"
_LONGEST_POINTER, _LONGEST_MODULES = 1024, 100_000
_MODULE = re.compile(r"(?m)^\s*path\s*=\s*(.+?)\s*$")
_NAMED = 3


def is_pointer(file: Path) -> bool:
    """Whether a file is a Git LFS pointer: its content was not fetched."""
    try:
        if file.stat().st_size > _LONGEST_POINTER:
            return False
        with file.open("rb") as opened:
            return opened.read(len(_POINTER)) == _POINTER
    except OSError:
        return False


def declared_submodules(folder: Path) -> list[str]:
    """The paths of the submodules that a repository declares."""
    file = folder / ".gitmodules"
    if file.is_symlink() or not file.is_file() or file.stat().st_size > _LONGEST_MODULES:
        return []
    declared = _MODULE.findall(file.read_text(encoding="utf-8", errors="replace"))
    inside = {posixpath.normpath(path) for path in declared if not path.startswith("/")}
    return sorted(path for path in inside if path.split("/")[0] != "..")


def submodules(folder: Path) -> list[str]:
    """The declared submodules whose folder is missing or empty."""
    return [path for path in declared_submodules(folder) if not _is_filled(folder / path)]


def _is_filled(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except OSError:
        return False


def lacking(folder: Path, absent: Sequence[str] = ()) -> str:
    """What a checkout does not have, as one line; empty if nothing is missing.

    Args:
        folder: the checkout.
        absent: files that are known to be left out.
    """
    pointers = [path for path in inner_files(folder) if is_pointer(folder / path)]
    parts = (("submodule", submodules(folder)), ("Git LFS file", pointers), ("large or unreadable file", absent))
    return "; ".join(_counted(what, paths) for what, paths in parts if paths)


def _counted(what: str, paths: Sequence[str]) -> str:
    shown = ", ".join(paths[:_NAMED]) + (", ..." if len(paths) > _NAMED else "")
    return f"{len(paths)} {what}{'s' * (len(paths) != 1)} ({shown})"
