"""Where sentences end."""

from __future__ import annotations

import pytest

from mlbench.prompts import sentences


def split(text: str) -> list[str]:
    return [text[place] for place in sentences.split(text)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Use 0.1 or 1e-4. Then go.", ["Use 0.1 or 1e-4.", "Then go."]),
        ("Call model.fit(x). Then stop.", ["Call model.fit(x).", "Then stop."]),
        (
            "# A heading\n\n- an item\n- another\n\nIt ends. Here",
            ["# A heading\n\n- an item\n- another\n\nIt ends.", "Here"],
        ),
        ("  \n\n ", []),
        ("", []),
    ],
)
def test_sentences_end_where_punkt_ends_them(text: str, wanted: list[str]) -> None:
    assert split(text) == wanted


@pytest.mark.parametrize("text", ["." * 300_000 + "x", ". " * 100_000, ".)" * 100_000, '."' * 100_000, "x" * 1_000_000])
def test_long_hostile_text_is_split(text: str) -> None:
    """An expression that tried each of the stops again would not come to an end here."""
    assert split(text)
