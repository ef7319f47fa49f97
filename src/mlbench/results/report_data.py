"""Encode every attempt as compact JSON for the report, safe inside a `script` element."""

from __future__ import annotations

import json
from collections.abc import Sequence

from mlbench.results.benches import BenchNames
from mlbench.results.explanations import comparison_notes, explained, not_compared
from mlbench.results.judged_policies import policies_of
from mlbench.results.mlagentbench.report_data import experiment_data
from mlbench.results.models import AttemptRecord, RunRecord
from mlbench.results.text_pool import JsonValue, Texts
from mlbench.results.trajectories import Trajectory, entries_kept, read_trajectories
from mlbench.score_records import ScoredAgent, ScoredItem
from mlbench.truncate import head_and_tail

__all__ = ["page_data", "policies_of"]


def page_data(runs: Sequence[RunRecord], names: Sequence[str]) -> str:
    """Return the attempts of all runs as JSON for a `script` element.

    Shape: {policies, runs: [name], suites: [name of each run's suite], texts: [text], attempts: [object]}.
    Attempts refer to texts by number.
    All characters outside ASCII, and `<`, `>` and `&`, are escaped. The steps of agents are read from their logs.

    Raises:
        UsageError: a log of agents is missing or cannot be read.
    """
    texts = Texts()
    attempts: list[JsonValue] = []
    most = entries_kept(sum(len(run.attempts) for run in runs if run.agent))
    for number, run in enumerate(runs):
        if run.experiments:
            attempts += experiment_data(run, number, policies_of(runs), texts)
            continue
        taken: dict[tuple[int | str, int], Trajectory] = {}
        for log in run.logs if run.agent else ():
            taken |= read_trajectories(log, most)
        for attempt in run.attempts:
            trajectory = taken.get((attempt.row, attempt.number), Trajectory())
            attempts.append({**_attempt(attempt, number, texts), **_worked(attempt.work, trajectory, texts)})
    policies: list[JsonValue] = [policy.value for policy in policies_of(runs)]
    held: list[JsonValue] = list(texts.all())
    suites: list[JsonValue] = [BenchNames((run,)).suite for run in runs]
    page: JsonValue = {
        "policies": policies,
        "runs": list(names),
        "suites": suites,
        "texts": held,
        "attempts": attempts,
    }
    text = json.dumps(page, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _attempt(attempt: AttemptRecord, run: int, texts: Texts) -> dict[str, JsonValue]:
    verdicts: dict[str, JsonValue] = {
        policy.value: [
            *(v.passed, v.stage.value, v.reason, round(v.seconds, 3), texts.number(v.evidence)),
            texts.number(explained(policy, v.reason)),
        ]
        for policy, v in attempt.verdicts.items()
    }
    process = attempt.process
    return {
        "run": run,
        "row": attempt.row,
        "n": attempt.number,
        "repo": attempt.repository,
        "domain": attempt.domain,
        "type": attempt.type,
        "path": attempt.path,
        "args": [[name, value, *_found(attempt, name)] for name, value in attempt.required.items()],
        "system": texts.number(attempt.system),
        "prompt": texts.number(attempt.prompt),
        "reference": texts.number(attempt.reference),
        "answer": texts.number(attempt.answer),
        "code": texts.number(attempt.candidate),
        "kind": attempt.kind,
        "stop": attempt.stop_reason,
        "source": attempt.source,
        "errors": [[fault.error_class, fault.reason, texts.number(fault.evidence)] for fault in attempt.faults],
        "verdicts": verdicts,
        "outcome": _outcome(attempt, texts),
        "php": None if attempt.php is None else round(attempt.php, 4),
        "semantic": None if attempt.semantic is None else round(attempt.semantic, 4),
        "process": None
        if process is None
        else [process.ending, process.exit_code, round(process.seconds, 3), process.peak_memory],
        "tokens": [attempt.usage.tokens_in, attempt.usage.tokens_out],
        "cost": attempt.usage.cost,
        "seconds": round(attempt.seconds, 3),
        "error": texts.number(attempt.error) if attempt.error else None,
    }


def _outcome(attempt: AttemptRecord, texts: Texts) -> dict[str, JsonValue]:
    """The comparison of what the run left behind with the reference, or why there is none."""
    if why := not_compared(attempt):
        return {"why": texts.number(why)}
    assert attempt.outcome is not None  # else `why` is not empty
    return {
        "items": [_item(item, texts) for item in attempt.outcome.items],
        "notes": [texts.number(note) for note in comparison_notes(attempt)],
    }


def _item(item: ScoredItem, texts: Texts) -> list[JsonValue]:
    """Kind, whether it is the same, and four texts: what, expected, found, difference."""
    found = item.found.removeprefix(f"{item.what}: ")
    difference = item.difference.removeprefix(item.what).lstrip(": ") or item.difference
    shown = (item.what, item.expected, found, difference)
    return [item.kind.value, item.same, *(texts.number(text) for text in shown)]


def _worked(work: ScoredAgent | None, trajectory: Trajectory, texts: Texts) -> dict[str, JsonValue]:
    """What an agent did; empty if no agent worked."""
    if work is None and not trajectory.steps:
        return {}
    steps: list[JsonValue] = [[step.by, step.tool, texts.number(step.text)] for step in trajectory.steps]
    found: dict[str, JsonValue] = {"steps": steps, "gap": [trajectory.head, trajectory.left_out]}
    if work is not None:
        found["work"] = {
            "outcome": work.outcome,
            "detail": texts.number(work.detail),
            "steps": work.steps,
            "seconds": round(work.seconds, 3),
            "packages": list(work.packages),
            "left_out": list(work.left_out),
            "earlier": list(work.earlier),
            "script": texts.number(work.script),
        }
    return found


def _found(attempt: AttemptRecord, name: str) -> list[JsonValue]:
    """State, place and value of an argument; the state is None if nothing was compared."""
    match = attempt.matches.get(name)
    if match is None:
        return [None, "", ""]
    return [match.state, head_and_tail(match.destination, 200), head_and_tail(match.found, 200)]
