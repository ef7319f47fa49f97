"""What the reference left behind, each thing beside what an answer left, as a log holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class ItemKind(StrEnum):
    """What a line of the comparison is about."""

    FILE = "file"
    FIGURE = "figure"
    REPOSITORY = "repository"  # a file of the repository, which an answer has to leave as it is


@dataclass(frozen=True)
class OutcomeItem:
    """One thing that the reference leaves behind, and what an answer left in its place.

    Attributes:
        what: the file's path from the repository's root, or the figure.
        expected, found: a short description of each; `found` is empty if nothing is there.
        difference: how the two differ, in words; empty if they do not.
    """

    kind: ItemKind
    what: str
    expected: str
    found: str
    difference: str = ""

    @property
    def same(self) -> bool:
        return not self.difference


@dataclass(frozen=True)
class OutcomeRecord:
    """A comparison of what was left behind.

    Attributes:
        fault: why the reference left nothing to compare with; empty if it did.
        proof: why a replay of the reference on the answer's own input does not come to the answer's result; empty if
            it does, None if the row needs no replay.
    """

    items: tuple[OutcomeItem, ...] = ()
    fault: str = ""
    proof: str | None = None


def outcome_of(about: Mapping[str, Any] | None) -> OutcomeRecord | None:
    """Read the comparison from a score's metadata; None if nothing was compared.

    Raises:
        KeyError, TypeError, ValueError: it is not as the judge writes it.
    """
    if about is None:
        return None
    items = tuple(
        OutcomeItem(
            ItemKind(item["kind"]),
            str(item["what"]),
            str(item["expected"]),
            str(item["found"]),
            str(item["difference"]),
        )
        for item in about["items"]
    )
    proof = about["proof"]
    return OutcomeRecord(items, str(about["fault"]), None if proof is None else str(proof))
