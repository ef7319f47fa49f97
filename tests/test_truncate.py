"""One way to shorten a long text."""

from __future__ import annotations

from mlbench.truncate import head_and_tail


def test_a_long_text_keeps_its_head_and_its_tail() -> None:
    assert head_and_tail("a" * 3000 + "b" * 3000, 1000) == "a" * 500 + "\n[5,000 characters left out]\n" + "b" * 500


def test_a_short_text_stays() -> None:
    assert head_and_tail("a" * 1000, 1000) == "a" * 1000
