"""The comparison with what the reference left behind, as the results show it."""

from __future__ import annotations

from dataclasses import dataclass

from mlbench.records import ItemKind
from mlbench.score_records import ScoredOutcome


@dataclass(frozen=True)
class OutcomeItem:
    """One item that the reference left behind, and the answer's item in its place.

    Attributes:
        kind: the kind of item.
        what: the file's path from the repository's root, or the figure.
        expected, found: a short description of each; `found` is empty if there is nothing.
        difference: how the two differ, in words; empty if they do not.
    """

    kind: ItemKind
    what: str
    expected: str
    found: str
    difference: str = ""

    @property
    def same(self) -> bool:
        """Whether the answer left the same item."""
        return not self.difference


@dataclass(frozen=True)
class OutcomeRecord:
    """The comparison of one answer's outcome with the reference's.

    Attributes:
        items: the compared items, those that differ first.
        fault: why the reference left nothing to compare with; empty if it did.
        proof: why a replay on the answer's own input gives another result; empty if it gives the same, None if the
            row needs no replay.
    """

    items: tuple[OutcomeItem, ...] = ()
    fault: str = ""
    proof: str | None = None


def outcome_of(scored: ScoredOutcome) -> OutcomeRecord:
    """Read the comparison from a score record."""
    items = (OutcomeItem(item.kind, item.what, item.expected, item.found, item.difference) for item in scored.items)
    return OutcomeRecord(tuple(items), scored.fault, scored.proof)
