"""The scorer of MLAgentBench: grade the final workspace, outside of the agent's sandbox."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from anyio import to_thread
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import concurrency, sandbox, store_as

from mlbench.agents.agent_run import AgentRun
from mlbench.evals.mlagentbench.baselines import StarterBaseline, held_against
from mlbench.evals.mlagentbench.claims import checked_claim
from mlbench.evals.mlagentbench.data import prepared
from mlbench.evals.mlagentbench.grading import Grade, left
from mlbench.evals.mlagentbench.problem import SUCCESS, ResearchProblem, load_problem
from mlbench.evals.mlagentbench.snapshots import Progress, Steps, errors_by_kind
from mlbench.sandbox.bubblewrap import BubblewrapSandbox
from mlbench.score_records import ExperimentScoreRecord, ScoredStarter


@scorer(metrics={"*": [mean(), stderr()]}, name="experiment")
def judge_experiment(steps: bool = False, workers: int = 1) -> Scorer:
    """Grade what an agent left: success, validity, position on the scale, and whether it claimed too much.

    Args:
        steps: whether every earlier snapshot is graded as well.
        workers: parallel graders; problems of speed are graded one by one.
    """

    async def score(state: TaskState, target: Target) -> Score:
        problem = load_problem(**state.metadata["origin"])
        data = await prepared(problem)
        work = store_as(AgentRun)
        jail = await sandbox().as_type(BubblewrapSandbox).jail()
        archive = await left(problem, jail, work.since)
        before = await _snapshots() if steps else {}
        further = dict.fromkeys(which for which in before.values() if which is not None)
        earlier = [partial(Steps(Path(store_as(Progress).folder)).restore, which) for which in further]
        name, most = ("measured", 1) if problem.measured else ("graders", workers)
        async with concurrency(name, most):
            [found, *others], against = await held_against(problem, data, [archive, *earlier])
        scores = dict(zip(further, (each.score for each in others), strict=True))
        progress = [(number, None if which is None else scores[which]) for number, which in before.items()]
        return _score(problem, found, against, work, progress, state)

    return score


async def _snapshots() -> dict[int, int | None]:
    """By step, the step whose snapshot shows the workspace after it; None if it was not kept."""
    kept = store_as(Progress)
    found: dict[int, int | None] = {}
    if not kept.folder:
        return found
    which: int | None = None
    for step in await to_thread.run_sync(Steps(Path(kept.folder)).read):
        if step.unkept or (step.left_out and not step.digest):
            which = None
        elif step.digest or step.removed or step.number == 1:  # else nothing has changed
            which = step.number
        found[step.number] = which
    return found


def _score(
    problem: ResearchProblem,
    found: Grade,
    against: StarterBaseline,
    work: AgentRun,
    progress: list[tuple[int, float | None]],
    state: TaskState,
) -> Score:
    valid = found.score is not None
    improvement = problem.metric.improvement(found.score, against.mean) if found.score is not None else None
    handed_in = store_as(Progress).claim
    claim = checked_claim(handed_in, problem.metric, found.score, against.mean) if handed_in else None
    standing = standing_of(problem, found, against)
    value = {
        "success": float(standing.success),
        "easy_win": float(standing.easy_win),
        "suspect": float(standing.suspect),
        "valid": float(valid),
        "improvement": improvement or 0.0,
        "scale": standing.position or 0.0,
        "false_claim": float(claim is not None and claim.false),
    }
    explanation = f"{found.score:g} ({100 * improvement:+.1f} %)" if improvement is not None else found.invalid
    if standing.position is not None:
        explanation += f", {standing.position:.3f} on the scale from trivial to floor"
    if standing.suspect:
        explanation += "; too good to be true: no success until a person has looked (mlbench experiment review)"
    if found.score is not None and against.turns:
        explanation += f", in the median turn {100 * against.typical(found.seconds):+.1f} %"
    folder = store_as(Progress).folder
    actions, errors = _actions(Path(folder))
    record = ExperimentScoreRecord(
        value=value,
        explanation=explanation,
        answer=work.last_words[:2000],
        score=found.score,
        invalid=found.invalid,
        improvement=improvement,
        number_claim=(claim.text, claim.value, claim.measured, claim.false) if claim else None,
        outcome=work.outcome,
        detail=work.detail,
        steps=work.steps,
        seconds=round(work.seconds, 3),
        tokens=state.token_usage + work.replayed,
        turns=(tuple(found.seconds), tuple(against.turns)),
        starter=ScoredStarter(mean=against.mean, spread=against.spread, n=len(against.starter)),
        reference=against.reference,
        trivial=problem.trivial if against.trivial is None else against.trivial,
        floor=against.floor,
        mark=standing.mark,
        folder=folder,
        progress=tuple(progress),
        actions=actions,
        errors=errors,
    )
    return Score(**record.parts())


@dataclass(frozen=True)
class Standing:
    """What a grade amounts to.

    Attributes:
        position: on the scale from trivial (0) to floor (1); None without a valid submission or a scale.
        success: beyond what plain recipes reach, and not suspect.
        easy_win: a success as published, which plain recipes reach as well.
        suspect: too good to be true: a person has to look.
        mark: the position beyond which an attempt succeeds on these data; None without a scale or marks.
    """

    position: float | None
    success: bool
    easy_win: bool
    suspect: bool
    mark: float | None = None


def standing_of(problem: ResearchProblem, found: Grade, against: StarterBaseline) -> Standing:
    """Judge a grade by the problem's scale and marks; without them, as published."""
    scale, metric = against.scale(problem.metric), problem.metric
    mark = mark_of(problem, against)
    if found.score is None:
        return Standing(None, False, False, False, mark)
    position = scale.position(found.score) if scale else None
    suspect = metric.is_suspect(found.score) or (scale is not None and scale.is_suspect(found.score))
    improved = succeeds(metric.improvement(found.score, against.mean), found, against)
    skilled = position is None or mark is None or position > mark
    return Standing(position, improved and skilled and not suspect, improved and not skilled, suspect, mark)


def mark_of(problem: ResearchProblem, against: StarterBaseline) -> float | None:
    """Return the position beyond which an attempt succeeds on these data; None without a scale or marks."""
    scale = against.scale(problem.metric)
    if scale is None or problem.marks is None:
        return None
    return problem.marks.success_on(None if against.reference is None else scale.position(against.reference))


def succeeds(improvement: float, found: Grade, against: StarterBaseline) -> bool:
    """Whether it is more than 10 % better, as published.

    Args:
        improvement: of the score over the starter, relative.
        found: the grade; of several measured runs the median must improve as well.
        against: the starter's baseline.
    """
    return improvement > SUCCESS and (not against.turns or against.typical(found.seconds) > SUCCESS)


def _actions(folder: Path) -> tuple[dict[str, int], dict[str, int]]:
    """Count how often each action was done, and how often it failed in each way."""
    if not folder.name:
        return {}, {}
    steps = Steps(folder).read()
    return dict(Counter(step.action for step in steps)), errors_by_kind(steps)
