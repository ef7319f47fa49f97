"""What the paper publishes of people, to read beside a person's run."""

from __future__ import annotations

from collections.abc import Sequence

from mlbench.human.session_records import PERSON
from mlbench.results.models import RunRecord
from mlbench.results.published.published_records import published_records
from mlbench.results.statistics import wilson

PUBLISHED_PERSON = "Human"
"""The model of the human row in table 3."""


def answered_by_person(run: RunRecord) -> bool:
    """Whether a person answered, in a session of `mlbench human`."""
    return run.model == f"mlbench/{PERSON}" or run.model.startswith(f"mlbench/{PERSON}/")


def published_note(runs: Sequence[RunRecord]) -> str:
    """How complete the runs of people are, and the published human result; empty if no person answered a run."""
    if not any(map(answered_by_person, runs)):
        return ""
    left = [
        f"Run {number}: {answered} of the session's {rows} rows are answered or given up; only these count. "
        for number, run in enumerate(runs, start=1)
        if answered_by_person(run) and (answered := _rows(run)) < (rows := run.expected // max(1, run.each))
    ]
    human = next(each for each in published_records() if each.model == PUBLISHED_PERSON)
    assert human.n is not None and human.value is not None  # the paper gives both
    solved = round(human.value * human.n)
    low, high = wilson(solved, human.n)
    return "".join(left) + (
        f"Published for people (table 3; ml-bench, {human.split} split, {human.setting}): Pass@{human.k}"
        f" {100 * human.value:.2f} %, {solved} of {human.n} samples, interval"
        f" {100 * low:.0f}-{100 * high:.0f}. A person's attempts depend on each other: read `first k`, not `unbiased`."
    )


def _rows(run: RunRecord) -> int:
    return len({attempt.row for attempt in run.attempts})
