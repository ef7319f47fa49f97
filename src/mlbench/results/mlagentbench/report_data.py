"""Encode experiments for the report's page, in the same list as the attempts of other tasks."""

from __future__ import annotations

from collections.abc import Sequence

from mlbench.records import Policy
from mlbench.results.format import change, ratio, score
from mlbench.results.mlagentbench.failures import diagnosed
from mlbench.results.mlagentbench.models import ClaimRecord, Experiment
from mlbench.results.mlagentbench.table import starter_words
from mlbench.results.mlagentbench.trace import read_trace
from mlbench.results.models import RunRecord
from mlbench.results.text_pool import JsonValue, Texts
from mlbench.results.trajectories import LONGEST, Trajectory, read_trajectories

TYPE, STAGE = "Experiment", "grading"
"""The answer type and the stage that the page's list shows for experiments."""

WHOLE, LEAST = 60, 500
"""If a run has more than WHOLE attempts, the entries of their steps are shortened, down to LEAST characters each.
A page of 104 attempts of 50 steps then has 10 MB instead of 16."""


def experiment_data(run: RunRecord, number: int, policies: Sequence[Policy], texts: Texts) -> list[JsonValue]:
    """Return a run's experiments as the page's objects, with the same grade under every policy.

    The steps are those that the run kept, or else those of the log.

    Args:
        run: of experiments.
        number: of the run on the page, from 0.
        policies: those of the page.
        texts: the page's texts; new ones are added.

    Raises:
        UsageError: the steps have to be read from the log, and it is missing.
    """
    longest = max(LEAST, min(LONGEST, LONGEST * WHOLE // max(1, len(run.experiments))))
    traces = {_attempt_key(each): read_trace(each.folder, each.problem.name, longest) for each in run.experiments}
    logged: dict[tuple[int | str, int], Trajectory] = {}
    for log in () if all(trace.steps for trace in traces.values()) else run.logs:
        logged |= read_trajectories(log)
    found: list[JsonValue] = []
    for each in run.experiments:
        trace = traces[_attempt_key(each)]
        trace = trace if trace.steps else logged.get(_attempt_key(each), Trajectory())
        found.append({**_listed(each, number, policies, texts), **_shown(each, trace, texts)})
    return found


def _attempt_key(experiment: Experiment) -> tuple[int | str, int]:
    return experiment.problem.name, experiment.number


def _listed(each: Experiment, run: int, policies: Sequence[Policy], texts: Texts) -> dict[str, JsonValue]:
    """What the page's list and filters need, under the same names as for other attempts."""
    verdict: JsonValue = [each.success, STAGE, each.result.value, 0, texts.number(_evidence(each))]
    return {
        "run": run,
        "row": each.problem.name,
        "n": each.number,
        "repo": each.problem.name,
        "domain": each.problem.domain,
        "type": TYPE,
        "path": "",
        "verdicts": {policy.value: verdict for policy in policies} if each.graded else {},
        "errors": [[kind, f"{times} times", texts.number("")] for kind, times in each.errors.items()],
        "prompt": texts.number(each.prompt),
        "answer": texts.number(each.last_words),
        "code": None,
        "reference": None,
        "tokens": [each.usage.tokens_in, each.usage.tokens_out],
        "cost": each.usage.cost,
        "seconds": round(each.seconds, 3),
        "error": texts.number(each.error) if each.error else None,
    }


def _evidence(each: Experiment) -> str:
    """The grade in one line."""
    if not each.valid:
        return each.invalid
    against = f"; the starter has {score(each.starter.mean)}" if each.starter else ""
    look = "; too good to be true: a person has to look how the agent got it" if each.is_suspect else ""
    return f"{each.problem.metric.name} {score(each.score)}, {change(each.improvement)} %{against}{look}"


def _shown(each: Experiment, trace: Trajectory, texts: Texts) -> dict[str, JsonValue]:
    """What only the page's detail of an experiment needs."""
    steps: list[JsonValue] = [[step.by, step.tool, texts.number(step.text)] for step in trace.steps]
    return {
        "steps": steps,
        "gap": [trace.head, trace.left_out],
        "work": {"outcome": each.outcome, "detail": texts.number(each.detail), "steps": each.steps, "script": None},
        "experiment": {
            "title": each.problem.title,
            "failures": [kind.value for kind in diagnosed(each).failures] if each.graded else [],
            "lite": each.problem.lite,
            "metric": each.problem.metric.name,
            "better": each.problem.metric.better,
            "score": score(each.score),
            "best": score(each.best()),
            "starter": starter_words(each.starter) if each.starter else score(None),
            "reference": score(each.reference),
            "trivial": score(each.trivial),
            "improvement": change(each.improvement),
            "floor": score(each.floor),
            "scale": ratio(each.scale),
            "claim": [each.claim.text, score(each.claim.value), score(each.claim.measured), _holds(each.claim)]
            if each.claim
            else None,
            "actions": [[name, times] for name, times in each.actions.items()],
            "progress": [[point.step, score(point.score)] for point in each.progress],
        },
    }


def _holds(claim: ClaimRecord) -> bool | None:
    """Whether a claim holds; None if it was not compared."""
    return None if claim.measured is None and not claim.false else not claim.false
