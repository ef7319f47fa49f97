"""The report on narrow and wide screens: seven runs fit, differences are marked, reasons are explained."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from mlbench.records import Policy
from mlbench.results.explanations import explained
from mlbench.results.models import RunRecord
from mlbench.results.report import write_report
from tests.results.headless import NEEDS_CHROMIUM, Browser
from tests.results.log_factory import attempt, figure, file, left_behind, mixed, run

pytestmark = NEEDS_CHROMIUM

RUNS = 7
EXIT_0 = explained(Policy.STRICT, "exit-0")
METRICS = file("out/a.json", "{'acc': 0.93, 'epochs': 3}", "{'acc': 0.71, 'epochs': 3}", "out/a.json: acc: 0.71")
DEEP = file("out/b.txt", "a " * 400 + "north", "a " * 400 + "south", "out/b.txt: word 401")
TEXTS = "(selector) => [...document.querySelectorAll(selector)].map((part) => part.textContent)"


def _runs() -> list[RunRecord]:
    """Seven runs with names as long as real ones; in the first, row 9 has an outcome."""
    outcome = left_behind(METRICS, DEEP, figure("0.75", False))
    code = "cd lichen && python train.py --lr 0.15 --dataset karate"
    special = attempt(9, 1, False, candidate=code, outcome=outcome)
    runs = [replace(mixed(), model=f"provider/model-of-33-billion-instruct-{number}") for number in range(RUNS)]
    return [run([*runs[0].attempts, special], each=3, model=runs[0].model), *runs[1:]]


@pytest.fixture(scope="module", params=[(390, False), (390, True), (1280, False), (1280, True)])
def page(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    width, dark = request.param
    with Browser(width=width, height=900, dark=dark) as driven:
        driven.open(write_report(_runs(), tmp_path_factory.mktemp("report")).as_uri())
        yield driven


def _width(page: Browser) -> int:
    return int(page.run("innerWidth"))


def test_seven_runs_fit(page: Browser) -> None:
    """Seven runs, a group of columns each, ran off a page of 1,300 pixels."""
    for policy in ("strict", "paper"):
        page.run(f"change({{ policy: '{policy}', a: '' }})")
        assert page.run("document.documentElement.scrollWidth") == _width(page)
        wide = page.run(
            "[...document.querySelectorAll('.wide')].filter((part) => part.checkVisibility()"
            " && part.scrollWidth > part.clientWidth).length"
        )
        assert _width(page) < 1280 or wide == 0


def test_runs_are_rows(page: Browser) -> None:
    heads = page.run(f"({TEXTS})('.summary:not([hidden]) thead th')")
    assert not [head for head in heads if "instruct" in head]
    groups = page.run(f"({TEXTS})('.summary:not([hidden]) .head th')")
    assert any("missing-argument" in group for group in groups) and any("lichen" in group for group in groups)


def test_reasons_are_explained_in_their_table(page: Browser) -> None:
    text = str(page.run("document.querySelector('.summary:not([hidden])').innerText"))
    assert EXIT_0 in text and "knowledge manipulation" in text
    title = "list.querySelector('tr[data-key=\"1.1.1\"] td:nth-last-child(2)').title"
    assert page.run(title) == EXIT_0


def test_an_attempt_fits(page: Browser) -> None:
    page.run("open('1.9.1')")
    assert page.run("document.documentElement.scrollWidth") == _width(page)
    assert page.run("detail.scrollWidth <= detail.clientWidth")
    assert page.errors == []


def test_differences_are_marked(page: Browser) -> None:
    page.run("open('1.9.1')")
    assert page.run(f"({TEXTS})('.pair div:nth-child(1) mark')") == ["cd lichen &&", "0.15"]
    assert page.run(f"({TEXTS})('.pair div:nth-child(2) mark')") == ["0.1"]
    assert page.run(f"({TEXTS})('.left mark')") == ["0.93", "0.71", "north", "south"]
    assert page.run(f"({TEXTS})('.arguments mark')") == ["0.1", "0.15"]
    page.run("open('1.1.1')")  # its outcome was not compared; the code lacks all arguments
    assert page.run(f"({TEXTS})('.pair mark')") == ["--lr 0.1 --dataset karate"]


def test_texts_that_are_too_long_to_compare_have_no_marks(page: Browser) -> None:
    words = "Array.from({ length: 3000 }, (_, at) => SIGN + at).join(' ')"
    first, second = words.replace("SIGN", "'a'"), words.replace("SIGN", "'b'")
    assert page.run(f"differing({first}, {second}).map((parts) => parts.length)") == [1, 1]
    assert page.run(f"differing({first} + ' x', {first} + ' y')[0].at(-1)") == ["x", True]
    assert page.run("differing('', 'a')") == [[["", False]], [["a", False]]]


def test_marks_have_contrast(page: Browser) -> None:
    """Text on a mark has at least 4.5 : 1 (WCAG AA)."""
    page.run("open('1.9.1')")
    ratio = page.run("""(() => {
      const style = getComputedStyle(document.querySelector("mark"));
      const light = (colour) => {
        const parts = colour.match(/[0-9.]+/g).slice(0, 3).map((part) => part / 255);
        const [r, g, b] = parts.map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const pair = [light(style.color), light(style.backgroundColor)].sort((a, b) => b - a);
      return (pair[0] + 0.05) / (pair[1] + 0.05);
    })()""")
    assert ratio >= 4.5
