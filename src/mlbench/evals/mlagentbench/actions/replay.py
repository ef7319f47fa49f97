"""What earlier attempts at a sample showed: a run that was killed does its steps again, and shows the same once more.

Replies of models are kept, and a resumed run gets them for nothing as long as it asks the same. But scripts print
times: one other character in an observation, and every later reply would have to be paid for again. So a step that was
done before shows what it showed then. It is done all the same: by that the workspace becomes what it was.
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
    """The attempts that began as this one did, step for step; the latest first."""

    attempts: Sequence[Sequence[SnapshotStep]] = ()

    def again(self, step: SnapshotStep, whole: int) -> SnapshotStep:
        """A step with what it showed and the seconds that it took when it was done before; else as it is.

        The same is what asks the same and ends in the same way, after steps that were the same.

        Args:
            whole: characters up to which an observation was kept as it was.
        """
        at = step.number - 1
        same = [steps for steps in self.attempts if len(steps) > at and _same(steps[at], step)]
        if same and len(same[0][at].observation) <= whole:
            step = replace(step, observation=same[0][at].observation, seconds=same[0][at].seconds)
        self.attempts = [steps for steps in same if steps[at].observation == step.observation]
        return step


def asked(action: str, inputs: Mapping[str, Any], data: str) -> str:
    """SHA-256 of an action with its whole inputs, of which a step keeps but head and tail, on some starter and data."""
    said = [data, action, sorted((name, str(value)) for name, value in inputs.items())]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def _same(before: SnapshotStep, now: SnapshotStep) -> bool:
    return bool(now.asked) and (before.asked, before.error) == (now.asked, now.error)
