"""Store the texts of the report's page, each one once."""

from __future__ import annotations

from mlbench.truncate import head_and_tail

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]

LONGEST = 100_000
"""Characters of one text on the page; a longer one keeps its head and its tail."""


class Texts:
    """Numbered texts. Equal texts share a number: many attempts have the same prompt."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self._numbers.setdefault(head_and_tail(text, LONGEST), len(self._numbers))

    def all(self) -> list[str]:
        return list(self._numbers)
