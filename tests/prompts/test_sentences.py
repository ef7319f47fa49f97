"""Where sentences end."""

from __future__ import annotations

import sys

import pytest

from mlbench.prompts import sentences
from mlbench.records import UsageError


def split(text: str) -> list[str]:
    return [text[place] for place in sentences.split(text)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Use 0.1 or 1e-4. Then go.", ["Use 0.1 or 1e-4.", "Then go."]),
        ("See Fig. 2, e.g. This one, of J. Smith et al. 2020. Done.", None),
        ("Call model.fit(x). Then **stop.** Now.", ["Call model.fit(x).", "Then **stop.**", "Now."]),
        ("1. Install it.\n2. Run it.", ["1. Install it.", "2. Run it."]),
        ("It ends (really.) And on", ["It ends (really.)", "And on"]),
        ("wait... and go. Now", ["wait... and go.", "Now"]),
        ("  \n\n ", []),
        ("", []),
    ],
)
def test_rules(text: str, wanted: list[str] | None) -> None:
    expected = wanted if wanted is not None else ["See Fig. 2, e.g. This one, of J. Smith et al. 2020.", "Done."]
    assert split(text) == expected


def test_code_without_a_stop_ends_at_a_line() -> None:
    lines = [f"value_{number} = call(number)\n" for number in range(300)]
    found = split("".join(lines))
    assert len(found) > 1
    assert all(len(piece) < sentences.LONGEST + 40 for piece in found)
    assert "\n".join(found) == "".join(lines).strip()


def test_a_million_stops_take_no_square_of_time() -> None:
    """`[.!?]+` that must be followed by white space was tried from each of them."""
    assert len(split("." * 1_000_000 + "x")) == 1


def test_punkt_is_taken_only_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk", None)  # as if it were not installed
    sentences.splitter.cache_clear()
    assert sentences.splitter("auto").name == sentences.splitter("rules").name == "rules-1"
    with pytest.raises(UsageError, match="Punkt is not to be had .*nltk"):
        sentences.splitter("punkt")
    sentences.splitter.cache_clear()
