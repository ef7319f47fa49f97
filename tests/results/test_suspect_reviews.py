"""Scores that are too good to be true are no success until a person has looked."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mlbench.cli import main
from mlbench.results.load_log import read_run
from mlbench.results.mlagentbench.models import ExperimentResult
from tests.results.experiments_at_work import NO_MODEL, Way, experiment_log


def said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: object) -> str:
    monkeypatch.setattr(sys, "argv", ["mlbench", "experiment", "review", *map(str, words)])
    with pytest.raises(SystemExit) as leaving:
        main()
    caught = capsys.readouterr()
    return caught.out if not leaving.value.code else caught.err


@pytest.fixture
def log(tmp_path: Path) -> Path:
    ways = {"cifar10": [Way(0.99, suspect=True), Way(0.75)]}
    return experiment_log(tmp_path / "logs", ways, model=NO_MODEL)


def test_a_suspect_score_counts_only_when_it_is_accepted(
    log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = read_run(log).experiments
    assert (first.success, first.result, second.success) == (False, ExperimentResult.SUSPECT, True)
    shown = said(monkeypatch, capsys, log.parent)
    assert "cifar10:1" in shown and "nobody has looked" in shown and "cifar10:2" not in shown
    assert said(monkeypatch, capsys, log, "--accept", "cifar10:1") == "cifar10:1: accepted\n"
    assert read_run(log).experiments[0].result is ExperimentResult.IMPROVED
    said(monkeypatch, capsys, log, "--reject", "cifar10:1")
    assert (read_run(log).experiments[0].success, read_run(log).experiments[0].accepted) == (False, False)


def test_only_suspect_attempts_are_reviewed(
    log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "suspect are: cifar10:1" in said(monkeypatch, capsys, log, "--accept", "cifar10:2")
    assert "takes logs" in said(monkeypatch, capsys)


def test_easy_wins_are_counted_apart(tmp_path: Path) -> None:
    log = experiment_log(tmp_path / "logs", {"cifar10": [Way(0.7, mark=0.9)]}, model=NO_MODEL)
    assert [each.result for each in read_run(log).experiments] == [ExperimentResult.EASY_WIN]
