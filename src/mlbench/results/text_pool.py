"""Texts on the report's page: shortened where they are long, each held once."""

from __future__ import annotations

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]

LONGEST = 100_000
"""Characters of one text on the page; of a longer one, the first 60 % and the last 40 % are kept."""


class Texts:
    """Texts by number, each held once: a prompt is shared by all attempts and runs that were shown it."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self._numbers.setdefault(shortened(text), len(self._numbers))

    def all(self) -> list[str]:
        return list(self._numbers)


def shortened(text: str, longest: int = LONGEST) -> str:
    """At most about `longest` characters, head and tail; what is left out is said."""
    if len(text) <= longest:
        return text
    head, tail = longest * 6 // 10, longest * 4 // 10
    return f"{text[:head]}\n\n[… {len(text) - head - tail:,} characters left out …]\n\n{text[-tail:]}"
