"""What a score is held against: the starter, run over seeds on this machine; kept, but where speed is measured."""

from __future__ import annotations

import hashlib
import json
import statistics
from dataclasses import asdict, dataclass

from mlbench.experiments.data import Prepared
from mlbench.experiments.grading import grader
from mlbench.experiments.problem import Problem
from mlbench.experiments.solutions import tried
from mlbench.repositories.cache import cache_folder
from mlbench.types import RunError

SEEDS = 3


@dataclass(frozen=True)
class Baseline:
    """The starter's scores by seed; the reference's, with one."""

    starter: tuple[float, ...]
    reference: float | None = None

    @property
    def mean(self) -> float:
        return statistics.fmean(self.starter)

    @property
    def spread(self) -> float:
        """Standard deviation over seeds; 0 for one."""
        return statistics.stdev(self.starter) if len(self.starter) > 1 else 0.0

    def normalised(self, score: float) -> float | None:
        """How far from the starter (0) to the reference (1)."""
        if self.reference is None or self.reference == self.mean:
            return None
        return (score - self.mean) / (self.reference - self.mean)


async def baseline(problem: Problem, data: Prepared) -> Baseline:
    """Measured once a machine; where a problem is about speed, each time: a machine is not always equally fast.

    Raises:
        RunError: the starter leaves no valid submission: the problem is broken, or this machine is too slow for it.
        SandboxUnavailableError: the sandbox failed.
    """
    by = hashlib.sha256(f"{data.workspace.parent.name} {grader()}".encode()).hexdigest()[:16]
    kept = cache_folder("experiments") / f"baseline-{problem.name}-{by}.json"
    speed = problem.measured is not None and problem.measured.speed
    if not speed and kept.is_file():
        said = json.loads(kept.read_text())
        return Baseline(tuple(said["starter"]), said["reference"])
    starter = [(await tried(problem, data, None, seed)).grade.score for seed in range(1 if speed else SEEDS)]
    reference = (await tried(problem, data, problem.reference)).grade.score
    scores = [score for score in starter if score is not None]
    if len(scores) < len(starter):
        raise RunError(
            f"the starter of {problem.name} leaves no valid submission here: mlbench experiment --check {problem.name}"
        )
    found = Baseline(tuple(scores), reference)
    if not speed:
        kept.write_text(json.dumps(asdict(found)))
    return found
