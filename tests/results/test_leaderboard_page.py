"""The leaderboard's page in a real Chromium: hostile text is inert, filters, sorting, keyboard, narrow and wide."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mlbench.results.leaderboard.check_record import CheckOutcome
from mlbench.results.leaderboard.site import write_site
from tests.results.headless import NEEDS_CHROMIUM, Browser
from tests.results.log_factory import rows, run
from tests.results.submissions_at_work import made, rejudged

pytestmark = NEEDS_CHROMIUM

HOSTILE = '</script><img src=x onerror="document.title=\'pwned\'"><script>document.title="pwned"</script>'
ENTRIES = (
    "[...document.querySelectorAll('.board:not([hidden]) .entries tbody tr:not([hidden]) th')]"
    ".map((th) => th.firstChild.textContent.trim())"
)
LINKS = "[...document.querySelectorAll('a')].map((a) => a.getAttribute('href'))"


def whole(share: int) -> list[str]:
    """Passes of the whole split, of which so many in ten pass."""
    return ["1" if n % 10 < share else "0" for n in range(260)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four submissions of a whole split, one hostile, one forged, and one of a part that would be first."""
    root = tmp_path_factory.mktemp("leaderboard")
    good = made(root, "good", whole(9), name="good", open_weights=True, organisation="An Organisation")
    rejudged(good, run(rows(whole(9)), each=1))
    made(root, "middle", whole(5), name="middle", run_as={"setting": "code"}, open_weights=False)
    forged = made(root, "forged", ["1"] * 260, name="forged")
    rejudged(forged, run(rows(whole(2)), each=1), outcome=CheckOutcome.DIFFERS)
    hostile = {"name": HOSTILE, "organisation": HOSTILE[:190], "notes": HOSTILE, "model": "a/b/../<b>"}
    made(root, "hostile", whole(1), run_as={"setting": '"><b>x'}, url='https://example.org/"onclick="x', **hostile)
    made(root, "part", ["1"], name="part")
    page, skipped = write_site(root, tmp_path_factory.mktemp("site"))
    assert skipped == []
    return page


@pytest.fixture(scope="module", params=[(400, False), (400, True), (1000, False), (1600, False), (1600, True)])
def sized(request: pytest.FixtureRequest, site: Path) -> Iterator[Browser]:
    width, dark = request.param
    with Browser(width=width, height=900, dark=dark) as driven:
        driven.open(site.as_uri())
        yield driven


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as driven:
        yield driven


@pytest.fixture
def page(browser: Browser, site: Path) -> Browser:
    return browser.afresh(site.as_uri())


def _choose(page: Browser, name: str, value: str) -> None:
    script = f"(() => {{ const box = filters.elements['{name}']; box.value = {value!r};"
    page.run(script + "box.dispatchEvent(new Event('input', { bubbles: true })); })()")


def test_it_fits_at_every_width(sized: Browser) -> None:
    assert sized.run("document.documentElement.scrollWidth") == sized.run("innerWidth")
    assert sized.errors == []


def test_text_stands_out_in_light_and_dark(sized: Browser) -> None:
    """Text and paper differ by 4.5 to 1 at least (WCAG 2 AA), also on the darkest cell of the heat map."""
    contrast = """
      (() => {
        const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
        const light = (colour) => {
          canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
          const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => {
            const share = part / 255; return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4; });
          return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const paper = getComputedStyle(document.body).backgroundColor;
        const ratio = (one, other) => {
          const [less, more] = [light(one), light(other)].sort((a, b) => a - b);
          return (more + 0.05) / (less + 0.05);
        };
        const cells = [...document.querySelectorAll(".heat td[style]")].map((cell) =>
          ratio(getComputedStyle(cell.firstElementChild).color, getComputedStyle(cell).backgroundColor));
        const selectors = ["body", ".note", ".entries small", ".badge .rejudged", ".badge .differs", ".entries a"];
        const texts = selectors.map((each) => ratio(getComputedStyle(document.querySelector(each)).color, paper));
        return Math.min(...cells, ...texts);
      })()
    """
    assert sized.run(contrast) >= 4.5


def test_what_a_submission_says_is_inert(page: Browser) -> None:
    assert page.run("document.title") == "ml-bench leaderboard"
    assert page.run("document.querySelectorAll('img, script, b').length") <= 1 + page.run(
        "document.querySelectorAll('td.n b, #checks .note b').length"
    )
    assert page.run("document.querySelectorAll('img').length") == 0
    assert "<img src=x onerror" in str(page.run("document.body.textContent"))
    assert page.run("document.querySelectorAll('[onclick]').length") == 0
    away = [link for link in page.run(LINKS) if not link.startswith(("#", "attempts/"))]
    assert away and all(link.startswith("https://example.org/") for link in away)
    assert page.requests[1:] == [] and page.errors == []


def test_entries_for_a_part_come_last_and_forged_ones_as_judged(page: Browser) -> None:
    names = page.run(ENTRIES)
    assert [names[0], names[1], names[2], names[4]] == ["good", "forged", "middle", "part"]
    row = page.run(
        "[...document.querySelectorAll('.entries tr')].find((r) => r.textContent.includes('forged')).innerText"
    )
    assert "20.0" in row and "claimed 100.0 %" in row
    assert "claimed 1 (n 4), judged 0.5 (n 4)" in page.run("document.querySelector('#checks').innerText")


def test_columns_sort_both_ways_and_say_so(page: Browser) -> None:
    buttons = "[...document.querySelectorAll('.board:not([hidden]) th button')]"
    button = f"{buttons}.find((b) => b.textContent.startsWith('pass@1'))"
    assert page.run(f"{button}.closest('th').ariaSort") == "descending"
    page.run(f"{button}.focus()")
    page.press("Enter", 13, "\r")
    assert page.run(f"{button}.closest('th').ariaSort") == "ascending"
    names = page.run(ENTRIES)
    assert (names[:2], names[3:]) == (["forged", "good"], ["middle", "part"])  # claims stay below
    assert page.run("document.querySelectorAll('.board:not([hidden]) [aria-sort]').length") == 1


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("setting", "code", ["middle"]),
        ("outcome", "differs", ["forged"]),
        ("weights", "open", ["good"]),
        ("q", "an ORGANISATION", ["good"]),
        ("q", "nothing like it", []),
    ],
)
def test_filters(page: Browser, name: str, value: str, found: list[str]) -> None:
    _choose(page, name, value)
    assert page.run(ENTRIES) == found
    assert page.run("document.querySelector('#status').textContent") == f"{len(found)} of 5 entries"
    others = "document.querySelectorAll('.board:not([hidden]) .heat tbody tr:not([hidden])').length"
    assert page.run(others) == len(found)
    page.run("filters.querySelector('button[type=reset]').click()")
    page.until("document.querySelector('#status').textContent === '5 of 5 entries'")


def test_a_board_shows_one_policy(page: Browser) -> None:
    boards = page.run("[...filters.elements.board.options].map((o) => o.textContent)")
    assert boards[0].startswith("pocket version 3, split full, policy strict")
    page.run("filters.elements.board.selectedIndex = 1; filters.dispatchEvent(new Event('input'))")
    assert page.run("document.querySelectorAll('.board:not([hidden])').length") == 1
    assert "policy paper" in page.run("document.querySelector('.board:not([hidden]) h2').textContent")


def test_the_keyboard_suffices(page: Browser) -> None:
    page.press("Tab", 9)
    assert page.run("document.activeElement.className") == "skip"
    assert page.run("document.activeElement.getBoundingClientRect().left >= 0")
    page.press("/", 191, "/")
    assert page.run("document.activeElement.name") == "q" and page.run("filters.elements.q.value") == ""
    parts = "[...document.querySelectorAll('.board:not([hidden]) svg a, .wide')]"
    assert page.run(f"{parts}.every((each) => each.tabIndex >= 0 && each.ariaLabel)")


def test_every_control_has_a_name(page: Browser) -> None:
    controls = "[...document.querySelectorAll('a, button, input, select, [role=region], [role=group]')]"
    assert page.run(f"{controls}.every((each) => each.ariaLabel || each.textContent.trim() || each.labels?.length)")
    assert page.run("[...document.querySelectorAll('th')].every((th) => th.scope)")
    ids = page.run("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in page.run(LINKS) if link.startswith("#")} <= set(ids)


def test_a_link_to_an_entry_shows_its_board(page: Browser, site: Path) -> None:
    page.open(f"{site.as_uri()}#board-2-20260102_good")
    page.run("location.hash = '#board-2-20260102_good'")
    page.until("!document.querySelector('#board-2').hidden && document.querySelector('#board-1').hidden")


def test_without_its_script_the_page_shows_every_board(browser: Browser, site: Path) -> None:
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    browser.call("Page.navigate", url=site.as_uri())
    try:
        browser.until("document.querySelectorAll('.board').length === 2")
        assert browser.run("document.querySelectorAll('.board:not([hidden])').length") == 2
        assert browser.run("filters.hidden") or browser.run("document.querySelector('#filters').hidden")
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
