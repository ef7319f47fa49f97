"""Replay observations of earlier attempts, so that a resumed run pays for no reply twice.

Replies of models are cached: a resumed run gets them for nothing as long as it sends the same prompts. Scripts print
times, and one different character in an observation changes every later prompt. So a step that was done before shows
what it showed then. Its action is done again, because the workspace has to change as before.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mlbench.evals.mlagentbench.snapshots import SnapshotStep


@dataclass
class ReplayLog:
    """Earlier attempts whose steps were the same so far, the latest first."""

    attempts: Sequence[Sequence[SnapshotStep]] = ()

    def again(self, step: SnapshotStep, whole: int) -> SnapshotStep:
        """Return a step with the observation and seconds that it had in an earlier attempt.

        A step matches if it has the same inputs and ended in the same way, and all steps before it matched.
        Otherwise it is returned unchanged.

        Args:
            step: the step that was just done.
            whole: characters up to which an observation was recorded in full.
        """
        at = step.number - 1
        same = [steps for steps in self.attempts if len(steps) > at and _same(steps[at], step)]
        if same and len(same[0][at].observation) <= whole:
            step = replace(step, observation=same[0][at].observation, seconds=same[0][at].seconds)
        self.attempts = [steps for steps in same if steps[at].observation == step.observation]
        return step


def asked(action: str, inputs: Mapping[str, Any], data: str) -> str:
    """Return the SHA-256 of an action with its complete inputs and the data it started from.

    A step records only the head and the tail of its inputs.

    Args:
        action: name of the action.
        inputs: its inputs.
        data: identifies the starter and its data.
    """
    call = [data, action, sorted((name, str(value)) for name, value in inputs.items())]
    return hashlib.sha256(json.dumps(call).encode()).hexdigest()


def _same(before: SnapshotStep, now: SnapshotStep) -> bool:
    return bool(now.asked) and (before.asked, before.error) == (now.asked, now.error)
