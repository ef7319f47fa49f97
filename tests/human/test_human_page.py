"""The page for people in a real Chromium: keys suffice, nothing typed is lost, the clock counts active time only."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mlbench.human.server import HumanServer
from mlbench.human.service import HumanService
from mlbench.human.session import HumanSession
from mlbench.human.session_records import session_plan
from tests.results.headless import NEEDS_CHROMIUM, Browser, served
from tests.suite_builder.reviewing import made

pytestmark = NEEDS_CHROMIUM

CTRL, ALT = 2, 1


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser(1280, 900) as driven:
        yield driven


@pytest.fixture
def session(tmp_path: Path) -> HumanSession:
    plan = session_plan(str(made(tmp_path / "small")), split="id_train", setting="oracle", k=2)
    return HumanSession.begin(tmp_path / "taken", plan)


@pytest.fixture
def page(browser: Browser, session: HumanSession) -> Iterator[Browser]:
    with served(HumanServer(HumanService(session)), browser) as open_page:
        yield open_page
        open_page.leave()


def press(page: Browser, key: str, code: int, modifiers: int) -> None:
    for kind in ("rawKeyDown", "keyUp"):
        page.call(
            "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, modifiers=modifiers
        )


def submit(page: Browser, text: str) -> None:
    page.call("Input.insertText", text=text)
    press(page, "Enter", 13, CTRL)


def shows(page: Browser, row: int) -> None:
    page.until(f"state.view?.id === {row} && !busy && document.activeElement.id === 'answer'")


def text_of(page: Browser, selector: str) -> str:
    return str(page.run(f"document.querySelector({selector!r}).innerText"))


def test_a_row_is_answered_by_keys_alone(page: Browser, session: HumanSession) -> None:
    first, second, third = session.plan.rows
    shows(page, first)
    assert text_of(page, "#counts") == "0 of 3 rows done: 0 answered"
    submit(page, "python train.py --rate 0.1")
    shows(page, second)
    assert text_of(page, "#said") == f"Row {first}: answer 1 is stored." and page.run("$('#answer').value") == ""
    press(page, "ArrowDown", 40, ALT)  # skipped
    shows(page, third)
    submit(page, "python train.py")
    shows(page, second)  # around the end of the list
    press(page, "ArrowUp", 38, ALT)
    shows(page, first)
    assert "python train.py --rate 0.1" in text_of(page, "#given") and "1 more possible" in text_of(page, "#label")
    submit(page, "python train.py --rate 0.2")
    shows(page, second)
    submit(page, "python train.py --mode slow")
    page.until("$('#said').textContent.includes('No row is left')")
    assert [len(session.work(row).attempts) for row in session.plan.rows] == [2, 1, 1]
    assert text_of(page, "#counts") == "3 of 3 rows done: 3 answered"
    page.run(f"open({first})")
    page.until("$('#answer').disabled && $('#label').textContent === 'All 2 answers are given'")
    assert page.errors == []


def test_what_is_typed_survives_the_browser(page: Browser, session: HumanSession) -> None:
    row = session.plan.rows[0]
    page.call("Input.insertText", text="python tr\u00e4in 'half")
    page.until("$('#stored').textContent.startsWith('stored')")
    assert session.work(row).draft == "python tr\u00e4in 'half"
    page.call("Page.reload")
    page.until("document.documentElement?.dataset.ready === 'yes' && state.view?.draft !== ''")
    assert page.run("$('#answer').value") == "python tr\u00e4in 'half"
    page.call("Input.insertText", text=" more")
    page.run(f"open({session.plan.rows[1]})")  # at once, before the next regular store
    page.until(f"state.view.id === {session.plan.rows[1]}")
    assert session.work(row).draft.endswith(" more") or session.work(row).draft.startswith(" more")
    assert page.errors == []


def test_a_page_that_is_left_stores_at_once(page: Browser, session: HumanSession) -> None:
    page.call("Input.insertText", text="left")
    page.run("window.dispatchEvent(new Event('pagehide')), pending.then(() => 1)")
    assert session.work(session.plan.rows[0]).draft == "left"


def test_the_clock_counts_active_time_only(page: Browser, session: HumanSession) -> None:
    def passes(milliseconds: int) -> float:
        before = page.run("(tick(), clock.seconds)")
        return float(page.run(f"(clock.last -= {milliseconds}, tick(), clock.seconds)")) - float(before)

    assert 1.49 < passes(1500) < 2.01
    assert 1.99 < passes(3_600_000) < 2.01  # the computer slept
    page.run("Object.defineProperty(document, 'visibilityState', {value: 'hidden', configurable: true})")
    page.run("document.dispatchEvent(new Event('visibilitychange'))")
    assert passes(1500) == 0 and page.run("$('#clock').classList.contains('still')")
    page.run("delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange'))")
    page.run("$('.tools [data-do=pause]').click()")
    assert passes(1500) == 0
    assert page.run("$('#row').hidden") and text_of(page, "#paused h2") == "Paused"
    page.run("$('#paused [data-do=pause]').click()")
    assert passes(1500) > 1.49 and not page.run("$('#row').hidden")
    counted = page.run("(store(), clock.seconds)")
    page.run("pending.then(() => 1)")
    assert session.work(session.plan.rows[0]).seconds >= 4.9 and counted >= 4.9


def test_a_page_without_a_row_in_its_address_opens_the_first_open_row(browser: Browser, tmp_path: Path) -> None:
    """Row 0 was opened whenever a suite had one: an empty address was read as 0."""
    session = HumanSession.begin(
        tmp_path / "full", session_plan(str(made(tmp_path / "small")), split="full", setting="oracle")
    )
    session.submit(0, "python train.py", 1, 1)
    with served(HumanServer(HumanService(session)), browser) as page:
        assert page.run("state.view.id") == 1
        page.leave()


def test_giving_up_asks_first(page: Browser, session: HumanSession) -> None:
    first, second, _ = session.plan.rows
    page.run("$('[data-do=give-up]').click()")
    page.run("$('#giving-up button[value=no]').click()")
    assert not session.work(first).given_up
    page.run("$('[data-do=give-up]').click()")
    page.run("$('#giving-up button[value=yes]').click()")
    shows(page, second)
    assert session.work(first).given_up and "1 given up" in text_of(page, "#counts")


def test_an_empty_answer_is_not_sent(page: Browser, session: HumanSession) -> None:
    press(page, "Enter", 13, CTRL)
    page.until("$('#fault').textContent.startsWith('The answer is empty')")
    assert session.work(session.plan.rows[0]).attempts == ()


def test_hostile_documents_are_shown_and_do_nothing(page: Browser) -> None:
    text = text_of(page, "#documents")
    assert "<script>document.title = 'taken'</script>" in text and "\u241b[31mred" in text
    assert page.run("document.title") == "Human baseline \u00b7 ml-bench"
    own = page.run("location.origin")
    assert all(request.startswith((own, "data:")) for request in page.requests)
    assert page.errors == []


def test_an_ended_command_is_told_and_the_text_stays(browser: Browser, session: HumanSession) -> None:
    with served(HumanServer(HumanService(session)), browser):
        pass
    submit(browser, "python train.py")
    browser.until("$('#fault').textContent.startsWith('The command has ended')")
    assert browser.run("$('#answer').value") == "python train.py"
    browser.call("Page.navigate", url="about:blank")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 560, 800, 1280, 1600])
def test_it_is_readable_at_every_width(page: Browser, width: int, dark: bool) -> None:
    page.size(width, 900)
    scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    page.call("Emulation.setEmulatedMedia", features=scheme)
    try:
        assert page.run("document.documentElement.scrollWidth <= innerWidth")
        wide = page.run("$('#answer').getBoundingClientRect().width")
        assert wide >= min(360, width - 60)
        ink, paper = page.run(
            "[getComputedStyle($('#instruction')).color, getComputedStyle(document.body).backgroundColor]"
            ".map((colour) => colour.match(/\\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0))"
        )
        assert abs(ink - paper) > 400 and (ink > paper) is dark
    finally:
        page.size(1280, 900)
        page.call("Emulation.setEmulatedMedia", features=[])


def test_a_long_list_makes_no_empty_space_below_a_narrow_page(page: Browser) -> None:
    """The hidden words of 80 list entries made the page as long as the whole list."""
    page.size(390, 300)
    try:
        rows = "Array.from({length: 80}, (_, at) => ({...state.session.rows[0], id: 1000 + at}))"
        page.run(f"(state.session.rows = {rows}, showList())")
        end = page.run("scrollY + $('main').getBoundingClientRect().bottom")
        assert page.run("document.documentElement.scrollHeight") <= max(300, end + 2)
    finally:
        page.size(1280, 900)


def test_every_control_has_a_name_and_the_focus_is_seen(page: Browser) -> None:
    unnamed = page.run(
        "[...document.querySelectorAll('button, a, textarea')].filter((each) =>"
        " !(each.innerText?.trim() || each.labels?.length || each.textContent.trim())).length"
    )
    assert unnamed == 0
    press(page, "Escape", 27, 0)
    page.until("document.activeElement.matches('#list a')")
