"""A text as its numbers and words, so that two outputs can be compared by value."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf)\b", re.IGNORECASE)

_TOKENS = re.compile(rf"{_NUMBER.pattern}|[A-Za-z_]+|[^\sA-Za-z_]", re.IGNORECASE)


class TextContent:
    """A text as its numbers and words."""

    def __init__(self, text: str) -> None:
        self.tokens = _TOKENS.findall(text)
        self.lines = text.splitlines()

    def without(self, columns: Sequence[str]) -> TextContent:
        """Drop columns of a table by the names in its first line."""
        names = self.lines[0].split(",") if self.lines else []
        left_out = {column for column, name in enumerate(names) if name.strip() in columns}
        if not left_out:
            return self
        kept = [",".join(c for p, c in enumerate(line.split(",")) if p not in left_out) for line in self.lines]
        return TextContent("\n".join(kept))


def is_number(token: str) -> bool:
    """Whether a token of a text is a number."""
    return _NUMBER.fullmatch(token) is not None
