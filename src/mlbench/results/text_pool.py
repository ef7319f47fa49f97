"""Texts on the report's page: shortened where they are long, each held once."""

from __future__ import annotations

from mlbench.truncate import head_and_tail

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]

LONGEST = 100_000
"""Characters of one text on the page; a longer one keeps its head and its tail."""


class Texts:
    """Texts by number, each held once: a prompt is shared by all attempts and runs that were shown it."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self._numbers.setdefault(head_and_tail(text, LONGEST), len(self._numbers))

    def all(self) -> list[str]:
        return list(self._numbers)
