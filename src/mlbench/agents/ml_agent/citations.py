"""Decide whether the shown documents suffice for an answer, and which lines support it.

The rules ask no model. The agent stops reading when the documents suffice, and cites the lines as the answer's sources.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from markdown_it import MarkdownIt

from mlbench.agents.ml_agent.result import LineRange
from mlbench.prompts.context import Document
from mlbench.repositories.documents import format_of

_NAME = re.compile(
    r"(?<![\w-])--?([A-Za-z][\w.-]*)"  # an option
    r"|(?<![\w.-])([A-Za-z_][\w.]*)\s?=(?!=)"  # a keyword, a variable, an override
    r"|`([A-Za-z_][\w.-]*)`"  # a name in prose or in a table
    r"|add_argument\(\s*[\"']([\w-]+)[\"']"  # a positional
)
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_PROGRAM = re.compile(r"[\w./-]+\.(?:py|sh)\b")
_MODULE = re.compile(r"^\s*(?:from|import) +([A-Za-z_]\w*)", re.MULTILINE)
_DASH_M = re.compile(r"-m +([A-Za-z_][\w.]*)")
_TOKEN = re.compile(r"--?[A-Za-z][\w-]*|[A-Za-z_][\w./-]*\w|\d+(?:\.\d+)?(?:e-?\d+)?")
_MARKDOWN = MarkdownIt("commonmark")
_FILLER_WORDS = frozenset(
    {"the", "of", "a", "an", "to", "for", "in", "on", "per", "with", "number", "size", "name", "value"}
)
_GAP = 4
_MOST_SOURCES = 4
_LEAST_GAIN = 2
_LONG = 3


@dataclass(frozen=True)
class Citation:
    """What the shown documents contain for a task.

    Attributes:
        example: lines of code that use the repository; None if there are none.
        named: the settings whose name in the code was shown, with this name.
        unnamed: the other settings.
    """

    example: LineRange | None
    named: dict[str, str]
    unnamed: tuple[str, ...]

    @property
    def suffices(self) -> bool:
        """Whether there is an example and a name for every setting; false without settings."""
        return self.example is not None and bool(self.named) and not self.unnamed


def evidence(shown: Sequence[Document], settings: Iterable[str], files: Sequence[str]) -> Citation:
    """Return what the shown documents contain for a task.

    Args:
        shown: the documents that the model has seen.
        settings: what the instruction fixes, in its own words.
        files: all paths of the repository.
    """
    names = names_in(shown)
    named = {setting: name for setting in settings if (name := _name_for(setting, names))}
    return Citation(_example(shown, files), named, tuple(each for each in settings if each not in named))


def names_in(shown: Iterable[Document]) -> list[str]:
    """Return the options, keywords and names marked as code, in order of appearance."""
    matches = (match for document in shown for match in _NAME.finditer(document.text))
    return list(dict.fromkeys(next(group for group in match.groups() if group) for match in matches))


def _name_for(setting: str, names: Iterable[str]) -> str:
    """Return the first name with a setting's words (`--learning_rate`) or initials (`--lr`)."""
    words = _parts(setting)
    words = [word for word in words if word not in _FILLER_WORDS] or words
    for name in names:
        parts = _parts(name)
        if words and all(any(_alike(word, part) for part in parts) for word in words):
            return name
        if len(words) > 1 and "".join(word[0] for word in words) in parts:
            return name
    return ""


def _parts(name: str) -> list[str]:
    return [part.lower() for part in _PART.findall(name)]


def _alike(word: str, part: str) -> bool:
    """Whether one word begins with the other (`epochs`, `epoch`); short words must be equal."""
    short, long = sorted((word, part), key=len)
    return short == long or (len(short) >= _LONG and long.startswith(short))


def _example(shown: Sequence[Document], files: Sequence[str]) -> LineRange | None:
    """Return the first code block that starts a program of the repository or imports from it."""
    programs = {PurePosixPath(path).name for path in files if path.endswith((".py", ".sh"))}
    modules = {part.removesuffix(".py") for path in files if path.endswith(".py") for part in path.split("/")}
    for document in shown:
        if not format_of(document.path):
            continue
        for token in _MARKDOWN.parse(document.text):
            if token.type not in ("fence", "code_block") or token.map is None:
                continue
            started = {PurePosixPath(each).name for each in _PROGRAM.findall(token.content)}
            imported = {each.split(".")[0] for each in _MODULE.findall(token.content) + _DASH_M.findall(token.content)}
            if started & programs or imported & modules:
                first = document.lines[0] if document.lines else 1
                return LineRange(document.path, first + token.map[0], first + token.map[1] - 1)
    return None


def sources(shown: Sequence[Document], code: str) -> tuple[LineRange, ...]:
    """Return the lines that contain an answer's words: at most four regions, richest first."""
    wanted = {word for word in _TOKEN.findall(code) if len(word) >= _LONG or word.startswith("-")}
    regions = [region for document in shown for region in _regions(document, wanted)]
    chosen: list[LineRange] = []
    covered: set[str] = set()
    while regions and len(chosen) < _MOST_SOURCES:
        place, words = max(regions, key=lambda region: len(region[1] - covered))  # the first one on a tie
        if len(words - covered) < (_LEAST_GAIN if chosen else 1):
            break
        chosen.append(place)
        covered |= words
        regions = [region for region in regions if region[0] != place]
    return tuple(chosen)


def _regions(document: Document, wanted: set[str]) -> list[tuple[LineRange, set[str]]]:
    """Return runs of lines with wanted words, allowing small gaps, and the words of each run."""
    first = document.lines[0] if document.lines else 1
    found: list[tuple[LineRange, set[str]]] = []
    for number, line in enumerate(document.text.split("\n"), first):
        words = wanted & set(_TOKEN.findall(line))
        if not words:
            continue
        if found and number - found[-1][0].last <= _GAP:
            before, already = found[-1]
            found[-1] = (LineRange(document.path, before.first, number), already | words)
        else:
            found.append((LineRange(document.path, number, number), words))
    return found
