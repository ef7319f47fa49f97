"""Check that a research problem is sound (`mlbench experiment --check`)."""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from mlbench.evals.mlagentbench.baselines import end_of_scale
from mlbench.evals.mlagentbench.data import Prepared, prepared
from mlbench.evals.mlagentbench.grading import Grade, grade
from mlbench.evals.mlagentbench.problem import DATA_SEED, SUCCESS, ResearchProblem, Tier
from mlbench.evals.mlagentbench.problem_faults import blamed_line
from mlbench.evals.mlagentbench.problem_probes import ProblemFinding, data_findings, grader_findings
from mlbench.evals.mlagentbench.reference_runs import ReferenceRun, tried, worked
from mlbench.evals.mlagentbench.score_scale import scale_of
from mlbench.records import ExitKind, RunError
from mlbench.sandbox.submission import packed_folder

LONGEST = 60.0
"""Seconds that starter and reference may take on small data and two processors."""


async def checked(problem: ResearchProblem, seeds: int = 3) -> AsyncIterator[ProblemFinding]:
    """Check everything that a problem must have, over several seeds where seeds matter.

    A check that fails does not end the others; only data that cannot be made do.
    """
    try:
        data = await prepared(problem)
    except RunError as error:
        yield ProblemFinding("the data", False, str(error))
        return
    for part in (_of_data_and_grader(problem, data), _of_solutions(problem, data, seeds)):
        try:
            async for finding in part:
                yield finding
        except RunError as error:  # the grader fails on a submission that its own problem brings
            yield ProblemFinding("the grader", False, str(error))


async def _of_data_and_grader(problem: ResearchProblem, data: Prepared) -> AsyncIterator[ProblemFinding]:
    yield _unreachable(data)
    async for finding in data_findings(problem, data):
        yield finding
    solved = b""
    if problem.measured and problem.measured.speed:
        _, solved = await worked(problem, data, problem.reference)
    async for finding in grader_findings(problem, data, solved):
        yield finding


async def _of_solutions(problem: ResearchProblem, data: Prepared, seeds: int) -> AsyncIterator[ProblemFinding]:
    """Check starter, reference and wrong solution against each other."""
    most = LONGEST if problem.data == "lite" else problem.bounds.script_seconds
    starter = [await tried(problem, data, None, seed) for seed in range(seeds)]
    yield _runs("the starter", f"visible/{problem.script}", starter, most)
    scores = [each.grade.score for each in starter if each.grade.score is not None]
    if scores:
        yield _known(problem, scores)
    reference = [await tried(problem, data, problem.reference, seed) for seed in range(seeds)]
    yield _runs("the reference", f"hidden/{problem.reference.name}/{problem.script}", reference, most)
    wrong = await tried(problem, data, problem.hidden / "wrong")
    if not scores:
        yield ProblemFinding("reference and wrong one against the starter", False, "the starter has no score")
        return
    mean = statistics.fmean(scores)
    better = [problem.metric.improvement(each.grade.score, mean) for each in reference if each.grade.score is not None]
    enough = sum(improvement > SUCCESS for improvement in better) >= 0.9 * len(reference)
    gains = ", ".join(f"{100 * each:+.1f} %" for each in better)
    yield ProblemFinding("the reference beats the starter by 10 %", enough, gains, "hidden/reference")
    async for finding in scale_findings(problem, data, mean, reference):
        yield finding
    for name, found in (("wrong one", wrong.grade), ("permuted submission", await _permuted(problem, data))):
        if found is not None:
            fails = found.score is None or problem.metric.improvement(found.score, mean) <= SUCCESS
            yield ProblemFinding(f"the {name} does not succeed", fails, found.invalid or f"{found.score:g}")
    again = await grade(problem, data, starter[0].archive)
    if not (problem.measured and problem.measured.speed):
        yield ProblemFinding(
            "the grader says the same again", again.score == starter[0].grade.score, f"{again.score!r}"
        )


async def scale_findings(
    problem: ResearchProblem, data: Prepared, starter: float, reference: Sequence[ReferenceRun]
) -> AsyncIterator[ProblemFinding]:
    """Check the order: trivial, starter, mark of success, reference, floor.

    Args:
        problem: the research problem.
        data: its data.
        starter: its mean score.
        reference: runs of the reference.
    """
    trivial, floor = [await end_of_scale(problem, data, which) for which in ("trivial", "floor")]
    if trivial is None and floor is None:
        return
    scale, where = scale_of(problem.metric, trivial, floor), "hidden/prepare.py"
    if scale is None:
        yield ProblemFinding("the scale", False, f"the floor ({floor}) is not better than trivial ({trivial})", where)
        return
    at = [scale.position(run.grade.score) for run in reference if run.grade.score is not None]
    beyond = any(scale.is_suspect(run.grade.score) for run in reference if run.grade.score is not None)
    detail = f"trivial {trivial:.4g}, floor {floor:.4g}; starter at {scale.position(starter):.2f}, reference at "
    detail += ", ".join(f"{each:.2f}" for each in at)
    yield ProblemFinding("the reference stays below the floor", not beyond, detail, where)
    if not (problem.measured and problem.measured.speed):  # there the starter is the lower end
        above = scale.position(starter) > 0
        yield ProblemFinding("the starter beats the trivial predictor", above, detail, f"visible/{problem.script}")
    if problem.marks and at:
        good = statistics.fmean(at) > problem.marks.success
        yield ProblemFinding("the reference is beyond marks.success", good, f"{problem.marks.success}", "task.yaml")


async def _permuted(problem: ResearchProblem, data: Prepared) -> Grade | None:
    folder = data.hidden / "permuted"
    return await grade(problem, data, packed_folder(folder)) if folder.is_dir() else None


def _known(problem: ResearchProblem, scores: Sequence[float]) -> ProblemFinding:
    """Compare the starter's score with the known one, which small data must state."""
    measured = ", ".join(f"{score:.4g}" for score in scores)
    if problem.starter is None:
        of_known = problem.data == "lite" and problem.data_seed == DATA_SEED and problem.tier is Tier.STANDARD
        return ProblemFinding(
            "the starter's score",
            not of_known,
            f"{measured}; none is stated in task.yaml",
            "task.yaml",
        )
    known = problem.starter
    far = [score for score in scores if abs(score - known.mean) > known.spread]
    measured += f"; known {known.mean:g} within {known.spread:g}"
    return ProblemFinding("the starter's score is the known one", not far, measured, "task.yaml")


def _unreachable(data: Prepared) -> ProblemFinding:
    """Check that no file of the grader is in the workspace, under any name."""
    seen = {_digest(file): file for file in data.workspace.rglob("*") if file.is_file()}
    both = [file.name for file in data.hidden.rglob("*") if file.is_file() and _digest(file) in seen]
    return ProblemFinding("nothing hidden is in the workspace", not both, ", ".join(both) or f"{len(seen)} files")


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _runs(who: str, file: str, runs: Sequence[ReferenceRun], most: float) -> ProblemFinding:
    for run in runs:
        if run.execution.ending is not ExitKind.EXITED or run.execution.exit_code:
            last = (run.execution.stderr.strip().splitlines() or [str(run.execution.ending)])[-1]
            where = file + blamed_line(run.execution.stderr, file.rpartition("/")[2])
            return ProblemFinding(f"{who} runs", False, last[:300], where)
        if run.grade.score is None:
            return ProblemFinding(f"{who} runs", False, run.grade.invalid, file)
    longest = max(run.execution.seconds for run in runs)
    return ProblemFinding(f"{who} runs", longest <= most, f"{longest:.1f} s at most", file)
