"""Fills placeholders with the values that other commands of the pages give to the same option of the same program."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from mlbench.suite_builder.mining.commands import commands, started
from mlbench.suite_builder.mining.placeholders import filled, unset_filled
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
    """

    def __init__(self, blocks: Iterable[CodeBlock]) -> None:
        self._given: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for block in blocks:
            for command in commands(block.code) if block.language == "shell" else ():
                for option, value in _pairs(command.words):
                    if _PLAIN.fullmatch(value) and not _is_open(option, value):
                        self._given[_program(command.words), option][value] += 1

    def put(self, code: str, words: Sequence[str], replaced: Replaced) -> tuple[str, Replaced]:
        """The command with attested values for its placeholders, and the placeholders that have none.

        Args:
            code: the command, with a value of our own in place of each placeholder.
            words: its words.
            replaced: the placeholders with these values.
        """
        left = list(replaced)
        for option, value in _pairs(words):
            former = next((each for each in left if each[1].strip("'\"") == value), None)
            found = self._given.get((_program(words), option))
            if former is None or not found:
                continue
            best = found.most_common(1)[0][0]
            holder = re.compile(rf"(?<![\w-]){re.escape(option)}([= ]|[ \t]*\\\n\s*)(['\"]?){re.escape(value)}\2(?=\s|$)")
            code, count = holder.subn(lambda match, best=best: f"{option}{match[1]}{best}", code, count=1)  # type: ignore[misc]
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


def _program(words: Sequence[str]) -> str:
    """The program's name without its folder, as a file and as a module: `tools/train.py`, `yolox.tools.train`."""
    found = started(tuple(words))
    name = found.name if found else ""
    return name.rpartition(".")[2] if found and found.run == "module" else posixpath.basename(name).removesuffix(".py")


def _is_open(option: str, value: str) -> bool:
    text = f"{option} {value}"
    return bool(filled(text).replaced or unset_filled(text).replaced or placeholder(f"x {text}"))
