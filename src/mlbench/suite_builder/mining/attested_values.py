"""Fills placeholders with the values that other commands of the pages give to the same option of the same program."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from posixpath import basename, join, normpath

from mlbench.suite_builder.arguments.argument_kinds import kind_of
from mlbench.suite_builder.mining.commands import commands, started
from mlbench.suite_builder.mining.placeholders import GAP, PLACE_IN_CAPITALS, filled, unset_filled
from mlbench.suite_builder.mining.working_dirs import WorkingDirs
from mlbench.suite_builder.quality.round_trip import placeholder
from mlbench.suite_builder.types import CodeBlock

Replaced = tuple[tuple[str, str], ...]
"""Texts of placeholders with the values in their place."""
_NAME = re.compile(r"--?[A-Za-z][\w.-]*|[+~]{0,2}[A-Za-z_][\w./@-]*(?==)")
_PLAIN = re.compile(r"[\w./:@,+-]+")


class AttestedValues:
    """What the pages' commands give to each option, without placeholders.

    Args:
        blocks: the code of all pages.
        places: the repository's files.
    """

    def __init__(self, blocks: Iterable[CodeBlock], places: WorkingDirs) -> None:
        self._places = places
        self._given: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for block in blocks:
            for command in commands(block.code) if block.language == "shell" else ():
                pairs = [pair for pair in _pairs(command.words) if _PLAIN.fullmatch(pair[1]) and not _is_open(*pair)]
                program = self._program(command.words, block.page, command.folder) if pairs else ""
                for option, value in pairs if program else ():
                    self._given[program, option][value] += 1

    def _program(self, words: Sequence[str], page: str, folder: str) -> str:
        """The file or console script that a command starts; empty if it is not the repository's."""
        found = started(tuple(words))
        folders = self._places.of_command(page, folder, tuple(words)) if found else []
        if found is None or not folders:
            return ""
        if found.run == "module":
            return self._places.declared.file_of(self._places.repository, found.name, tuple(folders)) or ""
        return (
            found.name if "/" not in found.name and found.run == "program" else normpath(join(folders[0], found.name))
        )

    def put(self, code: str, words: Sequence[str], replaced: Replaced, page: str, folder: str) -> tuple[str, Replaced]:
        """The command with attested values for its placeholders, and the placeholders that have none.

        Args:
            code: the command, with a value of our own in place of each placeholder.
            words: its words.
            replaced: the placeholders with these values.
            page: the page of the command.
            folder: where the `cd`s before it lead.
        """
        left = list(replaced)
        program = self._program(words, page, folder) if left else ""
        for option, value in _pairs(words):
            former = next((each for each in left if each[1].strip("'\"") == value), None)
            found = self._given.get((program, option))
            if former is None or not found or _is_told(former[0], value):
                continue
            if (kind := kind_of(option)) and kind.path == "output":
                continue  # another example writes something else
            best = found.most_common(1)[0][0]
            if not best.isascii():
                continue  # a text for another language's model
            holder = re.compile(
                rf"(?<![\w-]){re.escape(option)}([= ]|[ \t]*\\\n\s*)(['\"]?){re.escape(value)}\2(?=\s|$)"
            )
            code, count = holder.subn(partial(_put, option, best), code, count=1)
            if count:
                left.remove(former)
        return code, tuple(left)


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The options of a command with their first values; `key=value` has the option `key`."""
    found = started(tuple(words))
    argv = found.argv if found else ()
    for at, word in enumerate(argv):
        name = _NAME.match(word)
        if name is None:
            continue
        if word[name.end() :].startswith("="):
            yield name[0], word[name.end() + 1 :]
        elif name.end() == len(word) and word.startswith("-") and at + 1 < len(argv) and argv[at + 1][:1] != "-":
            yield name[0], argv[at + 1]


def _put(option: str, value: str, match: re.Match[str]) -> str:
    return f"{option}{match[1]}{value}"


def _is_told(former: str, value: str) -> bool:
    """Whether a placeholder has the name of a file: `/path/to/yolox_s.pth`."""
    name = basename(value)
    return "." in name and name in former


def _is_open(option: str, value: str) -> bool:
    text = f"{option} {value}"
    if PLACE_IN_CAPITALS.search(value):
        return True
    return bool(GAP.search(text) or filled(text).replaced or unset_filled(text).replaced or placeholder(f"x {text}"))
