"""The last line that a program printed: what it says before it ends with a bare exit code."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TextIO

_LONGEST = 500  # characters


def watch() -> Callable[[], str]:
    """Watch what this process prints; return a function that returns the last line."""
    kept: list[str] = []
    sys.stdout, sys.stderr = LastLine(sys.stdout, kept), LastLine(sys.stderr, kept)
    return lambda: kept[0] if kept else ""


class LastLine:
    """A text stream that keeps the last line which is not blank in `kept`; all else is the original stream's."""

    def __init__(self, stream: TextIO, kept: list[str]) -> None:
        self._stream, self._kept = stream, kept

    def write(self, text: str) -> int:
        """Pass the text on."""
        if isinstance(text, str) and text.strip():
            self._kept[:] = [text.strip().rpartition("\n")[2][-_LONGEST:]]
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
