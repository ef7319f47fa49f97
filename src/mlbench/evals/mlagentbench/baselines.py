"""Measure what scores are compared to: the starter, the reference, and both ends of the scale."""

from __future__ import annotations

import hashlib
import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from mlbench.evals.mlagentbench.data import Prepared
from mlbench.evals.mlagentbench.grading import Archive, Grade, grade, grader, grades
from mlbench.evals.mlagentbench.problem import Measured, ProblemMetric, ResearchProblem
from mlbench.evals.mlagentbench.reference_runs import tried, worked
from mlbench.evals.mlagentbench.score_scale import ScoreScale, scale_of
from mlbench.evals.mlagentbench.timed_run import measure
from mlbench.records import RunError
from mlbench.repositories.cache import cache_folder
from mlbench.sandbox.submission import packed_folder

SEEDS = 3


@dataclass(frozen=True)
class StarterBaseline:
    """Scores of the starter by seed, and of the reference with one seed.

    Attributes:
        trivial, floor: both ends of the scale (`ScoreScale`); None if the problem does not say them.
        turns: if speed is measured, the starter's seconds of each turn.
    """

    starter: tuple[float, ...]
    reference: float | None = None
    turns: tuple[float, ...] = ()
    trivial: float | None = None
    floor: float | None = None

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

    def scale(self, metric: ProblemMetric) -> ScoreScale | None:
        """Return the scale from the trivial predictor to the floor; None if an end is unknown."""
        return scale_of(metric, self.trivial, self.floor)


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
        against = replace(_baseline(problem, [starter], reference), turns=starter.seconds)
        share = await _least_seconds(problem, problem.measured, data) / min(starter.seconds)
        return found, replace(against, trivial=against.mean, floor=against.mean * share if share else None)
    known = await _kept(problem, data)
    return await grades(problem, data, archives), known


async def _least_seconds(problem: ResearchProblem, measured: Measured, data: Prepared) -> float:
    """Time the program of `hidden/floor/`, which reads its inputs and writes an output; 0 if there is none."""
    if not (problem.hidden / "floor").is_dir():
        return 0.0
    _, archive = await worked(problem, data, problem.hidden / "floor")
    runs = [await measure(problem, measured, data, archive) for _ in range(measured.repeats)]
    if invalid := next((run.invalid for run in runs if run.invalid), ""):
        raise RunError(f"{problem.hidden}/floor fails: {invalid}")
    return min(run.seconds for run in runs)


async def end_of_scale(problem: ResearchProblem, data: Prepared, which: str) -> float | None:
    """Score the submission at one end of the scale, which `prepare.py` wrote; None if it wrote none.

    Args:
        problem: the research problem.
        data: its data.
        which: `trivial` or `floor`.

    Raises:
        RunError: the submission is not valid.
    """
    folder: Path = data.hidden / which
    if not folder.is_dir():
        return None
    found = await grade(problem, data, packed_folder(folder))
    if found.score is None:
        raise RunError(f"{problem.folder}: the submission in hidden/{which} is not valid: {found.invalid}")
    return found.score


async def _kept(problem: ResearchProblem, data: Prepared) -> StarterBaseline:
    by = hashlib.sha256(f"{data.workspace.parent.name} {grader()}".encode()).hexdigest()[:16]
    kept = cache_folder("experiments") / f"baseline-{problem.name}-{by}.json"
    if kept.is_file():
        scores = json.loads(kept.read_text())
        ends = {name: scores.get(name) for name in ("reference", "trivial", "floor")}
        return StarterBaseline(tuple(scores["starter"]), **ends)
    if problem.assumed is None:
        starter = [(await tried(problem, data, None, seed)).grade for seed in range(SEEDS)]
    else:  # the published starter is a skeleton: somebody has to fill it in before it leaves a submission
        starter = [Grade(problem.assumed)]
    found = _baseline(problem, starter, (await tried(problem, data, problem.reference)).grade)
    found = replace(
        found, trivial=await end_of_scale(problem, data, "trivial"), floor=await end_of_scale(problem, data, "floor")
    )
    kept.write_text(json.dumps(asdict(found)))
    return found


def _baseline(problem: ResearchProblem, starter: Sequence[Grade], reference: Grade) -> StarterBaseline:
    scores = [each.score for each in starter if each.score is not None]
    if len(scores) < len(starter):
        raise RunError(
            f"the starter of {problem.name} has no valid submission here; mlbench experiment --check {problem.name}"
        )
    return StarterBaseline(tuple(scores), reference.score)
