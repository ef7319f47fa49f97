"""What was left behind: read from a log, written as JSON, and explained."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mlbench.reasons import ItemKind, Reason
from mlbench.records import ExitKind, Policy, Stage, UsageError, Verdict
from mlbench.results.explanations import REASONS, comparison_notes, explained, not_compared
from mlbench.results.load_log import read_run
from mlbench.results.verdicts import write_verdicts
from tests.results.log_factory import attempt, ended, figure, file, item, left_behind, run, sample, write_log

ITEM = {"kind": "file", "what": "out/a.json", "expected": "9 bytes: {}", "found": "", "difference": "it is not there"}
OUTCOME = {"fault": "", "items": [ITEM], "proof": None}


def test_an_outcome_is_read_from_a_score(tmp_path: Path) -> None:
    found = read_run(write_log(tmp_path / "a.eval", [sample(7, outcome=OUTCOME)])).attempts[0]
    assert found.outcome == left_behind(file("out/a.json", "9 bytes: {}", "", "it is not there"))
    assert not_compared(found) == ""


def test_an_older_log_holds_none(tmp_path: Path) -> None:
    old = sample(7)
    assert old.scores and old.scores["judge"].metadata
    del old.scores["judge"].metadata["outcome"]
    found = read_run(write_log(tmp_path / "a.eval", [old])).attempts[0]
    assert found.outcome is None and "older" in not_compared(found)


@pytest.mark.parametrize(
    "broken",
    [{}, {**OUTCOME, "items": [{**ITEM, "kind": "fifo"}]}, {**OUTCOME, "items": 3}, {**OUTCOME, "items": [{}]}],
)
def test_a_broken_outcome_is_a_broken_log(tmp_path: Path, broken: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"not as this mlbench writes them \([^\n]*\); run mlbench eval again$"):
        read_run(write_log(tmp_path / "a.eval", [sample(7, outcome=broken)]))


def test_verdicts_as_json_hold_it(tmp_path: Path) -> None:
    both = [attempt(1, 1, True, outcome=left_behind(figure("0.5", True), proof="")), attempt(2, 1, False)]
    write_verdicts(run(both, each=1), Policy.STRICT, tmp_path / "v.jsonl")
    first, second = map(json.loads, (tmp_path / "v.jsonl").read_text().splitlines())
    item = {"kind": "figure", "what": "0.5", "expected": "0.5", "found": "printed", "difference": ""}
    assert first["outcome"] == {"items": [item], "fault": "", "proof": ""} and first["not_compared"] == ""
    assert second["outcome"] is None and second["not_compared"].startswith("the answer never ran")


UNSEEN = Verdict(Policy.STRICT, True, Stage.EXECUTION, Reason.EXIT_0_UNWITNESSED, "no witness in this sandbox\nexit 0")
RAN = attempt(1, 1, True)


@pytest.mark.parametrize(
    ("of", "why"),
    [
        (attempt(1, 1, None), "the attempt was not scored"),
        (attempt(1, 1, False), "the answer never ran: it failed before (arguments: missing-argument)"),
        (replace(RAN, process=ended(ExitKind.EXITED, 2)), "the answer did not end well: it exited with code 2"),
        (
            replace(RAN, process=ended(ExitKind.MEMORY, 137)),
            "the answer did not end well: it was stopped at the memory limit",
        ),
        (replace(RAN, verdicts={Policy.STRICT: UNSEEN}), "this sandbox has no witness"),
        (replace(RAN, verdicts={Policy.PAPER: UNSEEN}), "the rows of this suite are not executed"),
        (RAN, "no outcome is declared for this row"),
        (replace(RAN, outcome=left_behind(why_not="exit code 3")), "the reference itself failed: exit code 3"),
        (replace(RAN, outcome=left_behind()), "the reference left nothing"),
    ],
)
def test_why_nothing_was_compared(of: Any, why: str) -> None:
    assert not_compared(of).startswith(why)


def test_a_replay_and_a_time_limit_are_said_in_words() -> None:
    lines = figure("3, 4", True)
    proven, unproven = (
        replace(RAN, outcome=left_behind(lines, proof=why)) for why in ("", "no call returned an array")
    )
    assert comparison_notes(proven)[0].startswith("✓ Proven")
    assert comparison_notes(unproven)[0].startswith("✗ Not proven: no call returned an array.")
    late = replace(RAN, outcome=left_behind(lines), process=ended(ExitKind.TIMEOUT, 137))
    assert comparison_notes(late) == ["The answer was stopped at the time limit: these lines show how far it had come."]
    assert comparison_notes(replace(RAN, outcome=left_behind(lines))) == []


def test_a_file_of_the_repository_is_a_line_as_well(tmp_path: Path) -> None:
    gone = {"kind": "repository", "what": "train.py", "expected": "left as it is", "found": "", "difference": "is gone"}
    log = write_log(tmp_path / "a.eval", [sample(7, outcome={**OUTCOME, "items": [gone]})])
    outcome = read_run(log).attempts[0].outcome
    assert outcome is not None
    assert outcome.items == (item(ItemKind.REPOSITORY, "train.py", "left as it is", "", "is gone"),)


def test_a_reason_is_explained_by_policy_and_by_its_first_word() -> None:
    assert explained(Policy.STRICT, "right") != explained(Policy.INTERFACE, "right") != ""
    assert explained(Policy.INTERFACE, "undecided: stub") == REASONS["undecided"]
    assert explained(Policy.STRICT, "a reason of another version") == ""
    assert all(text.endswith(".") and text.count(". ") == 0 for text in REASONS.values())  # a sentence each
    outcomes = ("right", "other-route", "wrong-outcome", "outcome-missing", "figures-missing", "outcome-destroyed")
    assert {*outcomes, "not-proven", "unasked-change", "no-answer"} <= REASONS.keys()
