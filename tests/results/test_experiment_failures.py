"""How experiments fail, by rule, and how deep their changes go."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mlbench.evals.mlagentbench.problem import ProblemMetric
from mlbench.results.mlagentbench.failures import ExperimentFailure, diagnosed, failure_sheets
from mlbench.results.mlagentbench.models import ClaimRecord, Experiment, Point, ProblemRecord
from mlbench.score_records import ScoredStarter
from tests.results.log_factory import run

PROBLEM = ProblemRecord("cifar10", "CIFAR-10", "images", ProblemMetric(name="accuracy", better="higher", perfect=1.0))
VALID = Experiment(
    PROBLEM, 1, graded=True, score=0.5, starter=ScoredStarter(mean=0.5, spread=0.0, n=1), outcome="ended"
)
INVALID = replace(VALID, score=None, invalid="no submission")


@pytest.mark.parametrize(
    ("experiment", "failures"),
    [
        (replace(VALID, success=True, score=0.9), ()),
        (VALID, ("no improvement",)),
        (replace(VALID, claim=ClaimRecord("0.9", 0.9, 0.5, True)), ("hallucination", "no improvement")),
        (replace(INVALID, outcome="token-limit"), ("token limit",)),
        (replace(INVALID, outcome="step-limit"), ("bad planning",)),
        (replace(INVALID, actions={"Execute Script": 2}, errors={"failed-script": 2}), ("debugging",)),
        (replace(INVALID, actions={"Execute Script": 2}, errors={"failed-script": 1}), ("other",)),
        (replace(VALID, progress=tuple(Point(n, 0.4) for n in range(4))), ("bad planning", "no improvement")),
        (replace(VALID, progress=tuple(Point(n, 0.6) for n in range(4))), ("no improvement",)),
    ],
)
def test_each_failure_has_its_rule(experiment: Experiment, failures: tuple[str, ...]) -> None:
    assert diagnosed(experiment).failures == failures


def test_kept_steps_say_what_failed_last_and_how_many_changed_a_file(tmp_path: Path) -> None:
    steps = [
        {"number": 1, "action": "Write File", "changed": ["train.py"]},
        {"number": 2, "action": "Execute Script", "error": "failed-script"},
        {"number": 3, "action": "Write File", "changed": ["train.py"]},
        {"number": 4, "action": "Execute Script"},
    ]
    file = tmp_path / "steps.jsonl"
    file.write_text("".join(json.dumps(step) + "\n" for step in steps))
    kept = replace(VALID, folder=str(tmp_path), actions={"Execute Script": 2}, errors={"failed-script": 2})
    assert (diagnosed(kept).failures, diagnosed(kept).depth) == ((ExperimentFailure.NO_IMPROVEMENT,), 2)
    file.write_text("".join(json.dumps(step) + "\n" for step in steps[:3]))
    assert ExperimentFailure.DEBUGGING in diagnosed(kept).failures
    sheets = failure_sheets([run([], each=1, experiments=(kept,))])
    assert [sheet.title for sheet in sheets][1] == "Planning depth"
    assert sheets[1].rows[0][:3] == ("1 to 3", 1, 0)
