"""Check that a research problem is sound (`mlbench experiment --check`)."""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlbench.evals.mlagentbench.data import Prepared, prepared
from mlbench.evals.mlagentbench.grading import grade
from mlbench.evals.mlagentbench.problem import DATA_SEED, ResearchProblem
from mlbench.evals.mlagentbench.reference_runs import ReferenceRun, tried
from mlbench.records import ExitKind
from mlbench.sandbox.submission import packed_folder

SUCCESS = 0.1
"""Relative improvement over the starter that counts as success, as published."""

LONGEST = 60.0
"""Seconds that starter and reference may take on small data and two processors."""


@dataclass(frozen=True)
class ProblemFinding:
    """One check: what it is about, whether it passed, and the numbers as text."""

    what: str
    good: bool
    detail: str


async def checked(problem: ResearchProblem, seeds: int = 3) -> AsyncIterator[ProblemFinding]:
    """Check everything that a problem must have, over several seeds where seeds matter."""
    data = await prepared(problem)
    yield _unreachable(data)
    starter = [await tried(problem, data, None, seed) for seed in range(seeds)]
    most = LONGEST if problem.data == "lite" else problem.bounds.script_seconds
    yield _runs("the starter", starter, most)
    scores = [each.grade.score for each in starter if each.grade.score is not None]
    if len(scores) < len(starter):
        return
    yield _known(problem, scores)
    mean = statistics.fmean(scores)
    reference = [await tried(problem, data, problem.reference, seed) for seed in range(seeds)]
    yield _runs("the reference", reference, most)
    better = [problem.metric.improvement(each.grade.score, mean) for each in reference if each.grade.score is not None]
    enough = sum(improvement > SUCCESS for improvement in better) >= 0.9 * len(reference)
    gains = ", ".join(f"{100 * each:+.1f} %" for each in better)
    yield ProblemFinding("the reference beats the starter by 10 %", enough, gains)
    wrong = await tried(problem, data, problem.hidden / "wrong")
    score = wrong.grade.score
    fails = score is None or problem.metric.improvement(score, mean) <= SUCCESS
    yield ProblemFinding("the wrong one does not succeed", fails, wrong.grade.invalid or f"{score:g}")
    again = await grade(problem, data, starter[0].archive)
    if not (problem.measured and problem.measured.speed):
        yield ProblemFinding(
            "the grader says the same again", again.score == starter[0].grade.score, f"{again.score!r}"
        )
    async for finding in _ends_of_the_scale(problem, data):
        yield finding


def _known(problem: ResearchProblem, scores: Sequence[float]) -> ProblemFinding:
    """Compare the starter's score with the known one, which small data must state."""
    measured = ", ".join(f"{score:.4g}" for score in scores)
    if problem.starter is None:
        return ProblemFinding(
            "the starter's score",
            problem.data == "full" or problem.data_seed != DATA_SEED,
            f"{measured}; none is stated in task.yaml",
        )
    known = problem.starter
    far = [score for score in scores if abs(score - known.mean) > known.spread]
    measured += f"; known {known.mean:g} within {known.spread:g}"
    return ProblemFinding("the starter's score is the known one", not far, measured)


def _unreachable(data: Prepared) -> ProblemFinding:
    """Check that no file of the grader is in the workspace, under any name."""
    seen = {_digest(file): file for file in data.workspace.rglob("*") if file.is_file()}
    both = [file.name for file in data.hidden.rglob("*") if file.is_file() and _digest(file) in seen]
    return ProblemFinding("nothing hidden is in the workspace", not both, ", ".join(both) or f"{len(seen)} files")


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _runs(who: str, runs: Sequence[ReferenceRun], most: float) -> ProblemFinding:
    for run in runs:
        if run.execution.ending is not ExitKind.EXITED or run.execution.exit_code:
            last = (run.execution.stderr.strip().splitlines() or [str(run.execution.ending)])[-1]
            return ProblemFinding(f"{who} runs", False, last[:300])
        if run.grade.score is None:
            return ProblemFinding(f"{who} runs", False, run.grade.invalid)
    longest = max(run.execution.seconds for run in runs)
    return ProblemFinding(f"{who} runs", longest <= most, f"{longest:.1f} s at most")


async def _ends_of_the_scale(problem: ResearchProblem, data: Prepared) -> AsyncIterator[ProblemFinding]:
    """Check that perfect predictions score perfectly, and that permuted ones do not."""
    for name, perfect in (("perfect", True), ("permuted", False)):
        folder = data.hidden / name
        if problem.metric.perfect is None:
            continue
        if not folder.is_dir():
            yield ProblemFinding(f"a {name} predictor", False, f"prepare.py writes no hidden/{name}/")
            continue
        found = await grade(problem, data, packed_folder(folder))
        is_perfect = found.score is not None and abs(found.score - problem.metric.perfect) < 1e-9
        yield ProblemFinding(f"a {name} predictor", is_perfect is perfect, found.invalid or f"{found.score:g}")
