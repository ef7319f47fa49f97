"""The logical lines of source text: statements over several lines, read by tokens, in any version of Python."""

from __future__ import annotations

import bisect
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 14
"""A longer statement is shown in part, in lines."""
_AROUND = 2
_CONSTRUCTOR = 8
"""The statements behind a decorator among which the constructor of its class is looked for."""


@dataclass(frozen=True)
class SourceFile:
    """A source file with the first and last line of each statement.

    Attributes:
        path: from the repository's root.
    """

    path: str
    text: str
    lines: tuple[str, ...]
    bounds: tuple[tuple[int, int], ...]

    def statement(self, line: int) -> tuple[int, int]:
        """The statement that holds a line; of a long one, the lines around this one."""
        at = bisect.bisect_right(self.bounds, (line, len(self.lines) + 1)) - 1
        if at < 0 or not self.bounds[at][0] <= line <= self.bounds[at][1]:
            return line, line
        first, last = self.bounds[at]
        if last - first >= LONGEST:
            return max(first, line - _AROUND), min(last, line + _AROUND)
        return first, last

    def matches(self, pattern: str) -> Iterator[int]:
        """The lines on which matches of a regular expression end, outside of comments."""
        for match in re.finditer(pattern, self.text):
            line = self.text.count("\n", 0, match.end()) + 1
            if not self.lines[line - 1].lstrip().startswith("#"):
                yield line

    def documented(self, line: int, longest: int) -> tuple[int, int]:
        """A definition's first statement with the docstring behind it, if that is not too long.

        Args:
            line: of the `def` or `class`.
            longest: the most lines of a docstring.
        """
        first, last = self.statement(line)
        at = bisect.bisect_right(self.bounds, (last, len(self.lines) + 1))
        if at < len(self.bounds):
            begin, end = self.bounds[at]
            if re.match(r"\s*[rRuU]?(\"\"\"|'''|\"|')", self.lines[begin - 1]):
                return first, min(end, begin + longest - 1)
        return first, last

    def decorated(self, line: int) -> int:
        """The last line of the signature below a decorator: of a class, its constructor's; else the line itself."""
        if not self.lines[line - 1].lstrip().startswith("@"):
            return line
        at = bisect.bisect_left(self.bounds, (line, 0))
        following = iter(self.bounds[at : at + _CONSTRUCTOR])
        last = line
        for first, end in following:
            text = self.lines[first - 1].lstrip()
            if text.startswith("@"):
                continue
            if text.startswith("class "):
                last = end
            elif text.startswith(("def __init__", "async def ", "def ")) and (last == line or "__init__" in text):
                return end
            elif last == line:
                return line
        return last

    def body(self, line: int) -> tuple[int, int]:
        """The lines of the block that begins on a line, by indentation."""
        depth = _depth(self.lines[line - 1])
        _, header = self.statement(line)
        last = header
        for at in range(header, len(self.lines)):
            text = self.lines[at]
            if text.strip():
                if _depth(text) <= depth:
                    break
                last = at + 1
        return line, last


def read_source(path: str, text: str) -> SourceFile:
    """A source file; of one that is not Python, each line is a statement."""
    lines = tuple(text.split("\n"))
    bounds = tuple(_bounds(text)) if path.endswith(".py") else ()
    return SourceFile(path, text, lines, bounds)


def _bounds(text: str) -> Iterator[tuple[int, int]]:
    first = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
                if first:
                    yield first, token.start[0]
                first = 0
            elif not first and token.type not in (
                tokenize.NL,
                tokenize.COMMENT,
                tokenize.INDENT,
                tokenize.DEDENT,
                tokenize.ENCODING,
            ):
                first = token.start[0]
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return  # the rest of the file is read line by line


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
