"""The options of the tree search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlbench.agents.parse_options import check_numbers, from_names
from mlbench.records import UsageError


@dataclass(frozen=True)
class TreeSearchOptions:
    """Options of the tree search; the defaults of the first three are those of AIDE.

    Attributes:
        drafts: scripts that are written anew before any is improved.
        debug_share: how often a failing script is mended, if there is one, instead of improving the best: 0 to 1.
        debug_depth: how often in a row the same script is mended at most.
        seed: of the choice between mending and improving.
        steps: the most replies of the model; None for the problem's limit.
        seconds: the most working time; None for the problem's limit.
        longest: characters of a script's output that a prompt shows.
        faults: the agent hands in after this many replies in a row without code.
    """

    drafts: int = 5
    debug_share: float = 0.5
    debug_depth: int = 3
    seed: int = 0
    steps: int | None = None
    seconds: float | None = None
    longest: int = 5000
    faults: int = 3

    def __post_init__(self) -> None:
        least = {"drafts": 1, "debug_share": 0, "debug_depth": 0, "seed": 0, "steps": 1, "seconds": 1}
        check_numbers(self, "tree_search", {**least, "longest": 500, "faults": 1})
        if self.debug_share > 1:
            raise UsageError(f"tree_search: debug_share={self.debug_share}: at most 1 is possible")


def tree_search_options(given: TreeSearchOptions | Mapping[str, Any] | None) -> TreeSearchOptions:
    """Return the options, from an object or from their names.

    Raises:
        UsageError: a name is unknown, or a value is not allowed.
    """
    return from_names(TreeSearchOptions, "tree_search", given)
