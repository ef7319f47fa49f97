"""Answers made elsewhere: what cannot be read is reported by its line, the rest is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mlbench.records import UsageError
from mlbench.suites.outputs import read_outputs
from mlbench.suites.suite import load_split, load_suite

POCKET = load_suite("pocket")
ROW = load_split("pocket", "quarter")[0]
GOOD = {"id": ROW.id, "github_id": ROW.github_id, "output": ["one", "two"]}


def write(tmp_path: Path, *lines: str) -> Path:
    file = tmp_path / "outputs.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def test_attempts_are_numbered_across_lines(tmp_path: Path) -> None:
    outputs = read_outputs(write(tmp_path, json.dumps(GOOD), "", json.dumps({**GOOD, "output": ["three"]})), POCKET)
    assert [(a.sample.id, a.number, a.reply) for a in outputs.attempts] == [
        (ROW.id, 1, "one"), (ROW.id, 2, "two"), (ROW.id, 3, "three"),
    ]  # fmt: skip
    assert outputs.faults == ()


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('{"id": 1, "github_id": 1, "outp', "not JSON"),
        ("[1]", "is a list, not an object"),
        ('{"id": 1, "output": []}', "has no `github_id`"),
        ('{"id": "1", "github_id": 1, "output": []}', "must be whole numbers"),
        ('{"id": true, "github_id": 1, "output": []}', "must be whole numbers"),
        (json.dumps({**GOOD, "output": "text"}), "`output` must be a list of texts"),
        (json.dumps({**GOOD, "output": [1]}), "`output` must be a list of texts"),
        (json.dumps({**GOOD, "id": 10**6}), "has no row with id 1000000"),
        (json.dumps({**GOOD, "github_id": 99}), f"has github_id {ROW.github_id}, not 99"),
    ],
)
def test_a_malformed_line_is_reported_and_the_rest_kept(tmp_path: Path, line: str, complaint: str) -> None:
    outputs = read_outputs(write(tmp_path, json.dumps(GOOD), line), POCKET)
    assert len(outputs.attempts) == 2
    assert len(outputs.faults) == 1
    assert complaint in outputs.faults[0]
    assert "outputs.jsonl, line 2: " in outputs.faults[0]


def test_a_file_without_answers_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is empty; one JSON object a line"):
        read_outputs(write(tmp_path, ""), POCKET)
    with pytest.raises(UsageError, match="line 1: not JSON"):
        read_outputs(write(tmp_path, "{"), POCKET)
    with pytest.raises(UsageError, match="cannot be read"):
        read_outputs(tmp_path / "nosuch.jsonl", POCKET)


def test_bytes_that_are_no_text_are_a_malformed_line(tmp_path: Path) -> None:
    file = tmp_path / "outputs.jsonl"
    file.write_bytes(json.dumps(GOOD).encode() + b"\n\xff\xfe\x00garbage\n")
    outputs = read_outputs(file, POCKET)
    assert len(outputs.attempts) == 2
    assert "outputs.jsonl, line 2: " in outputs.faults[0]


def test_half_a_surrogate_pair_is_replaced(tmp_path: Path) -> None:
    """Valid JSON, but no text that a log can hold: one such reply ended the whole run."""
    line = json.dumps({**GOOD, "output": ["bad \ud800 reply"]})
    assert read_outputs(write(tmp_path, line), POCKET).attempts[0].reply == "bad ? reply"


MAKER = {"model": "small", "tuned_on": ["ood_train"], "split": "full", "setting": "retrieval"}
MAKER |= {"context_tokens": 4096, "reply_tokens": 512}


def test_answers_say_what_made_them(tmp_path: Path) -> None:
    line = json.dumps({**GOOD, "answered_by": MAKER})
    maker = read_outputs(write(tmp_path, line, line), POCKET).answered_by
    assert maker is not None and maker.label == "small (tuned, other repositories)" and maker.setting == "retrieval"
    assert read_outputs(write(tmp_path, json.dumps(GOOD)), POCKET).answered_by is None
    for other in (json.dumps(GOOD), json.dumps({**GOOD, "answered_by": {**MAKER, "setting": "oracle"}})):
        with pytest.raises(UsageError, match="lines 1 and 2 differ in `answered_by`; write one file for each run"):
            read_outputs(write(tmp_path, line, other), POCKET)


@pytest.mark.parametrize(
    ("maker", "complaint"),
    [
        ("small", "`answered_by`: "),
        ({**MAKER, "setting": "../x"}, "`answered_by.setting`: "),
        ({**MAKER, "context_tokens": 0}, "`answered_by.context_tokens`: "),
        ({**MAKER, "model": ""}, "`answered_by.model`: "),
        ({**MAKER, "temperature": float("nan")}, "`answered_by.temperature`: "),
    ],
)
def test_a_maker_that_cannot_be_read_is_a_malformed_line(tmp_path: Path, maker: object, complaint: str) -> None:
    line = json.dumps({**GOOD, "answered_by": maker})
    outputs = read_outputs(write(tmp_path, json.dumps(GOOD), line), POCKET)
    assert len(outputs.attempts) == 2 and complaint in outputs.faults[0]
