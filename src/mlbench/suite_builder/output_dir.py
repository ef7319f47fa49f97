"""The folder that a suite is built into: when it may be used, and what a new build removes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from mlbench.records import RunError, UsageError

STEPS = "steps"
"""The folder of decisions. It is made first, and marks a suite as built rather than written by hand."""
PRIORITIES = "builder.md"
"""A person's list of what is wanted first. It may be there before the first build, and every build keeps it."""
_OURS = (".jsonl", ".md")


def claim(folder: Path) -> None:
    """Prepare a folder for a suite before anything is written; a later build may claim it again.

    Raises:
        UsageError: it holds something else, or recipes that a person has reviewed.
        RunError: it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_to_lose(folder)
        (folder / STEPS).mkdir(exist_ok=True)
    except OSError as error:
        raise RunError(f"{folder}: a suite cannot be written there: {error.strerror}; choose another folder") from error


def release(folder: Path) -> None:
    """Remove the folder if it is still empty."""
    for empty in (folder / STEPS, folder):
        if any(empty.iterdir()):
            return
        empty.rmdir()


def clear(folder: Path, kept: Sequence[Path]) -> None:
    """Remove what an earlier build left, except for `kept`: the copies or pins of the repositories."""
    shutil.rmtree(folder / "recipes", ignore_errors=True)
    for old in (folder / "suite.yaml", folder / "references.jsonl", *(folder / STEPS).iterdir()):
        old.unlink(missing_ok=True)
    for old in (*(folder / "catalogue").glob("*"), *(folder / "repositories").glob("*")):
        if old.resolve() not in {path.resolve() for path in kept}:
            shutil.rmtree(old) if old.is_dir() else old.unlink()


def _refuse_to_lose(folder: Path) -> None:
    ours = (folder / STEPS).is_dir() and all(file.suffix in _OURS for file in (folder / STEPS).iterdir())
    if not ours and any(file.name != PRIORITIES for file in folder.iterdir()):
        raise UsageError(f"{folder}: holds something else; choose a new folder")
    for file in sorted((folder / "recipes").glob("*/*.yaml")):
        if re.search(r"(?m)^(?:reviewed|rejected):", file.read_text(encoding="utf-8", errors="replace")):
            raise UsageError(f"{file}: a person has reviewed this recipe; choose a new folder for another build")
