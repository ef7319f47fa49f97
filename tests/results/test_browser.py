"""The page in a real Chromium: filters, details, keyboard, links; what a model wrote is inert, nothing is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mlbench.results.report import write_report
from tests.results.headless import NEEDS_CHROMIUM, Browser
from tests.results.log_factory import HOSTILE, attempt, figure, file, left_behind, mixed, run

pytestmark = NEEDS_CHROMIUM

WRONG = file("out/a.json", "9 bytes: {}", "12 bytes: {'a': 1}", "out/a.json: a: 1, expected nothing")
LEFT = {
    1: left_behind(
        WRONG, file("out/b.csv", "5 bytes: a,b", "out/b.csv: 5 bytes: a,b"), figure("0.75", False), proof="x y"
    ),
    2: left_behind(*(figure(str(number), number != 15) for number in range(20))),
    3: left_behind(file(HOSTILE, HOSTILE * 3, "\u202e" * 5000, HOSTILE), proof=HOSTILE),
}
"""What was left behind at some rows of the second run."""

KEYS = "[...list.rows].map((row) => row.dataset.key).filter(Boolean).join(' ')"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs: the mixed one, and one of 400 rows in which every tenth attempt fails."""
    many = [attempt(row, 1, row % 10 != 0, answer=f"answer number {row}", outcome=LEFT.get(row)) for row in range(400)]
    return write_report([mixed(), run(many, each=1, model="other/model")], tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as driven:
        yield driven


@pytest.fixture
def page(browser: Browser, report: Path) -> Browser:
    return browser.afresh(report.as_uri())


def _choose(page: Browser, name: str, value: str) -> None:
    script = f"(() => {{ const box = filters.elements['{name}']; box.value = {value!r};"
    page.run(script + "box.dispatchEvent(new Event('input', { bubbles: true })); })()")


def _status(page: Browser) -> str:
    return str(page.run("document.querySelector('#status').textContent"))


def test_it_opens_with_everything(page: Browser) -> None:
    assert _status(page) == "412 of 412 attempts, 88.8 % of the scored pass under strict, 1 not scored"
    assert page.run("document.querySelectorAll('.summary:not([hidden])').length") == 1
    assert page.run("list.rows.length") == 120  # the rest when it is scrolled to
    page.run("document.querySelector('.list').scrollTo(0, 1e6)")
    page.until("list.rows.length > 120")
    assert page.errors == []


@pytest.mark.parametrize(
    ("name", "value", "keys"),
    [
        ("repo", "mirage", "1.3.1 1.3.2 1.3.3 1.4.1 1.4.2 1.4.3"),
        ("type", "Python Code", "1.3.1 1.3.2 1.3.3"),
        ("outcome", "unscored", "1.2.3"),
        ("outcome", "disagree", "1.1.2"),
        ("q", "NUMBER 399", "2.399.1"),
        ("q", "sandbox went away", "1.2.3"),
        ("q", "no such text anywhere", ""),
    ],
)
def test_filters(page: Browser, name: str, value: str, keys: str) -> None:
    _choose(page, name, value)
    assert page.run(KEYS) == keys
    assert _status(page).startswith(f"{len(keys.split())} of 412 attempts")
    assert page.errors == []


def test_filters_work_together_and_are_cleared(page: Browser) -> None:
    _choose(page, "run", "2")
    _choose(page, "reason", "arguments:missing-argument")
    assert _status(page) == "40 of 412 attempts, 0.0 % of the scored pass under strict"
    _choose(page, "outcome", "passed")
    assert _status(page) == "0 of 412 attempts" and page.run("list.textContent") == "No attempt matches the filters."
    page.run("filters.querySelector('button[type=reset]').click()")
    assert _status(page).startswith("412 of 412") and page.run("location.hash") in ("", "#")


def test_errors_filter_the_attempts_that_fail_under_the_policy(page: Browser) -> None:
    _choose(page, "run", "1")
    _choose(page, "error", "E3")
    assert page.run(KEYS) == "1.1.2 1.1.3 1.2.1 1.2.2 1.4.1 1.4.3"
    page.run("list.rows[0].click()")
    assert "E3 wrong-value: lr is 0.15, expected 0.1" in page.run("document.querySelector('#detail').textContent")
    page.run("document.querySelector('input[value=paper]').click()")
    assert page.run(KEYS) == "1.1.3 1.2.1 1.2.2 1.4.1 1.4.3"
    assert page.errors == []


def test_the_policy_changes_the_tables_and_the_list(page: Browser) -> None:
    _choose(page, "run", "1")
    assert _status(page) == "12 of 412 attempts, 45.5 % of the scored pass under strict, 1 not scored"
    page.run("document.querySelector('input[value=paper]').click()")
    assert _status(page) == "12 of 412 attempts, 54.5 % of the scored pass under paper, 1 not scored"
    assert page.run("document.querySelector('.summary:not([hidden])').dataset.policy") == "paper"


def test_an_attempt_opens_with_all_its_texts(page: Browser) -> None:
    page.run("list.rows[0].click()")
    text = str(page.run("detail.innerText"))
    for part in (
        "Row 1, attempt 1",
        "Train row 1.",
        "Passed under strict",
        "Passed under paper",
        "exit 0, 0.50 s",
        "python train.py --lr 0.1 --dataset karate",
        "```bash",
        "karate",
    ):
        assert part in text
    assert "README" not in text  # the prompt is unfolded on demand
    page.run("[...detail.querySelectorAll('summary')].find((part) => part.textContent.startsWith('Prompt')).click()")
    page.until("detail.innerText.includes('README')")
    assert page.run("location.hash") == "#a=1.1.1"


def test_a_link_opens_its_attempt(page: Browser, report: Path) -> None:
    page.call("Page.navigate", url="about:blank")
    page.open(f"{report.as_uri()}#run=2&a=2.390.1")
    assert page.run("detail.querySelector('h3').textContent") == "Row 390, attempt 1"
    assert page.run("list.querySelector('[aria-current=true]').dataset.key") == "2.390.1"
    assert page.run("filters.elements.run.value") == "2"
    page.run("location.hash = '#a=nothing&policy=nonsense&reason=none'")  # a link of another report
    page.until("detail.hidden")
    assert page.errors == []


def test_a_figure_leads_to_its_attempts(page: Browser) -> None:
    page.run("document.querySelector('.summary:not([hidden]) a[href*=unscored]').click()")
    page.until(f"{KEYS} === '1.2.3'")
    assert page.run("document.activeElement.id") == "attempts-title"


def test_the_keyboard_suffices(page: Browser) -> None:
    page.run("list.querySelector('a').focus()")
    page.press("ArrowDown", 40)
    page.press("ArrowDown", 40)
    assert page.run("state.a") == "1.1.2" and page.run("document.activeElement.closest('tr').dataset.key") == "1.1.2"
    page.press("Escape", 27)
    assert page.run("state.a") == "" and page.run("detail.hidden")
    page.press("/", 191, "/")
    assert page.run("document.activeElement.name") == "q" and page.run("filters.elements.q.value") == ""
    page.run("document.querySelector('.skip').focus()")
    assert page.run("document.querySelector('.skip').getBoundingClientRect().left >= 0")


def test_columns_sort_both_ways(page: Browser) -> None:
    _choose(page, "run", "2")
    column = "[...document.querySelectorAll('#list thead button')].find((b) => b.textContent.startsWith('Row'))"
    page.run(f"{column}.click()")
    page.run(f"{column}.click()")
    assert page.run("list.rows[0].dataset.key") == "2.399.1"
    assert page.run("document.querySelector('[aria-sort=descending]').textContent") == "Row ↓"


def test_what_a_model_wrote_is_inert(page: Browser) -> None:
    page.run("location.hash = '#a=1.2.1'")
    page.until("!detail.hidden")
    page.run("[...detail.querySelectorAll('details')].forEach((part) => { part.open = true; })")
    page.until("[...detail.querySelectorAll('details')].every((part) => part.querySelector('pre'))")
    assert page.run("document.title") == "pocket · ml-bench report"
    assert page.run("document.querySelectorAll('img, link[rel=stylesheet], #detail script, #detail svg').length") == 0
    text = str(page.run("detail.textContent"))
    assert "</script><img src=x onerror=" in text
    assert "\u241b[31mred" in text and "\u2400" in text and "⟨U+202E⟩evil" in text
    assert not set("\x00\x1b\u202e") & set(text)
    assert page.errors == []


def _left(page: Browser, key: str) -> list[str]:
    """The texts of the table of what was left behind, a cell each; the heads are left out."""
    page.run(f"open('{key}')")
    cells = page.run("[...detail.querySelectorAll('.left td')].map((cell) => cell.textContent)")
    assert isinstance(cells, list)
    return cells


def test_what_was_expected_stands_beside_what_was_left(page: Browser) -> None:
    cells = _left(page, "2.1.1")
    assert cells[:5] == ["✗ differs", "out/a.json", "9 bytes: {}", "12 bytes: {'a': 1}", "a: 1, expected nothing"]
    assert cells[5:9] == ["✓ same", "out/b.csv", "5 bytes: a,b", "5 bytes: a,b"]
    assert cells[9:] == ["✗ differs", "printed0.75", "is never printed"]
    heads = "[...detail.querySelectorAll('.left th')].map((cell) => cell.textContent).join('|')"
    assert page.run(heads) == "|Expected, from the reference|From the answer"
    text = str(page.run("detail.querySelector('.outcome').innerText"))
    assert "2 of 3 differ" in text and "✗ Not proven: x y." in text
    assert page.errors == []


def test_of_many_lines_those_that_differ_come_first(page: Browser) -> None:
    cells = _left(page, "2.2.1")
    assert len(cells) == 3 * 12 and cells[:2] == ["✗ differs", "printed15"]
    assert page.run("detail.querySelector('.outcome summary').textContent") == "8 more lines, all the same"
    page.run("detail.querySelector('.outcome summary').click()")
    page.until("detail.querySelectorAll('.left td').length === 60")


def test_why_nothing_was_compared_is_said(page: Browser) -> None:
    page.run("open('1.1.2')")
    text = str(page.run("detail.querySelector('.outcome').innerText"))
    assert "Nothing was compared, because the answer never ran: it failed before (arguments: missing-argument)." in text


def test_hostile_outcomes_are_inert_cut_and_shown_on_demand(page: Browser) -> None:
    cells = _left(page, "2.3.1")
    assert not set("\x00\x1b\u202e") & set("".join(cells)) and max(map(len, cells)) < 300
    page.run("[...detail.querySelectorAll('.cut')].forEach((part) => { part.open = true; })")
    page.until("[...detail.querySelectorAll('.cut')].every((part) => part.querySelector('pre'))")
    assert "⟨U+202E⟩" * 5000 in str(page.run("detail.textContent"))
    assert page.run("detail.scrollWidth <= detail.clientWidth")
    assert page.run("document.title") == "pocket · ml-bench report"
    assert page.run("document.querySelectorAll('img, link[rel=stylesheet], #detail script, #detail svg').length") == 0
    assert page.errors == []


def test_what_was_left_behind_is_searched(page: Browser) -> None:
    _choose(page, "q", "out/b.csv")
    assert page.run(KEYS) == "2.1.1"


def test_the_pages_policy_stops_scripts_and_requests(page: Browser) -> None:
    """Even if something got in as HTML, it could neither run nor call home."""
    page.run(
        "document.body.insertAdjacentHTML('beforeend', '<img src=http://192.0.2.1/a.png onerror=\"document.title=1\">"
        "<iframe src=http://192.0.2.1/></iframe>')"
    )
    assert page.run("fetch('http://192.0.2.1/').then(() => 'sent', () => 'stopped')") == "stopped"
    assert page.run("document.title") == "pocket · ml-bench report"
    assert any("Content Security Policy" in error for error in page.errors)


def test_no_request_leaves_the_page(page: Browser) -> None:
    for key in ("1.2.1", "2.0.1"):
        page.run(f"open('{key}')")
    assert [url for url in page.requests if not url.startswith(("file:", "data:", "about:"))] == []


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_contrast(report: Path, dark: bool) -> None:
    """At least 4.5 : 1 for every text colour on both grounds (WCAG AA)."""
    driven = Browser(dark=dark)
    try:
        driven.open(report.as_uri())
        ratios = driven.run(CONTRAST)
    finally:
        driven.close()
    assert len(ratios) == 12
    assert {name: ratio for name, ratio in ratios.items() if ratio < 4.5} == {}


CONTRAST = """(() => {
  const probe = document.body.appendChild(document.createElement("i"));
  const light = (name) => {
    probe.style.color = `var(--${name})`;
    const parts = getComputedStyle(probe).color.match(/[0-9.]+/g).slice(0, 3).map((part) => part / 255);
    const [r, g, b] = parts.map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = {};
  for (const ground of ["paper", "panel"]) for (const ink of ["ink", "muted", "link", "pass", "fail", "warn"]) {
    const pair = [light(ground), light(ink)].sort((a, b) => b - a);
    found[`${ink} on ${ground}`] = (pair[0] + 0.05) / (pair[1] + 0.05);
  }
  return found;
})()"""


@pytest.mark.parametrize("width", [380, 800, 1400])
def test_the_page_is_never_wider_than_the_window(page: Browser, width: int) -> None:
    page.size(width, 900)
    page.run("open('1.2.1')")
    assert page.run("document.documentElement.scrollWidth") <= width
    page.size(1400, 900)
