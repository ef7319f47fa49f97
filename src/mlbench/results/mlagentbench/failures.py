"""How experiments fail, in five classes by rule, and how deep the agents' changes go (MLAgentBench, section 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from mlbench.evals.mlagentbench.actions.observations import ActionFault
from mlbench.evals.mlagentbench.snapshots import SnapshotStep, Steps
from mlbench.reasons import AgentOutcome
from mlbench.records import RunError
from mlbench.results.analyses.tables import Cell, Sheet
from mlbench.results.mlagentbench.models import Experiment, ExperimentResult
from mlbench.results.models import RunRecord
from mlbench.results.run_labels import labels
from mlbench.results.statistics import wilson

DEEP = 3
"""Changes beyond which the paper's digest expects plans to break down."""
_RUNS = ("Execute Script",)
_LIMITS = (AgentOutcome.STEP_LIMIT, AgentOutcome.TIME_LIMIT, AgentOutcome.COST_LIMIT)


class ExperimentFailure(StrEnum):
    """A class of failure; an attempt can have several."""

    HALLUCINATION = "hallucination"
    DEBUGGING = "debugging"
    TOKEN_LIMIT = "token limit"
    PLANNING = "bad planning"
    NO_IMPROVEMENT = "no improvement"
    OTHER = "other"


FAILURE_MEANINGS = {
    ExperimentFailure.HALLUCINATION: "It hands in a score that is much better than the measured one.",
    ExperimentFailure.DEBUGGING: "The last script that it ran failed, and nothing was mended afterwards.",
    ExperimentFailure.TOKEN_LIMIT: "It ran out of tokens.",
    ExperimentFailure.PLANNING: "It used up its steps, time or money, or changed files again and again without a gain.",
    ExperimentFailure.NO_IMPROVEMENT: "The score is at most 10 % better than the starter's, or as plain recipes are.",
    ExperimentFailure.OTHER: "None of these rules applies, for example to a score that is too good to be true.",
}
"""The rule of each class, in a sentence."""


@dataclass(frozen=True)
class ExperimentDiagnosis:
    """Why an attempt failed, and how deep its changes went.

    Attributes:
        failures: empty if it succeeded.
        depth: steps that changed a file; None if the steps are not kept.
    """

    experiment: Experiment
    failures: tuple[ExperimentFailure, ...]
    depth: int | None


def diagnosed(experiment: Experiment) -> ExperimentDiagnosis:
    """Classify a graded attempt by its log, and by its kept steps if they are there."""
    steps = _steps(experiment.folder)
    depth = None if steps is None else sum(bool(step.changed or step.removed) for step in steps)
    if experiment.result is ExperimentResult.IMPROVED:
        return ExperimentDiagnosis(experiment, (), depth)
    found = []
    if experiment.claimed_too_much:
        found.append(ExperimentFailure.HALLUCINATION)
    if _never_mended(experiment, steps):
        found.append(ExperimentFailure.DEBUGGING)
    if experiment.outcome == AgentOutcome.TOKEN_LIMIT:
        found.append(ExperimentFailure.TOKEN_LIMIT)
    if experiment.outcome in _LIMITS or _without_gain(experiment):
        found.append(ExperimentFailure.PLANNING)
    if experiment.result in (ExperimentResult.NOT_IMPROVED, ExperimentResult.EASY_WIN):
        found.append(ExperimentFailure.NO_IMPROVEMENT)
    return ExperimentDiagnosis(experiment, tuple(found) or (ExperimentFailure.OTHER,), depth)


def _steps(folder: str) -> list[SnapshotStep] | None:
    """The kept steps; None if there are none."""
    if not folder or not Path(folder).is_dir():
        return None
    try:
        return list(Steps(Path(folder)).read()) or None
    except (RunError, OSError):
        return None


def _never_mended(experiment: Experiment, steps: Sequence[SnapshotStep] | None) -> bool:
    """Whether the last run of a script failed; without kept steps, whether all of them did."""
    if steps is not None:
        runs = [step for step in steps if step.action in _RUNS]
        return bool(runs) and runs[-1].error == ActionFault.FAILED_SCRIPT
    ran = sum(experiment.actions.get(name, 0) for name in _RUNS)
    return bool(ran) and experiment.errors.get(ActionFault.FAILED_SCRIPT, 0) >= ran


def _without_gain(experiment: Experiment) -> bool:
    """Whether more than three graded changes never beat the starter."""
    if len(experiment.progress) <= DEEP or experiment.starter is None:
        return False
    best, start = experiment.best(), experiment.starter.mean
    return best is None or (best <= start if experiment.problem.metric.better == "higher" else best >= start)


def failure_counts(experiments: Iterable[Experiment]) -> dict[ExperimentFailure, int]:
    """Count the graded attempts of each class of failure, in the order of the classes; an attempt can be in several."""
    counts = Counter(kind for each in experiments if each.graded for kind in diagnosed(each).failures)
    return {kind: counts[kind] for kind in ExperimentFailure if counts[kind]}


def failure_sheets(runs: Sequence[RunRecord]) -> list[Sheet]:
    """The classes of failure per run, and success by the number of steps that changed a file."""
    found = []
    for run, name in zip(runs, labels(runs), strict=True):
        graded = [diagnosed(each) for each in run.experiments if each.graded]
        failed = [each for each in graded if each.failures]
        counts = Counter(failure for each in failed for failure in each.failures)
        rows = tuple((kind.value, counts[kind], FAILURE_MEANINGS[kind]) for kind in ExperimentFailure if counts[kind])
        title = f"{name}: {len(failed)} of {len(graded)} experiments failed"
        if rows:
            found.append(Sheet(title, ("failure", "attempts", "rule"), rows, "An attempt can fail in several ways."))
        if depths := _by_depth(graded):
            found.append(depths)
    return found


def _by_depth(graded: Sequence[ExperimentDiagnosis]) -> Sheet | None:
    rows: list[tuple[Cell, ...]] = []
    for title, low, high in (("none", 0, 0), (f"1 to {DEEP}", 1, DEEP), (f"more than {DEEP}", DEEP + 1, None)):
        group = [
            each
            for each in graded
            if each.depth is not None and low <= each.depth and (high is None or each.depth <= high)
        ]
        if group:
            hits = sum(not each.failures for each in group)
            bounds = tuple(100 * bound for bound in wilson(hits, len(group)))
            rows.append((title, len(group), hits, 100 * hits / len(group), *bounds))
    columns = ("steps that changed a file", "attempts", "improved", "%", "low", "high")
    return Sheet("Planning depth", columns, tuple(rows)) if rows else None
