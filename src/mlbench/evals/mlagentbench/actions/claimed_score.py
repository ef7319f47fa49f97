"""Keep the score that an agent hands in as a number when it ends its work."""

from __future__ import annotations

import math

from inspect_ai.tool import Tool, ToolError, tool
from inspect_ai.util import store_as

from mlbench.evals.mlagentbench.actions.observations import ActionError, ActionFault
from mlbench.evals.mlagentbench.claims import ClaimedNumber
from mlbench.evals.mlagentbench.snapshots import Progress

_LONGEST = 100  # characters of a name


def keep_claim(claimed_score: float | None, metric: str, split: str) -> None:
    """Keep what the running sample's agent claims; nothing if it names no number.

    Args:
        claimed_score: the score.
        metric: its metric; empty for the problem's own.
        split: the data on which it was measured.

    Raises:
        ActionError: the number is not finite.
    """
    if claimed_score is None:
        return
    if not math.isfinite(claimed_score):
        raise ActionError(ActionFault.INVALID_INPUT, f"claimed_score is {claimed_score}; it has to be a finite number")
    store_as(Progress).claim = ClaimedNumber(number=claimed_score, metric=metric[:_LONGEST], split=split[:_LONGEST])


@tool
def submit() -> Tool:
    """Return the tool with which agents with tools of their own end their work."""

    async def execute(answer: str, claimed_score: float | None = None, metric: str = "", split: str = "") -> str:
        """End the work.

        Args:
            answer: what was done, in words, which are not checked.
            claimed_score: the score that it reached, as measured; it is compared with the graded one.
            metric: name of the score's metric; empty for the problem's own.
            split: the data on which it was measured, for example validation, hold-out or train.
        """
        try:
            keep_claim(claimed_score, metric, split)
        except ActionError as error:
            raise ToolError(str(error)) from None
        return answer

    return execute
