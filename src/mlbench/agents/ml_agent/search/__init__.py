"""Search for repositories: one interface, with a catalogue on disk and GitHub behind it.

In: keywords. Out: `SearchResult`s, best first, and checkouts of those that the agent wants to read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class SearchResult:
    """A repository that a search found.

    Attributes:
        name: as the model sees it.
        description: one line; may be empty.
        topics: keywords of the repository.
        readme: the beginning of its main README; may be empty.
        folder: its checkout; None if it has not been fetched.
        url: the address to fetch it from; empty if it is on disk.
    """

    name: str
    description: str = ""
    topics: tuple[str, ...] = ()
    readme: str = ""
    folder: Path | None = None
    url: str = ""


class Search(Protocol):
    """Finds and fetches repositories."""

    def find(self, keywords: Sequence[str], count: int) -> list[SearchResult]:
        """Return the best repositories, best first, without duplicates.

        Raises:
            UsageError, RunError: the search is not possible; one line says why and what to do.
        """
        ...

    def checkout(self, found: SearchResult) -> Path:
        """Return the folder of a repository, after fetching it if necessary. It is read-only.

        Raises:
            UsageError, RunError: the repository cannot be fetched.
        """
        ...
