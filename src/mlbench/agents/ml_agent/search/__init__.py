"""Where repositories are looked for: one interface, a catalogue on disk and GitHub."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class SearchResult:
    """A repository that a search found.

    Attributes:
        readme: the beginning of its main README; may be empty.
        folder: its checkout; None where it has not been fetched.
        url: where it can be fetched from; empty for one that is on disk.
    """

    name: str
    description: str = ""
    topics: tuple[str, ...] = ()
    readme: str = ""
    folder: Path | None = None
    url: str = ""


class Search(Protocol):
    """Finds repositories, and brings them here."""

    def find(self, keywords: Sequence[str], count: int) -> list[SearchResult]:
        """The best ones, best first; none twice.

        Raises:
            UsageError, RunError: it cannot search; one line that says why and what to do.
        """
        ...

    def checkout(self, found: SearchResult) -> Path:
        """The folder of a repository that was found, fetched if need be. Read only.

        Raises:
            UsageError, RunError: it cannot be had.
        """
        ...
