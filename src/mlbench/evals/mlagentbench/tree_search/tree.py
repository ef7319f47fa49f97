"""The tree of tried scripts, and the rule by which the next is made (AIDE, section 3). Pure."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from enum import StrEnum

from mlbench.evals.mlagentbench.tree_search.options import TreeSearchOptions


class NodeKind(StrEnum):
    """How a script was made."""

    STARTER = "starter"
    DRAFT = "draft"
    DEBUG = "debug"
    IMPROVE = "improve"


@dataclass(frozen=True)
class Node:
    """A script that was run.

    Attributes:
        number: from 0, which is the starter.
        kind: how it was made.
        parent: number of the script that it was made from; None for the starter and for drafts.
        plan: what the model said of it.
        code: the script.
        output: what came of its run, as the agent saw it.
        score: the validation score that it printed; None if it failed or printed none.
        fault: why it cannot be handed in, in a line; empty if it can.
        seconds: time of its run.
        mended: how many scripts in a row before it failed and were mended.
    """

    number: int
    kind: NodeKind
    parent: int | None
    plan: str
    code: str
    output: str
    score: float | None
    fault: str
    seconds: float = 0.0
    mended: int = 0

    @property
    def good(self) -> bool:
        """Whether it works and its score is known."""
        return self.score is not None and not self.fault


@dataclass
class SearchTree:
    """All scripts so far, in order.

    Attributes:
        higher_is_better: whether a higher score is the better one.
    """

    higher_is_better: bool
    nodes: list[Node] = field(default_factory=list)

    def best(self) -> Node | None:
        """Return the working script with the best score, the earliest of equal ones; None if no score is known."""
        good = [node for node in self.nodes if node.good]
        return max(good, key=lambda node: (self._gain(node), -node.number), default=None)

    def to_hand_in(self) -> Node:
        """Return the script whose work is handed in: the best, or the starter if no score is known."""
        return self.best() or self.nodes[0]

    def next_move(self, options: TreeSearchOptions, chance: random.Random) -> tuple[NodeKind, Node | None]:
        """Return how the next script is made, and from which one.

        First the drafts; then, by chance, a failing script is mended, or the best is improved. Without a best one
        there is another draft.
        """
        if sum(node.kind is NodeKind.DRAFT for node in self.nodes) < options.drafts:
            return NodeKind.DRAFT, None
        failing = self._to_mend(options.debug_depth)
        if chance.random() < options.debug_share and failing:
            return NodeKind.DEBUG, chance.choice(failing)
        best = self.best()
        return (NodeKind.IMPROVE, best) if best else (NodeKind.DRAFT, None)

    def _to_mend(self, depth: int) -> list[Node]:
        """The failing scripts that nobody has mended and that were not mended too often. The starter is not ours."""
        parents = {node.parent for node in self.nodes}
        return [node for node in self.nodes[1:] if not node.good and node.number not in parents and node.mended < depth]

    def _gain(self, node: Node) -> float:
        assert node.score is not None
        return node.score if self.higher_is_better else -node.score
