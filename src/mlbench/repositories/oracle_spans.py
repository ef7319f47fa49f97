"""The parts of a repository's files that are the oracle of a task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class OracleSpan:
    """Consecutive lines of one of the repository's files, from 1."""

    path: str
    lines: tuple[int, int]
    text: str


@dataclass(frozen=True)
class Oracle:
    """What a person needs to read for a task, as the setting `oracle` shows it.

    Attributes:
        spans: of documents, then of source code where the documents are silent.
        published: the one section of the setting `oracle-published`.
        undocumented: words of the task's references that no span shows.
    """

    spans: tuple[OracleSpan, ...]
    published: OracleSpan
    undocumented: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The texts of all spans: the column `oracle`."""
        return "\n".join(span.text for span in self.spans)


class AbsentOracle(Oracle):
    """The oracle of a repository that is not fetched yet; reading its spans raises an error.

    Args:
        undocumented: words of the task's references that no span shows.
        refuse: raises the error.
    """

    def __init__(self, undocumented: tuple[str, ...], refuse: Callable[[], None]) -> None:
        object.__setattr__(self, "undocumented", undocumented)
        object.__setattr__(self, "_refuse", refuse)

    def __getattribute__(self, name: str) -> Any:
        """Return an attribute; of the spans, raise the error."""
        if name in ("spans", "published"):
            object.__getattribute__(self, "_refuse")()
        return object.__getattribute__(self, name)
