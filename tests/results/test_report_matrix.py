"""The second view of the attempts in a real Chromium: rows against runs, with the filters of the list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mlbench.reasons import Reason
from mlbench.results.load_log import read_run
from mlbench.results.models import RunRecord
from mlbench.results.report import write_report
from tests.results.experiments_at_work import Way, experiment_log
from tests.results.headless import NEEDS_CHROMIUM, Browser
from tests.results.log_factory import HOSTILE, attempt, fault, run

pytestmark = NEEDS_CHROMIUM

NAME = "anthropic/a-model-of-33-billion-parameters-with-a-name-without-end-"
LINES = "[...list.rows].map((row) => [...row.cells].map((cell) => cell.innerText))"
KEYS = "[...list.querySelectorAll('[data-key]')].map((part) => part.dataset.key).join(' ')"
HEADS = "[...document.querySelectorAll('#list thead .c-cell small')].map((part) => part.innerText)"


def _runs() -> list[RunRecord]:
    """Three runs of one suite, of which the last has three attempts a row, and one of another suite."""
    faults = (fault("E2/choices", Reason.INVALID_CHOICE, ""),)
    wrong = replace(attempt(2, 1, False, repository="moss"), faults=faults)
    odd = replace(attempt(3, 1, False, repository="moss"), faults=())
    lost = attempt(4, 1, None)
    first = [attempt(1, 1, True), wrong, odd, lost]
    second = [attempt(1, 1, True), attempt(2, 1, True, repository="moss"), attempt(5, 1, False, repository=HOSTILE)]
    third = [attempt(1, number, number == 1) for number in (1, 2, 3)]
    return [
        run(first, each=1, agent="codeact", model=f"{NAME}1"),
        run(second, each=1, agent="codeact", model=f"{NAME}2"),
        run(third, each=3, agent="codeact", model=HOSTILE.replace("\ud800", "")),
        run([attempt(1, 1, False, repository="dgl")], each=1, agent="gold", suite="other"),
    ]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    folder = tmp_path_factory.mktemp("report")
    patched = pytest.MonkeyPatch()
    patched.setattr("mlbench.results.report_data.read_trajectories", lambda log, most: {})
    with Browser(width=1280) as driven, patched.context():
        driven.open(write_report(_runs(), folder).as_uri())
        yield driven
    patched.undo()


@pytest.fixture(autouse=True)
def clear(request: pytest.FixtureRequest) -> None:
    if "page" in request.fixturenames:
        page = request.getfixturevalue("page")
        page.run("change({ ...DEFAULTS, view: 'rows' })")


def test_every_row_has_a_cell_for_each_run(page: Browser) -> None:
    lines = page.run(LINES)
    assert [line[1] for line in lines] == ["5", "1", "4", "2", "3", "1"]  # by suite, repository and row
    by_row = {(line[0], line[1]): line[2:] for line in lines}
    assert by_row["lichen", "1"] == ["Train row 1.", "✓", "✓", "1/3", "", "3/5"]
    assert by_row["moss", "2"] == ["Train row 2.", "✗", "✓", "", "", "1/2"]
    assert by_row["lichen", "4"][1] == "–" and by_row["lichen", "4"][-1] == "0/0"
    assert by_row["dgl", "1"] == ["Train row 1.", "", "", "", "✗", "0/1"]  # the same number in another suite
    assert page.run(HEADS) == ["1/3", "2/3", "1/3", "0/1"]


def test_filters_decide_what_the_cells_count(page: Browser) -> None:
    page.run("change({ suite: 'other' })")
    assert [line[-2:] for line in page.run(LINES)] == [["✗", "0/1"]] and page.run(HEADS) == ["0/1"]
    page.run("change({ suite: '', outcome: 'failed', repo: 'moss' })")
    assert page.run(KEYS) == "1.2.1 1.3.1"
    assert not page.run("filters.elements.suite.closest('label').hidden")


@pytest.mark.parametrize(("error", "keys"), [("E2", "1.2.1"), ("E2/choices", "1.2.1"), ("none", "1.3.1"), ("E1", "")])
def test_an_error_class_has_its_kinds_and_none_is_what_has_no_class(page: Browser, error: str, keys: str) -> None:
    page.run(f"change({{ error: '{error}', run: '1' }})")
    assert page.run(KEYS) == keys


def test_a_cell_opens_its_attempt_and_the_keys_move_on(page: Browser) -> None:
    page.run("list.querySelector('[data-key=\"1.1.1\"]').click()")
    assert "Row 1, attempt 1" in page.run("detail.innerText")
    assert page.run("document.activeElement.closest('[data-key]').getAttribute('aria-current')") == "true"
    page.press("ArrowDown", 40)
    assert page.run("state.a") == "2.1.1"
    page.press("Escape", 27)
    assert page.run("state.a") == "" and page.run("state.view") == "rows"


def test_the_view_is_kept_in_the_address_and_sorted(page: Browser) -> None:
    assert "view=rows" in page.run("location.hash")
    page.run("document.querySelector('#list thead .c-passed button').click()")
    shares = [line[-1] for line in page.run(LINES)]
    assert shares == ["0/0", "0/1", "0/1", "0/1", "1/2", "3/5"]
    page.run("document.querySelector('input[name=view][value=\"\"]').click()")
    assert page.run("list.rows.length") == 11 and page.run("state.view") == ""
    assert page.errors == []


def test_hostile_names_stay_text(page: Browser) -> None:
    assert page.run("document.querySelectorAll('#list img, #list script, #list svg, h2 img').length") == 0
    assert page.run("document.title") == "pocket, other · ml-bench report"
    head = str(page.run("document.querySelectorAll('#list thead .c-cell')[2].textContent"))
    assert "</script><img src=x" in head and not set("\x00\x1b\u202e") & set(head)
    assert [url for url in page.requests if not url.startswith(("file:", "data:", "about:"))] == []


@pytest.mark.parametrize("width", [390, 1280, 1600])
def test_the_page_is_never_wider_than_the_window(page: Browser, width: int) -> None:
    """A filter with long names of runs was wider than a narrow window."""
    page.size(width, 900)
    for view in ("rows", ""):
        page.run(f"change({{ view: '{view}' }})")
        assert page.run("document.documentElement.scrollWidth") <= width
    page.size(1280, 900)


def test_problems_against_runs_fit_1280_pixels(tmp_path: Path) -> None:
    ways = {"cifar10": [Way(0.7), Way(None)], "house-price": [Way(0.3), Way(0.45, outcome="step-limit")]}
    one = read_run(experiment_log(tmp_path, ways))
    runs = [replace(one, model=f"{NAME}{number}", agent="research_agent") for number in range(10)]
    with Browser(width=1280) as page:
        page.open(write_report(runs, tmp_path).as_uri())
        assert page.run("document.documentElement.scrollWidth") == 1280
        table = "document.querySelector('.cells')"
        assert page.run(f"{table}.closest('.wide').scrollWidth <= {table}.closest('.wide').clientWidth")
        rows = page.run(f"[...{table}.tBodies[0].rows].map((row) => row.cells[1].innerText.split('\\n'))")
        assert rows == [["1/2", "+40.0"], ["1/2", "+25.0"]]
        page.run(f"{table}.querySelector('a[href*=\"run=2\"]').click()")
        page.until("[...list.rows].map((row) => row.dataset.key).join(' ') === '2.cifar10.1 2.cifar10.2'")
        page.run("change({ view: 'rows', run: '', repo: '' })")
        assert [line[0] for line in page.run(LINES)] == ["cifar10", "house-price"]
        page.run("document.querySelector('main a[href*=\"failure=bad\"]').click()")
        page.until("state.failure === 'bad planning'")
        assert page.run("shown.map(keyOf)") == ["1.house-price.2"]  # each run has a link
        assert page.errors == []
