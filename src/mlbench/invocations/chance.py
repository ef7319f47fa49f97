"""Does it hang on chance what a shell text starts? It is followed with several random numbers and clocks.

Of two branches that start different programs not both can be right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mlbench.types import Check, Status

CHANCES = (1, 2, 343)
"""With these `$RANDOM` begins with 16807, 846 and 30358, on a Monday afternoon, a Tuesday morning, a Sunday night."""

_CHANCE = re.compile(r"\bS?RANDOM\b|\bEPOCH(?:SECONDS|REALTIME)\b|\b(?:date|shuf|uuidgen)\b|random\b|\bsort\s+-\w*R")
_GRAVITY = (Status.REJECTED, Status.BROKEN, Status.UNDECIDED)

Started = Sequence[tuple[str, int]]
"""The programs that a text starts, with their lines."""


def hangs_on_chance(code: str) -> bool:
    """Whether a text may use random numbers or the clock. A text that only looks so costs time, no more."""
    return _CHANCE.search(code) is not None


def steady(found: Sequence[tuple[Check, Started]]) -> Check:
    """One check from those under several chances; rejected as `unsteady` if other programs are started.

    Programs whose words differ all count: each must be accepted.
    """
    (first, started), *others = found
    for check, also in others:
        if also != started and not (check.status is first.status is Status.REJECTED and check.reason == first.reason):
            message = "which programs it starts hangs on chance or on the clock"
            return Check(Status.REJECTED, "unsteady", message, first.invocations)
    checks = [check for check, _ in found]
    for status in _GRAVITY:
        for check in checks:
            if check.status is status:
                return check
    words = {(each.program, each.argv, each.cwd): each for check in reversed(checks) for each in check.invocations}
    return Check(Status.ACCEPTED, invocations=(*first.invocations, *(e for e in words.values() if e not in first.invocations)))
