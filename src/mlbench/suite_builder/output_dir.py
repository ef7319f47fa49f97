"""The folder that a suite is built into: what may stand there, and what goes when another build takes its place."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from mlbench.records import RunError, UsageError

STEPS = "steps"
"""The folder of the decisions; it is made first, and tells a suite that was built from one that somebody wrote."""


def claim(folder: Path) -> None:
    """Take a folder for a suite, before anything else is written into it; a second build may take it again.

    Raises:
        UsageError: it holds something else, or recipes that a person has looked at.
        RunError: it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_to_lose(folder)
        (folder / STEPS).mkdir(exist_ok=True)
    except OSError as error:
        raise RunError(f"{folder}: no suite can be written there: {error.strerror}; name another folder") from error


def release(folder: Path) -> None:
    """Leave no folder behind in which nothing came to stand."""
    for empty in (folder / STEPS, folder):
        if any(empty.iterdir()):
            return
        empty.rmdir()


def clear(folder: Path, kept: Path) -> None:
    """Take away what an earlier build left, but for one: the copy of the repository in it, or what pins it."""
    shutil.rmtree(folder / "recipes", ignore_errors=True)
    for old in (folder / "suite.yaml", folder / "references.jsonl", *(folder / STEPS).iterdir()):
        old.unlink(missing_ok=True)
    for old in (*(folder / "catalogue").glob("*"), *(folder / "repositories").glob("*")):
        if old.resolve() != kept.resolve():
            shutil.rmtree(old) if old.is_dir() else old.unlink()


def _refuse_to_lose(folder: Path) -> None:
    ours = (folder / STEPS).is_dir() and all(file.suffix == ".jsonl" for file in (folder / STEPS).iterdir())
    if not ours and any(folder.iterdir()):
        raise UsageError(f"{folder}: holds something else; name a new folder")
    for file in sorted((folder / "recipes").glob("*/*.yaml")):
        if re.search(r"(?m)^(?:reviewed|rejected):", file.read_text(encoding="utf-8", errors="replace")):
            raise UsageError(f"{file}: a person has looked at this recipe; name a new folder for another build")
