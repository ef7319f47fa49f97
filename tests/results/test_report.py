"""The page as text: whole, self-contained, and nothing in it breaks out."""

from __future__ import annotations

import errno
import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from mlbench.records import Policy, RunError
from mlbench.results import plots
from mlbench.results.aggregate import summarise
from mlbench.results.report import render_report, write_report
from mlbench.results.report_data import page_data
from tests.results.log_factory import HOSTILE, attempt, mixed, run


def _data(page: str) -> dict:  # type: ignore[type-arg]
    found = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert len(found) == 1
    return json.loads(found[0])  # type: ignore[no-any-return]


def test_the_page_holds_every_attempt_and_every_text_once() -> None:
    data = _data(render_report([mixed(), run(mixed().attempts, each=3, setting="readme")]))
    assert len(data["attempts"]) == 24 and data["policies"] == ["strict", "paper"]
    assert data["runs"] == ["provider/model oracle", "provider/model readme"]
    assert len(data["texts"]) == len(set(data["texts"]))
    assert HOSTILE in data["texts"]
    first = data["attempts"][0]
    assert data["texts"][first["reference"]] == "python train.py --lr 0.1 --dataset karate"
    assert first["args"] == [["lr", "0.1", "wrong", "lr", "0.15"], ["dataset", "karate", "hit", "dataset", "'karate'"]]
    assert first["errors"] == []
    kind, reason, evidence = data["attempts"][1]["errors"][0]
    assert (kind, reason, data["texts"][evidence]) == ("E3", "wrong-value", "lr is 0.15, expected 0.1")
    assert first["verdicts"]["strict"][:3] == [True, "execution", "exit-0"]


def test_hostile_text_stays_data() -> None:
    page = render_report([run(mixed().attempts, each=3, model="</title><script>x</script>", split="<b>evil</b>")])
    page.encode()  # no lone surrogate stands in the text
    assert "<img" not in page and "<b>evil" not in page and "&lt;b&gt;evil" in page
    assert page.count("<script") == 2 and page.count("</script>") == 2
    assert not set("<>&") & set(page_data([mixed()], ["a"]))


def test_nothing_is_loaded_from_elsewhere() -> None:
    page = render_report([mixed()])
    assert "default-src 'none'" in page
    markup = page.split('<script type="application/json"')[0]
    links = re.findall(r"""(?:src|href)=["']?([^"' >]+)""", markup)
    assert links and all(link.startswith(("#", "data:")) for link in links)
    assert "@import" not in markup and "url(http" not in markup


def test_figures_stand_in_the_page() -> None:
    page = render_report([mixed()])
    assert "11/12" in page and "<b>50.0</b> <small>15–85</small>" in page
    assert "Pass@2" in page and "Pass@5" not in page.split('<script type="application/json"')[0]
    assert 'href="#policy=strict&amp;run=1&amp;outcome=unscored"' in page
    assert 'href="#policy=strict&amp;run=1&amp;error=E3">6</a>' in page and "knowledge manipulation" in page


def test_answers_that_were_cut_stand_in_the_page() -> None:
    cut = [replace(attempt(row, 1, False), stop_reason="max_tokens") for row in range(3)]
    page = render_report([run([*cut, attempt(3, 1, True)], each=1)])
    assert '<span class="short">3/4</span>' in page and "ended at the token limit" in page
    assert [each["stop"] for each in _data(page)["attempts"]] == [*["max_tokens"] * 3, ""]
    assert "ended at the token limit" not in render_report([mixed()])


@pytest.mark.skipif(not plots.available(), reason="needs pip install mlbench-harness[report]")
def test_plots_take_the_pages_ink() -> None:
    page = render_report([mixed()])
    assert page.count("<svg") == 8 and "currentColor" in page  # four plots for each of two policies


def test_without_the_extra_the_tables_carry_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plots, "available", lambda: False)
    page = render_report([mixed()])
    assert "<svg" not in page and "--v:" in page


def test_a_long_answer_keeps_head_and_tail() -> None:
    page = render_report([run([attempt(1, 1, False, answer="a" * 700_000 + "b" * 300_000)], each=1)])
    assert len(page) < 400_000 and "[900,000 characters left out]" in page


def test_the_same_runs_give_the_same_page() -> None:
    assert render_report([mixed()]) == render_report([mixed()])


def test_the_page_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    page = write_report([mixed()], tmp_path / "a" / "b")
    assert page.name == "report.html" and page.read_text(encoding="utf-8") == render_report([mixed()])
    assert [file.name for file in page.parent.iterdir()] == ["report.html"]
    blocked = tmp_path / "file"
    blocked.touch()
    with pytest.raises(RunError, match="cannot write"):
        write_report([mixed()], blocked)


def test_a_full_disk_leaves_the_old_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = write_report([mixed()], tmp_path)
    before = page.read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(RunError, match="No space left"):
        write_report([mixed()], tmp_path)
    assert page.read_bytes() == before and [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_the_plot_has_every_k_in_its_order() -> None:
    """Pass@10 stood before Pass@2, as letters are sorted."""
    pytest.importorskip("altair")

    verdicts = [attempt(1, number, number % 2 == 0) for number in range(1, 11)]
    drawn = plots.rates([summarise(run(verdicts, each=10), Policy.STRICT)], ["a run"])
    assert drawn is not None
    places = [drawn.index(f">Pass@{k}<") for k in (1, 2, 5, 10)]
    assert places == sorted(places)
