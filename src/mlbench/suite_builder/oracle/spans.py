"""A span of a file of the repository, and whether it shows what a reference needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlbench.repositories.documents import format_of, lines_of, text_of
from mlbench.suite_builder.oracle.appearance import holds_call, holds_keyword, holds_name, nested_lines
from mlbench.suite_builder.oracle.needs import Need, NeedKind, stands

_GAP = 3
"""Spans of one file with at most this many lines between them become one."""


@dataclass(frozen=True)
class FileSpan:
    """Consecutive lines of a file, from 1; `text` is what they hold."""

    file: str
    first: int
    last: int
    text: str

    @property
    def size(self) -> int:
        return self.last - self.first + 1

    def shows(self, need: Need) -> bool:
        """Whether the span, which is shown with the name of its file, holds a needed word."""
        match need.kind:
            case NeedKind.PROGRAM:
                return f"/{self.file}".endswith(f"/{need.spellings[0]}") or self._holds(need)
            case NeedKind.MODULE:
                path = need.word.replace(".", "/")
                return f"/{path}/" in f"/{self.file.removesuffix('.py')}/" or self._holds(need)
            case NeedKind.NAME:
                return f"/{self.file}".endswith(f"/{need.word}.py") or holds_name(need.word, self.text)
            case NeedKind.KEYWORD:
                return holds_keyword(need.word, self.text, format_of(self.file) is None)
            case NeedKind.POSITIONS if not need.count:
                documented = format_of(self.file) or not self.file.endswith(".py")
                pattern = started_pattern(need.function) if documented else positional_pattern(need.word)
                return re.search(pattern, self.text) is not None
            case NeedKind.POSITIONS:
                return holds_call(need.spellings[0], need.count, self.text)
            case NeedKind.OPTION if is_nested(need.word):
                return self._holds(need) or self.nests(need.word)
            case NeedKind.OPTION:
                return self._holds(need) or self._defines(need)
            case NeedKind.VALUE:
                return f"/{need.word.strip('./')}/" in f"/{self.file}/" or self._holds(need) or self._registers(need)
            case _:
                return self._holds(need)

    def _holds(self, need: Need) -> bool:
        return any(stands(spelling, self.text) for spelling in need.spellings)

    def nests(self, key: str) -> bool:
        """Whether its lines, or the folders of a settings file and its lines, lead to `a.b.c` (`a/b.yaml: c: 1`)."""
        if self.file.endswith(".py") or format_of(self.file):
            return False
        return nested_lines(key, self.file, self.text) is not None

    def _registers(self, need: Need) -> bool:
        """Whether it defines the class that a registry names a value after: `SentimentIMDB` of `sentiment_imdb`."""
        return re.search(registered_pattern(need.word), self.text) is not None

    def _defines(self, need: Need) -> bool:
        """Whether source code or a settings file names the option: `DEFINE_integer("batch_size"`, `batch_size: 8`."""
        if format_of(self.file):
            return False
        return any(re.search(pattern, self.text) for pattern in definition_patterns(need, self.file.endswith(".py")))


def definition_patterns(need: Need, python: bool) -> tuple[str, ...]:
    """Regular expressions for the lines that define an option without its dashes.

    Args:
        need: the option.
        python: in Python, `name = value` is an assignment like any other, and defines nothing.
    """
    found = []
    for spelling in need.spellings:
        name = re.escape(spelling.lstrip("-+~").rpartition(".")[2]).replace("\\-", "[-_]")
        found.append(rf"""(?<!\.pop)(?<!\.get)(?<!getattr)\(\s*["']{name}["']\s*,""")
        if python and len(name) > 1:
            found.append(rf"(?m)^[ \t]+{name}[ \t]*:[ \t]*[A-Za-z]")  # a field of a dataclass
            if need.is_parameter:
                found.append(rf"(?m)^[ \t]*def \w+\((?:[^()]|\([^()]*\))*?\b{name}[ \t]*(?:[:=,)])")
        elif len(name) > 1:
            found += [rf"""(?m)^\s*["']?{name}["']?\s*:(?!:)""", rf"(?m)^\s*{name}\s*="]
    return tuple(found)


def is_nested(option: str) -> bool:
    """Whether an option is a setting below others: `model.net.width`."""
    return not option.startswith("-") and "." in option


def positional_pattern(name: str) -> str:
    """A regular expression for the line that defines a positional argument: `add_argument("output"`."""
    return rf"""(?:argument|Argument)\(\s*["']{re.escape(name)}["']"""


def started_pattern(program: str) -> str:
    """A regular expression for a command that gives a program a word that is no option."""
    return rf"(?<![\w-]){re.escape(program)}(?:[ \t]|\\\n)+[\w./$<\"'\[{{]"


def registered_pattern(value: str) -> str:
    """A regular expression for the class of a registered name; one that matches nothing if there can be none."""
    joined = value.replace("_", "")
    return rf"(?mi)^class[ \t]+{joined}\b" if joined != value and joined.isalnum() else r"(?!)"


def span_of(repository: Path, file: str, first: int, last: int) -> FileSpan:
    """Some lines of a file.

    Args:
        repository: its root.
        file: from the root.
        first: first line, from 1.
        last: last line; cut to the end of the file.

    Raises:
        OSError, ValueError: the file cannot be read.
    """
    lines = lines_of(text_of(repository / file))
    last = min(last, len(lines))
    return FileSpan(file, first, last, "".join(lines[first - 1 : last]))


def missing(needs: Iterable[Need], spans: Sequence[FileSpan]) -> list[Need]:
    """The needs that no span shows."""
    return [need for need in needs if not any(span.shows(need) for span in spans)]


def joined(repository: Path, spans: Iterable[FileSpan]) -> list[FileSpan]:
    """The spans with neighbours joined: documents first, then code; by file and line."""
    order = sorted(spans, key=lambda span: (format_of(span.file) is None, span.file.count("/"), span.file, span.first))
    found: list[FileSpan] = []
    for span in order:
        before = found[-1] if found else None
        if before and before.file == span.file and span.first <= before.last + 1 + _GAP:
            if span.last > before.last:
                found[-1] = span_of(repository, span.file, before.first, span.last)
        else:
            found.append(span)
    return found
