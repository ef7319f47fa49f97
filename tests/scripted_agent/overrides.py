"""Settings that are written as `group.key=value` behind a command: read from its examples and from tables of keys."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from tests.scripted_agent.programs import Knob

_OVERRIDE = re.compile(r"([A-Za-z_]\w*(?:\.\w+)+)=(.*)", re.DOTALL)
_ROW = re.compile(r"^\|\s*`([A-Za-z_][\w.]*)`\s*\|([^\n]*)$", re.M)


@dataclass(frozen=True)
class Overrides:
    """The keys that a program takes.

    Attributes:
        keys: the keys, as knobs.
        shown: the value of each key in an example or a table; empty if none is known.
        flag: the option that stands before them; empty if they follow the command as they are.
    """

    keys: tuple[Knob, ...] = ()
    shown: Mapping[str, str] = field(default_factory=dict)
    flag: str = ""

    def written(self, values: Mapping[Knob, str]) -> list[str]:
        """The words of a command that set these values."""
        words = [f"{key.name}={values[key]}" for key in self.keys if key in values]
        return [self.flag, *words] if self.flag and words else words


def overrides_of(program: str, line: str, documents: str) -> Overrides:
    """What the documents say of the keys of a program; nothing if none of its commands sets one.

    Args:
        program: its path, or the name of its command.
        line: the command that is to be changed.
        documents: the text that describes it.
    """
    name = program.rsplit("/", 1)[-1]
    lines = [each for each in re.sub(r"\\\n\s*", " ", documents).split("\n") if name in each and "=" in each]
    shown: dict[str, str] = {}
    flag = ""
    for each in [line, *lines]:
        words = _words(each)
        for before, word in pairwise(words):
            if found := _OVERRIDE.fullmatch(word):
                shown.setdefault(found[1], found[2])
                flag = flag or (before if before.startswith("-") else "")
    if not shown:
        return Overrides()
    for table in re.findall(r"(?:^\|[^\n]*\n)+", documents + "\n", re.M):
        rows = _ROW.findall(table)
        if any("." in key for key, _ in rows):
            shown |= {key: _default(cells) for key, cells in rows if key not in shown}
    return Overrides(tuple(Knob(key) for key in shown), shown, flag)


def without(line: str, overrides: Overrides) -> str:
    """A command without its settings."""
    left = [word for word in _words(line) if not _OVERRIDE.fullmatch(word) and word != (overrides.flag or None)]
    return shlex.join(left) if overrides.keys else line


def _default(cells: str) -> str:
    """The first cell of a row, without what it adds in brackets."""
    return re.sub(r"\(.*", "", cells.split("|", maxsplit=1)[0]).strip(" `")


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        return line.split()
