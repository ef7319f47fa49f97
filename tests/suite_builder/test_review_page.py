"""The review's page in a real Chromium: the keyboard suffices, faults are shown in place, hostile text is inert."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mlbench.suite_builder.review.server import ReviewServer
from mlbench.suite_builder.review.service import ReviewService
from tests.results.headless import NEEDS_CHROMIUM, Browser, served
from tests.suite_builder.reviewing import BLOCK, made

pytestmark = NEEDS_CHROMIUM

CODES = {"Enter": (13, "\r"), "Escape": (27, "")}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser(1280, 900) as driven:
        yield driven


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return made(tmp_path / "small")


@pytest.fixture
def page(browser: Browser, suite: Path) -> Iterator[Browser]:
    with served(ReviewServer(ReviewService(suite)), browser) as open_page:
        yield open_page
        open_page.leave()


def recipe(suite: Path, task: str = "block") -> str:
    return (suite / "recipes" / "pulsar" / f"{task}.yaml").read_text()


def keys(page: Browser, *presses: str) -> None:
    for key in presses:
        code, text = CODES.get(key, (ord(key[0].upper()), key))
        page.press(key, code, text)


def types(page: Browser, text: str) -> None:
    page.call("Input.insertText", text=text)


def decided(page: Browser, number: int) -> None:
    page.until(f"state.suite.decided === {number} && !busy")


def text_of(page: Browser, selector: str) -> str:
    return str(page.run(f"document.querySelector({selector!r}).innerText"))


def test_it_shows_a_task_with_all_that_is_needed(page: Browser) -> None:
    assert page.run("document.activeElement.dataset.key") == "pulsar/block"
    text = text_of(page, "#task")
    for part in (
        "Run `python train.py --rate 0.1 --mode slow`",
        "--mode {{ mode }}",
        "slowly",
        "Five:",
        "Row ",
        "id_train",
    ):
        assert part in text
    assert text_of(page, "#counts") == "0 of 2 tasks decided: 0 accepted, 0 rejected"
    assert page.errors == []


def test_accept_and_undo_by_keys(page: Browser, suite: Path) -> None:
    keys(page, "a")
    decided(page, 1)
    assert "reviewed: accepted\n" in recipe(suite)
    assert page.run("keyOf(state.view)") == "pulsar/flow"  # the next that is open
    assert page.run("linkOf('pulsar/block').textContent").startswith("✓block, accepted")
    keys(page, "u")
    decided(page, 0)
    assert recipe(suite) == BLOCK and page.run("keyOf(state.view)") == "pulsar/block"
    assert text_of(page, "#said") == "undone: accepted, pulsar/block"
    assert page.errors == []


def test_a_rejection_asks_why(page: Browser, suite: Path) -> None:
    keys(page, "r", "Enter")
    assert page.run("$('#rejecting').open") and text_of(page, "#rejecting .fault") == "A rejection needs a reason."
    types(page, "a j k u: <b>wrong</b>")  # letters are letters here
    keys(page, "Enter")
    decided(page, 1)
    assert "rejected: 'a j k u: <b>wrong</b>'\n" in recipe(suite)
    keys(page, "k")
    page.until("keyOf(state.view) === 'pulsar/block'")
    assert "Rejected: a j k u: <b>wrong</b>" in text_of(page, "#task")
    keys(page, "r", "Escape")
    assert not page.run("$('#rejecting').open") and page.run("document.activeElement.dataset.key") == "pulsar/block"
    assert page.errors == []


def test_a_row_is_rejected_and_taken_back(page: Browser, suite: Path) -> None:
    keys(page, "J", "J", "K", "J")
    assert page.run("document.activeElement.dataset.row") == "1"
    keys(page, "a")
    assert "accepted with its task" in text_of(page, "#said")
    keys(page, "r")
    types(page, "odd")
    keys(page, "Enter")
    decided(page, 1)
    assert "exclude:\n  - {rate: " in recipe(suite) and "  # odd\n" in recipe(suite)
    assert page.run("document.activeElement.ariaLabel").endswith(", rejected")
    assert "✗ rejected: odd" in text_of(page, "#task")
    keys(page, "a")
    decided(page, 2)
    assert recipe(suite) == BLOCK
    keys(page, "Escape")
    assert page.run("document.activeElement.dataset.key") == "pulsar/block"
    assert page.errors == []


def test_an_edit_with_a_fault_stays_open_until_it_is_mended(page: Browser, suite: Path) -> None:
    keys(page, "e")
    page.until("$('#editing').open")
    box = "$('#editing textarea')"
    assert page.run(f"document.activeElement === {box}") and page.run(f"{box}.value") == BLOCK

    def put(old: str, new: str) -> None:
        page.run(
            f"{box}.setRangeText({new!r}, {box}.value.indexOf({old!r}), {box}.value.indexOf({old!r}) + {len(old)})"
        )
        page.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", windowsVirtualKeyCode=13, modifiers=2)
        page.until("!busy && !$('#editing .fault').textContent.startsWith('Checking')")

    put("quickly: fast", "quickly: rapid")
    assert "refuses it (invalid-choice" in text_of(page, "#editing .fault") and recipe(suite) == BLOCK
    put("quickly: rapid", "quickly: [rapid")
    assert "not YAML" in text_of(page, "#editing .fault")
    put("quickly: [rapid", "swiftly: fast")
    decided(page, 1)
    assert not page.run("$('#editing').open") and recipe(suite) == BLOCK.replace("quickly", "swiftly")
    assert "swiftly" in text_of(page, "#task")
    keys(page, "u")
    decided(page, 0)
    assert recipe(suite) == BLOCK
    assert [error for error in page.errors if "422" not in error] == []  # the browser notes each refusal


def test_what_was_typed_is_not_dropped_by_one_key(page: Browser) -> None:
    keys(page, "e")
    types(page, "# mine\n")
    keys(page, "Escape")
    assert page.run("$('#editing').open") and "once more" in text_of(page, "#editing .fault")
    keys(page, "Escape")
    page.until("!$('#editing').open")


def test_a_file_changed_on_disk_is_shown_anew(page: Browser, suite: Path) -> None:
    (suite / "recipes" / "pulsar" / "block.yaml").write_text(BLOCK + "note: somebody else was here\n")
    keys(page, "a")
    page.until("$('#fault').textContent")
    assert "block.yaml was changed on disk" in text_of(page, "#fault")
    assert "somebody else was here" in text_of(page, "#task") and "reviewed" not in recipe(suite)


def test_the_filter(page: Browser) -> None:
    keys(page, "/")
    types(page, "FLOW open")
    assert page.run("document.querySelectorAll('#list a').length") == 1
    keys(page, "Enter")
    assert page.run("document.activeElement.dataset.key") == "pulsar/flow"
    keys(page, "j")
    page.until("keyOf(state.view) === 'pulsar/flow'")
    keys(page, "/")
    types(page, "nothing like it")
    assert text_of(page, "#list") == "No task matches the filter."
    keys(page, "Escape")
    assert page.run("document.activeElement.id") == "task" and page.errors == []


def test_help_and_names_for_readers_of_the_screen(page: Browser) -> None:
    keys(page, "?")
    assert page.run("$('#helping').open")
    keys(page, "Escape")
    page.until("!$('#helping').open")
    tree = page.call("Accessibility.getFullAXTree")["nodes"]
    named = {(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree if "role" in node}
    for role, name in (("navigation", "Tasks"), ("button", "Accept a"), ("searchbox", "Filter /"), ("main", "")):
        assert (role, name) in named
    unnamed = [
        role for role, name in named if role in ("button", "link", "textbox", "searchbox", "article") and not name
    ]
    assert unnamed == []


def test_hostile_text_is_inert(page: Browser) -> None:
    text = str(page.run("document.querySelector('#task').textContent"))
    assert "<script>document.title = 'taken'</script>" in text and "\u241b[31mred" in text and "\x1b" not in text
    assert "<img src=x onerror=document.title=1>" in text
    assert page.run("document.title") == "Review · ml-bench"
    assert page.run("document.querySelectorAll('img, #task script').length") == 0
    page.run(
        "document.body.insertAdjacentHTML('beforeend', '<img src=http://192.0.2.1/ onerror=\"document.title=1\">')"
    )
    assert page.run("fetch('http://192.0.2.1/').then(() => 'sent', () => 'stopped')") == "stopped"
    assert page.run("document.title") == "Review · ml-bench"


def test_nothing_is_asked_of_anybody_else(page: Browser) -> None:
    keys(page, "j", "k", "J")
    assert [url for url in page.requests if not url.startswith(("http://127.0.0.1:", "data:", "about:"))] == []


@pytest.mark.parametrize("width", [500, 800, 1280])
def test_the_page_is_never_wider_than_the_window(page: Browser, width: int) -> None:
    page.size(width, 900)
    assert page.run("document.documentElement.scrollWidth") <= width
    page.size(1280, 900)
