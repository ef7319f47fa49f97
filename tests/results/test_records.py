"""Reading runs from logs, whole and broken."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mlbench.reasons import Reason
from mlbench.records import Policy, UsageError
from mlbench.results.load_log import read_run
from tests.results.log_factory import HOSTILE, fault, sample, write_log


def test_a_log_becomes_a_run(tmp_path: Path) -> None:
    log = write_log(
        tmp_path / "a.eval", [sample(7, 1), sample(7, 2, passed=False), sample(8, 1), sample(8, 2)], epochs=2
    )
    run = read_run(log)
    assert (run.model, run.suite, run.split, run.setting, run.version) == (
        "provider/model",
        "pocket",
        "quarter",
        "oracle",
        "1, suite version ?",
    )
    assert (run.expected, run.each, run.scored, run.status, run.seconds) == (4, 2, 4, "success", 70.0)
    assert (run.usage.tokens_in, run.usage.tokens_out, run.usage.cost) == (400, 40, 2.0)  # all of its samples
    first, second = run.attempts[:2]
    assert (first.row, first.number, first.repository, first.prompt, first.system) == (
        7,
        1,
        "lichen",
        "prompt 7",
        "system",
    )
    assert (first.usage.tokens_in, first.usage.tokens_out, first.usage.cost, first.seconds) == (100, 10, 0.5, 0.25)
    assert first.answer.startswith("```bash") and first.candidate == "python train.py" and first.php == 0.5
    assert first.reference == "python train.py --lr 0.1" and first.faults == ()
    found = {name: (match.state, match.destination, match.found) for name, match in first.matches.items()}
    assert found == {"lr": ("wrong", "lr", "0.15"), "dataset": ("hit", "dataset", "'karate'")}
    assert (first.php, first.semantic) == (0.5, 0.25)
    assert second.faults == (fault("E3", Reason.WRONG_VALUE, "lr is 0.15"),)
    assert first.process is not None and first.process.peak_memory == 1024
    assert [v.passed for v in (first.verdict(Policy.STRICT), second.verdict(Policy.PAPER)) if v] == [True, False]


def test_attempts_that_carry_a_number_keep_it(tmp_path: Path) -> None:
    samples = [sample(7, number=1), sample(7, number=2), sample(7, number=3), sample(8, number=1)]
    run = read_run(write_log(tmp_path / "a.eval", samples))
    assert [(attempt.row, attempt.number) for attempt in run.attempts] == [(7, 1), (7, 2), (7, 3), (8, 1)]
    assert (run.each, run.expected) == (3, 4)


def test_a_machines_failure_is_not_scored(tmp_path: Path) -> None:
    run = read_run(write_log(tmp_path / "a.eval", [sample(7, 1), sample(7, 2, passed=None)], epochs=2))
    assert [attempt.scored for attempt in run.attempts] == [True, False]
    assert run.attempts[1].error == "RuntimeError: went away" and run.attempts[1].php is None


def test_a_row_whose_reference_fails_is_scored_only_where_nothing_is_compared(tmp_path: Path) -> None:
    failing = sample(7, passed=False)
    assert failing.scores and failing.scores["judge"].metadata
    (first, _) = failing.scores["judge"].metadata["verdicts"]
    first |= {"policy": "interface", "reason": "undecided: reference", "evidence": "the reference is broken: x"}
    (attempt,) = read_run(write_log(tmp_path / "a.eval", [failing])).attempts
    assert attempt.verdict(Policy.INTERFACE) is None and attempt.verdict(Policy.PAPER) is not None
    assert (attempt.reference_fails, attempt.error) == (True, "the reference is broken: x")


def test_a_score_beside_an_error_does_not_count(tmp_path: Path) -> None:
    failed = sample(7, passed=None)
    failed.scores = sample(7).scores
    assert read_run(write_log(tmp_path / "a.eval", [failed])).scored == 0


def test_what_a_broken_off_run_never_began_stays_in_the_total(tmp_path: Path) -> None:
    log = write_log(tmp_path / "a.eval", [sample(7, 1)], epochs=2, ids=["7", "8", "9"], status="cancelled")
    run = read_run(log)
    assert (run.expected, run.scored, run.status) == (6, 1, "cancelled")
    assert [(a.number, a.scored, a.prompt) for a in run.attempts] == [(1, True, "prompt 7"), (2, False, "prompt 7")]


def test_hostile_text_is_read_as_it_stands(tmp_path: Path) -> None:
    text = HOSTILE.replace("\ud800", "")
    run = read_run(write_log(tmp_path / "a.eval", [sample(7, answer=text)]))
    assert run.attempts[0].answer == text


def test_json_logs_are_read_too(tmp_path: Path) -> None:
    assert read_run(write_log(tmp_path / "a.json", [sample(7)])).scored == 1


def _error(path: Path, suite: str | None = None) -> str:
    with pytest.raises(UsageError) as caught:
        read_run(path, suite)
    line = str(caught.value)
    assert "\n" not in line and line.startswith(f"{path}: ") and len(line) < 400
    return line


def test_bad_logs_say_what_is_wrong(tmp_path: Path) -> None:
    whole = write_log(tmp_path / "a.eval", [sample(7)])
    half = tmp_path / "half.eval"
    half.write_bytes(whole.read_bytes()[:400])
    empty = tmp_path / "empty.eval"
    empty.touch()
    other = tmp_path / "other.json"
    other.write_text('{"a": 1}')
    assert "no such log" in _error(tmp_path / "none.eval")
    assert "no such log" in _error(tmp_path)
    assert "half-written" in _error(half)
    assert "half-written" in _error(empty)
    assert "not an Inspect log" in _error(other)
    assert "not of mlbench" in _error(write_log(tmp_path / "b.eval", [sample(7)], metadata={}))
    assert "not of other" in _error(whole, "other")
    assert "--resume" in _error(write_log(tmp_path / "c.eval", [sample(7)], status="started"))
    assert "no samples" in _error(write_log(tmp_path / "d.eval", [], ids=["7"], status="error"))
    no_row = _error(write_log(tmp_path / "e.eval", [sample(7, changes={"metadata": {}})]))
    assert re.search(r"version \d of \w+; row: field required", no_row)
