"""Measure the starter and the reference, to which scores are compared."""

from __future__ import annotations

import hashlib
import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from mlbench.evals.mlagentbench.data import Prepared
from mlbench.evals.mlagentbench.grading import Archive, Grade, grader, grades
from mlbench.evals.mlagentbench.problem import ResearchProblem
from mlbench.evals.mlagentbench.reference_runs import tried, worked
from mlbench.records import RunError
from mlbench.repositories.cache import cache_folder

SEEDS = 3


@dataclass(frozen=True)
class StarterBaseline:
    """Scores of the starter by seed, and of the reference with one seed.

    Attributes:
        turns: if speed is measured, the starter's seconds of each turn.
    """

    starter: tuple[float, ...]
    reference: float | None = None
    turns: tuple[float, ...] = ()

    @property
    def mean(self) -> float:
        return statistics.fmean(self.starter)

    @property
    def spread(self) -> float:
        """Standard deviation over seeds; 0 for one seed."""
        return statistics.stdev(self.starter) if len(self.starter) > 1 else 0.0

    def typical(self, seconds: Sequence[float]) -> float:
        """Return the relative improvement in the median turn, of seconds by turn."""
        return 1 - statistics.median(now / before for now, before in zip(seconds, self.turns, strict=True))

    def normalised(self, score: float) -> float | None:
        """Return a score on the scale from the starter (0) to the reference (1)."""
        if self.reference is None or self.reference == self.mean:
            return None
        return (score - self.mean) / (self.reference - self.mean)


async def held_against(
    problem: ResearchProblem, data: Prepared, archives: Sequence[Archive]
) -> tuple[list[Grade], StarterBaseline]:
    """Grade some workspaces, and return their grades and the baseline.

    Starter and reference are measured once per machine. If speed is measured, they take turns with the workspaces,
    because a machine's speed varies over time.

    Args:
        problem: the research problem.
        data: its data.
        archives: the workspaces.

    Raises:
        RunError: the starter leaves no valid submission: the problem is broken, or this machine is too slow.
        SandboxUnavailableError: the sandbox failed.
    """
    if problem.measured and problem.measured.speed:
        own = [(await worked(problem, data, files))[1] for files in (None, problem.reference)]
        starter, reference, *found = await grades(problem, data, [*own, *archives])
        return found, replace(_baseline(problem, [starter], reference), turns=starter.seconds)
    known = await _kept(problem, data)
    return await grades(problem, data, archives), known


async def _kept(problem: ResearchProblem, data: Prepared) -> StarterBaseline:
    by = hashlib.sha256(f"{data.workspace.parent.name} {grader()}".encode()).hexdigest()[:16]
    kept = cache_folder("experiments") / f"baseline-{problem.name}-{by}.json"
    if kept.is_file():
        scores = json.loads(kept.read_text())
        return StarterBaseline(tuple(scores["starter"]), scores["reference"])
    starter = [(await tried(problem, data, None, seed)).grade for seed in range(SEEDS)]
    found = _baseline(problem, starter, (await tried(problem, data, problem.reference)).grade)
    kept.write_text(json.dumps(asdict(found)))
    return found


def _baseline(problem: ResearchProblem, starter: Sequence[Grade], reference: Grade) -> StarterBaseline:
    scores = [each.score for each in starter if each.score is not None]
    if len(scores) < len(starter):
        raise RunError(
            f"the starter of {problem.name} has no valid submission here; mlbench experiment --check {problem.name}"
        )
    return StarterBaseline(tuple(scores), reference.score)
