"""Questions to a model that may look into the repository before it answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, Field

from mlbench.repositories.documents import inner_files, text_of
from mlbench.suite_builder.llm import Asker

ROUNDS, AT_ONCE = 5, 8
"""How often a model may look before it has to answer, and at how many places each time."""
_LINES, _CHARS, _HITS, _ENTRIES, _WIDTH = 200, 10_000, 40, 120, 200
HOW_TO_LOOK = """\

You may look into the repository before you answer: give in `look` up to eight places; the rest of that answer is a
draft. A place is a file with its lines (`path`, `first`, `last`; at most 200), a folder (`path`: its files are listed),
or a text to find (`find`, in the file or folder `path`, or everywhere). You are then asked again, with what stands
there, up to five times. Leave `look` empty as soon as you know enough."""
_LAST = "You cannot look at more: answer now."


class Lookup(BaseModel):
    """A place of a repository."""

    path: str = Field(default="", description="a file or folder, from the repository's root; empty: the root")
    first: int = Field(default=1, description="the first line")
    last: int = Field(default=0, description="the last line; 0: as many as are shown")
    find: str = Field(default="", description="a text to find in the file, in the folder, or everywhere")


class Looking(BaseModel):
    """An answer that a model may put off until it has seen more."""

    look: list[Lookup] = Field(default=[], description="places to see first; empty if this is the answer")


L = TypeVar("L", bound=Looking)


@dataclass
class Lookups:
    """What a model has seen of a repository; a place is shown once."""

    repository: Path
    shown: dict[str, str] = field(default_factory=dict)

    async def ask(self, asker: Asker, instructions: str, text: str, answer: type[L], about: str) -> L | None:
        """The model's answer, after as many looks as it wants; None if it gives none.

        What it has seen for an earlier question is shown again.

        Args:
            asker: the model.
            instructions: the system message, without how to look.
            text: the question.
            answer: the type of the answer.
            about: the subject, for the record.
        """
        for left in range(ROUNDS, -1, -1):
            seen = "".join(f"\n{place}:\n---\n{lines}\n---" for place, lines in self.shown.items())
            last = "" if left else f"\n{_LAST}"
            found = await asker.ask(instructions + HOW_TO_LOOK, f"{text}{seen}{last}", answer, about)
            if found is None or not left or not self._look(found.look[:AT_ONCE]):
                return found
        return None

    def _look(self, places: Iterable[Lookup]) -> bool:
        """Add places to what is shown; whether one of them is new."""
        before = len(self.shown)
        for each in places:
            path = each.path.strip().removeprefix("./").strip("/")
            path = "" if path == "." else path
            name = f"`{each.find}` in {path or 'all files'}" if each.find else path or "."
            part = f", lines {max(1, each.first)} to {each.last or 'the end'}" if each.first > 1 or each.last else ""
            self.shown.setdefault(name + part * (not each.find), _at(self.repository, path, each))
        return len(self.shown) > before


def _at(repository: Path, path: str, place: Lookup) -> str:
    files = _files(repository)
    inside = [each for each in files if not path or each == path or each.startswith(f"{path}/")]
    if not inside:
        return "there is no such file or folder"
    if place.find:
        return _cut(_hits(repository, inside, place.find), _HITS) or "not found"
    if path in files:
        lines = _text(repository, path).splitlines()
        first = max(1, place.first)
        last = min(place.last or len(lines), first + _LINES - 1, len(lines))
        shown = "\n".join(f"{at}: {lines[at - 1]}" for at in range(first, last + 1))[:_CHARS]
        return shown + (f"\n({len(lines)} lines in all)" if first > 1 or last < len(lines) else "")
    start = f"{path}/" if path else ""
    below = (each.removeprefix(start).partition("/") for each in inside)
    return _cut(dict.fromkeys(name + slash for name, slash, _ in below), _ENTRIES)


def _hits(repository: Path, files: Iterable[str], wanted: str) -> Iterator[str]:
    for path in files:
        for at, line in enumerate(_text(repository, path).splitlines(), 1):
            if wanted in line:
                yield f"{path}:{at}: {line.strip()[:_WIDTH]}"


def _cut(lines: Iterable[str], most: int) -> str:
    found = list(lines)
    more = [f"({len(found) - most} more)"] if len(found) > most else []
    return "\n".join([*found[:most], *more])


@lru_cache(maxsize=4)
def _files(repository: Path) -> tuple[str, ...]:
    return tuple(inner_files(repository))


@lru_cache(maxsize=2000)
def _text(repository: Path, path: str) -> str:
    """A file's text; empty if it is none, or is too long."""
    try:
        text = text_of(repository / path)
    except (OSError, ValueError):
        return ""
    return "" if "\0" in text[:1000] else text
