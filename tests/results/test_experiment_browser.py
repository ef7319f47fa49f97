"""The page of experiments in a real Chromium: figures lead to attempts, an attempt shows its grade and its steps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mlbench.results.load_log import read_run
from mlbench.results.report import write_report
from tests.results.experiments_at_work import Way, experiment_log, steps_in
from tests.results.headless import NEEDS_CHROMIUM, Browser
from tests.results.log_factory import HOSTILE, mixed

pytestmark = NEEDS_CHROMIUM

KEYS = "[...list.rows].map((row) => row.dataset.key).filter(Boolean).join(' ')"


def _log(folder: Path) -> Path:
    said = HOSTILE.replace("\ud800", "")
    steps: list[dict[str, object]] = [
        {"action": "Edit Script (AI)", "inputs": {"script_name": "train.py"}, "observation": said, "seconds": 2.5},
        {"action": "Execute Script", "observation": "boom", "error": "failed-script"},
    ]
    ways = [
        Way(0.7, claim=0.9, progress=[0.5, None, 0.7], folder=steps_in(folder / "steps", steps), errors={"boom": 1}),
        Way(None, outcome="crashed"),
        Way(0.5, lost=True),
    ]
    return experiment_log(folder, {"cifar10": ways, "house-price": 3 * [Way(0.3, outcome="step-limit")]})


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    folder = tmp_path_factory.mktemp("report")
    with Browser() as driven:
        driven.open(write_report([read_run(_log(folder)), mixed()], folder).as_uri())
        yield driven


@pytest.fixture(autouse=True)
def clear(page: Browser) -> None:
    page.run("filters.querySelector('button[type=reset]').click()")


@pytest.mark.parametrize(
    ("link", "keys"),
    [
        ("repo=house-price", "2.house-price.1 2.house-price.2 2.house-price.3"),
        ("ended=step-limit", "2.house-price.1 2.house-price.2 2.house-price.3"),
        ("reason=grading%3Acrashed", "2.cifar10.2"),
        ("error=boom", "2.cifar10.1"),
        ("run=2&outcome=unscored", "2.cifar10.3"),
    ],
)
def test_figures_lead_to_the_attempts(page: Browser, link: str, keys: str) -> None:
    page.run(f"document.querySelector('main a[href*=\"{link}\"]').click()")
    page.until(f"{KEYS} === '{keys}'")


def test_an_experiment_shows_its_grade_claims_and_steps(page: Browser) -> None:
    page.run("open('2.cifar10.1')")
    text = str(page.run("detail.innerText"))
    for part in ("Cifar10, attempt 1", "improved", "0.7 (accuracy, higher is better)", "0.5 ± 0.01", "+40.0 %"):
        assert part in text, part
    assert "✗ false" in text and "Score after each step (3)" in text and "Trajectory (4 entries)" in text
    page.run("detail.querySelector('details.steps').open = true")
    page.until("detail.querySelectorAll('.step').length === 4")
    said = page.run("[...detail.querySelectorAll('.step')].map((step) => step.textContent)")
    assert said[0].startswith("step 0 · Edit Script (AI)") and "script_name: train.py" in said[0]
    assert said[3].startswith("seen after 0.0 s · failed-script")
    page.run("open('2.cifar10.3')")
    assert "the sandbox went away" in page.run("detail.innerText")
    page.run("open('1.1.1')")
    assert "Hit precision" in page.run("detail.innerText")
    assert page.errors == []


def test_what_a_step_saw_is_inert_and_can_be_searched(page: Browser) -> None:
    page.run("change({ q: '192.0.2.1/x.css', run: '2' })")
    assert page.run(KEYS) == "2.cifar10.1"
    page.run("open('2.cifar10.1'); detail.querySelector('details.steps').open = true")
    page.until("detail.querySelectorAll('.step').length > 0")
    page.run("detail.querySelector('.steps > button').click()")
    page.until("[...detail.querySelectorAll('.step')].every((step) => step.querySelector('pre'))")
    text = str(page.run("detail.textContent"))
    assert "</script><img src=x" in text and not set("\x00\x1b\u202e") & set(text)
    assert page.run("document.querySelectorAll('img, link[rel=stylesheet], #detail script, #detail svg').length") == 0
    assert [url for url in page.requests if not url.startswith(("file:", "data:", "about:"))] == []


def test_experiments_alone_have_no_policy_and_call_rows_problems(tmp_path: Path) -> None:
    alone = Browser(dark=True)
    try:
        alone.open(write_report([read_run(_log(tmp_path))], tmp_path).as_uri())
        assert alone.run("getComputedStyle(document.querySelector('.policy')).display") == "none"
        heads = alone.run("[...document.querySelectorAll('#list thead th')].map((head) => head.innerText)")
        assert heads == ["Verdict", "Problem", "Attempt", "Reason", "Seconds"]
        assert "of the scored pass," in alone.run("$('#status').textContent")
        alone.run("step(1)")
        assert "attempt 1" in alone.run("detail.innerText") and alone.errors == []
        alone.size(380, 900)
        assert alone.run("document.documentElement.scrollWidth") <= 380
    finally:
        alone.close()
