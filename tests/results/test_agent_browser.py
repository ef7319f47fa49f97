"""The page of agents in a real Chromium: how they ended, the trajectory, what they left; none of it runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlbench.results import report_data
from mlbench.results.load_log import read_run
from mlbench.results.report import write_report
from mlbench.results.trajectories import read_trajectories
from tests.results.agents_at_work import CRASHES, ENDLESS, GIVES_UP, SOLVES, agent_log
from tests.results.headless import NEEDS_CHROMIUM, Browser
from tests.results.log_factory import mixed

pytestmark = NEEDS_CHROMIUM

KEYS = "[...list.rows].map((row) => row.dataset.key).filter(Boolean).join(' ')"
UNFOLD = "detail.querySelector('details.steps').open = true"
ENTRIES = "[...detail.querySelectorAll('.step')]"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Answers, and agents that solve, never end, give up and crash."""
    folder = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:
        agents = read_run(agent_log(folder, patch, SOLVES, ENDLESS, GIVES_UP, CRASHES))
    with Browser() as driven:
        driven.open(write_report([agents, mixed()], folder).as_uri())
        yield driven


@pytest.fixture(autouse=True)
def clear(page: Browser) -> None:
    page.run("filters.querySelector('button[type=reset]').click()")


def test_how_agents_ended_leads_to_the_attempts(page: Browser) -> None:
    page.run("document.querySelector('.summary:not([hidden]) a[href*=step-limit]').click()")
    page.until(f"{KEYS} === '2.{ENDLESS}.1 2.{GIVES_UP}.1'")
    assert page.run("filters.elements.ended.value") == "step-limit"
    page.run("filters.querySelector('button[type=reset]').click()")
    assert page.run("list.rows.length") == 16


def test_an_attempt_shows_the_work_and_its_trajectory(page: Browser) -> None:
    page.run(f"open('2.{SOLVES}.1')")
    text = str(page.run("detail.innerText"))
    for part in (
        "ended",
        "numpy==2.0, own==1",
        "Missing in the judged run",
        "Earlier version in the judged run",
        "python train.py --lr 0.1",
        "Trajectory (6 entries)",
    ):
        assert part in text
    assert page.run(f"{ENTRIES}.length") == 0  # until it is unfolded
    page.run(UNFOLD)
    page.until(f"{ENTRIES}.length === 6")
    said = page.run(f"{ENTRIES}.map((step) => step.innerText)")
    assert said[0].startswith("model") and "→ look: train.py" in said[0]
    assert re.fullmatch(r"output of look \d lines first line", said[1]), said[1]  # folded: its first line alone
    page.run(f"{ENTRIES}[1].querySelector('summary').click()")
    page.until(f"{ENTRIES}[1].querySelector('pre') !== null")
    assert "characters left out" in page.run(f"{ENTRIES}[1].innerText")
    page.run("detail.querySelector('.steps > button').click()")
    page.until(f"{ENTRIES}.every((step) => step.querySelector('pre'))")
    assert page.run("detail.querySelector('.steps > button').innerText") == "Fold all outputs"
    page.run(f"open('2.{CRASHES}.1')")
    assert "Traceback | KeyError: 'x'" in page.run("detail.innerText")
    assert page.run("detail.querySelector('details.steps')") is None
    assert page.errors == []


def test_what_a_tool_said_is_inert_and_can_be_searched(page: Browser) -> None:
    page.run("change({ q: '192.0.2.1/x.css', run: '2' })")
    assert page.run(KEYS) == f"2.{ENDLESS}.1"
    page.run(f"open('2.{ENDLESS}.1')")
    page.run(UNFOLD)
    page.until(f"{ENTRIES}.length > 0")
    page.run("detail.querySelector('.steps > button').click()")
    page.until(f"{ENTRIES}.every((step) => step.querySelector('pre'))")
    text = str(page.run("detail.textContent"))
    assert "</script><img src=x" in text and "\u241b[31mred" in text and not set("\x00\x1b\u202e") & set(text)
    assert page.run("document.querySelectorAll('img, link[rel=stylesheet], #detail script, #detail svg').length") == 0
    assert page.run("document.title") == "pocket · ml-bench report"
    assert [url for url in page.requests if not url.startswith(("file:", "data:", "about:"))] == []


def test_answers_alone_have_no_filter_for_agents(tmp_path_factory: pytest.TempPathFactory, page: Browser) -> None:
    assert not page.run("filters.elements.ended.closest('label').hidden")
    alone = Browser()
    try:
        alone.open(write_report([mixed()], tmp_path_factory.mktemp("answers")).as_uri())
        assert alone.run("filters.elements.ended.closest('label').hidden")
        alone.run("open('1.1.1')")
        assert "Answer, in full" in alone.run("detail.innerText") and "The agent" not in alone.run("detail.innerText")
    finally:
        alone.close()


def test_a_long_trajectory_says_where_entries_are_missing(tmp_path: Path, page: Browser) -> None:
    with pytest.MonkeyPatch.context() as patch:
        long = read_run(agent_log(tmp_path, patch, ENDLESS, steps=30))
        patch.setattr(report_data, "entries_kept", lambda attempts: 40)
        written = write_report([long], tmp_path)
    taken = len(read_trajectories(long.location, 40)[ENDLESS, 1].steps)
    alone = Browser()
    try:
        alone.open(written.as_uri())
        alone.run(f"open('1.{ENDLESS}.1')")
        alone.run(UNFOLD)
        alone.until(f"{ENTRIES}.length > 0")
        shown = alone.run("[...detail.querySelectorAll('.steps li')].map((entry) => entry.className)")
        text = str(alone.run("detail.querySelector('.gap').textContent"))
    finally:
        alone.close()
    assert shown.count("gap") == 1 and shown.index("gap") == 24 and len(shown) == taken + 1
    assert int(text.split()[1]) > 10


@pytest.mark.parametrize("width", [380, 1400])
def test_it_is_never_wider_than_the_window(page: Browser, width: int) -> None:
    page.size(width, 900)
    page.run(f"open('2.{SOLVES}.1')")
    page.run(UNFOLD)
    assert page.run("document.documentElement.scrollWidth") <= width
    page.size(1400, 900)
