"""Reads and writes recipe files: whole, versioned, and never over somebody else's change."""

from __future__ import annotations

import hashlib
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mlbench.atomic_write import write_file
from mlbench.records import RunError, UsageError
from mlbench.suites.recipes import RecipeError

What = Literal["accepted", "rejected", "edited", "row rejected", "row taken back"]


class ConflictError(RunError):
    """The file is no longer as it was shown."""


@dataclass(frozen=True)
class Stored:
    """The text of a recipe file, and a version that changes with every byte."""

    text: str
    version: str


@dataclass(frozen=True)
class ReviewDecision:
    """A person's decision on a task or row, with the file's bytes before and after."""

    repository: str
    task: str
    what: What
    why: str
    before: bytes
    after: bytes


class RecipeStore:
    """The recipes of a suite's folder, and the decisions in order; the last one can be undone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.decisions: list[ReviewDecision] = []

    def tasks(self, repository: str) -> list[str]:
        """The recipes' names, in order; links that lead out of the suite are ignored."""
        root = self._folder.resolve()
        files = sorted((self._folder / "recipes" / repository).glob("*.yaml"))
        return [file.stem for file in files if file.is_file() and file.resolve().is_relative_to(root)]

    def file(self, repository: str, task: str) -> Path:
        """The path of a recipe.

        Raises:
            UsageError: there is no such recipe.
        """
        if "/" in repository or task not in self.tasks(repository):
            raise UsageError(f"there is no recipe {repository}/{task}.yaml")
        return self._folder / "recipes" / repository / f"{task}.yaml"

    def read(self, repository: str, task: str) -> Stored:
        """A recipe's text.

        Raises:
            UsageError: there is no such recipe.
            RecipeError: it cannot be read.
        """
        data = self._bytes(self.file(repository, task))
        try:
            return Stored(data.decode(), _version(data))
        except UnicodeDecodeError as error:
            raise RecipeError(f"recipe {repository}/{task}.yaml: not UTF-8: {error}") from error

    def write(self, repository: str, task: str, version: str, text: str, what: What, why: str = "") -> None:
        """Replace the text that was shown.

        Args:
            repository: the recipe's repository.
            task: the recipe's name.
            version: the version that was shown.
            text: the new text.
            what: the kind of decision.
            why: its reason.

        Raises:
            ConflictError: the file has another version now.
            RunError: it cannot be written.
        """
        file = self.file(repository, task)
        before, after = self._bytes(file), text.encode()
        if _version(before) != version:
            raise ConflictError(f"{file.name} was changed on disk since it was shown; nothing was stored")
        _replace(file, after)
        self.decisions.append(ReviewDecision(repository, task, what, why, before, after))

    def undo(self) -> ReviewDecision:
        """Undo the last decision: the file is as it was before.

        Raises:
            UsageError: there is no decision.
            ConflictError: the file was changed since by somebody else.
            RunError: it cannot be written.
        """
        if not self.decisions:
            raise UsageError("there is nothing to undo")
        last = self.decisions[-1]
        file = self.file(last.repository, last.task)
        if self._bytes(file) != last.after:
            raise ConflictError(f"{file.name} was changed on disk since; it is left as it is")
        _replace(file, last.before)
        return self.decisions.pop()

    def _bytes(self, file: Path) -> bytes:
        try:
            return file.read_bytes()
        except OSError as error:
            raise RecipeError(f"{file}: cannot be read ({error.strerror})") from error


def _version(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _replace(file: Path, data: bytes) -> None:
    """The whole file at once; its name does not end in .yaml until it is whole."""
    target = file.resolve()  # a link within the suite stays one
    try:
        write_file(target, data, mode=stat.S_IMODE(target.stat().st_mode), sync=True)
    except OSError as error:
        raise RunError(f"cannot write {file}: {error.strerror}") from error
