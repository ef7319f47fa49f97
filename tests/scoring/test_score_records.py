"""Score records: what a scorer writes is what the results read, and earlier logs can be read."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from pydantic import ValidationError

from mlbench.judging.evidence import AnswerEvidence
from mlbench.reasons import ItemKind, Reason
from mlbench.records import (
    SHELL_TYPE,
    Candidate,
    Check,
    CheckStatus,
    Execution,
    ExitKind,
    Policy,
    Sample,
    Stage,
    Verdict,
)
from mlbench.score_records import ExperimentScoreRecord, ScoredItem, ScoredOutcome, ScoredStarter, ScoreRecord
from mlbench.scoring.build_record import score_of

SAMPLE = Sample(1, "https://x.org/r", 7, 7, ".", "{'lr': '0.1'}", "Train", "", SHELL_TYPE, "python train.py", "")
VERDICT = Verdict(Policy.STRICT, False, Stage.WITNESS, Reason.WRONG_VALUE, "lr is 0.2")
KEYS = "verdicts candidate matches extras check errors execution outcome agent stop_reason remembered decided_by"

FIRST_VERSION: dict[str, Any] = {
    "verdicts": [{"policy": "strict", "passed": True, "stage": "execution", "reason": "a-former-reason"}],
    "candidate": {"kind": "shell", "source": "fence", "fault": ""},
    "matches": [{"argument": "lr", "state": "hit", "place": "lr", "expected": "0.1", "found": "0.1"}],
    "errors": [{"class": "E2/choices", "reason": "invalid-choice", "evidence": "--model"}],
    "execution": {"ending": "exited", "exit_code": 0, "seconds": 0.5, "peak_memory": 1, "dropped_bytes": 0},
}
"""The metadata of a score in the first version's logs."""


def record() -> ScoreRecord:
    candidate = Candidate("python train.py --lr 0.2", "shell", "fence", left=("bash: 'ls': looks only",))
    check = Check(CheckStatus.REJECTED, Reason.UNKNOWN_ARGUMENT, "no such option", seconds=0.25)
    execution = Execution(ExitKind.TIMEOUT, 137, 10.0, 1024)
    made = score_of(AnswerEvidence(SAMPLE, candidate, check, execution=execution), [VERDICT])
    item = ScoredItem(kind=ItemKind.FILE, what="a.json", expected="2 bytes", found="", difference="is not there")
    return made.model_copy(update={"outcome": ScoredOutcome(fault="", items=(item,), total=1, proof=None)})


def test_what_is_written_is_what_is_read() -> None:
    made = record()
    read = ScoreRecord.of_parts(json.loads(json.dumps(made.parts())))
    assert read == made
    assert read.answer == "python train.py --lr 0.2" and read.verdicts == (VERDICT,)


def test_a_row_whose_reference_fails_has_no_score_and_no_error() -> None:
    verdict = Verdict(Policy.INTERFACE, False, Stage.INTERFACE, Reason.UNDECIDED_REFERENCE, "the reference is broken")
    made = score_of(AnswerEvidence(SAMPLE, Candidate("ls", "shell", "fence")), [verdict])
    assert math.isnan(made.value["interface"]) and made.errors == ()
    assert math.isnan(ScoreRecord.of_parts(json.loads(json.dumps(made.parts()))).value["interface"])


def test_the_keys_of_the_log_stay() -> None:
    parts = record().parts()
    assert list(parts["metadata"]) == KEYS.split()
    assert parts["metadata"]["errors"][0].keys() == {"class", "reason", "evidence"}
    assert parts["value"] == {"strict": 0.0, "php": 0.0, "semantic_php": 0.0}
    assert parts["explanation"] == "strict: witness: wrong-value"


def test_a_score_of_the_first_version_is_read() -> None:
    read = ScoreRecord.of_parts({"value": {"strict": 1.0}, "metadata": FIRST_VERSION})
    assert read.verdicts[0].reason == "a-former-reason"
    assert read.errors[0].error_class == "E2/choices" and read.matches[0].destination == "lr"
    assert (read.agent, read.outcome, read.stop_reason) == (None, None, "")


@pytest.mark.parametrize("key", ["verdicts", "candidate", "matches", "errors"])
def test_another_shape_is_refused(key: str) -> None:
    with pytest.raises(ValidationError, match=key):
        ScoreRecord.of_parts({"value": {}, "metadata": {k: v for k, v in FIRST_VERSION.items() if k != key}})


def test_an_endless_improvement_survives_the_log() -> None:
    made = ExperimentScoreRecord(
        value={"success": 1.0},
        score=1.0,
        invalid="",
        improvement=float("inf"),
        number_claim=("2 (validation)", 2.0, 1.0, True),
        outcome="ended",
        steps=3,
        seconds=1.5,
        starter=ScoredStarter(mean=0.0, spread=0.0, n=3),
        reference=None,
        trivial=None,
        progress=((1, None), (2, 0.5)),
    )
    assert ExperimentScoreRecord.of_parts(json.loads(json.dumps(made.parts()))) == made
