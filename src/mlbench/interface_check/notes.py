"""What the server says that Python code starts: as text for a shell, or as a program with its settings."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mlbench.interface_check.answers import invocation_of
from mlbench.interface_check.combine import MOST_PROGRAMS
from mlbench.records import CheckStatus, Invocation
from mlbench.sandbox.jail import WORKSPACE

_NOTHING_THERE = re.compile(
    r"\b(?:IndexError|StopIteration|ZeroDivisionError)\b|ValueError: (?:min|max)\(\)|ValueError: not enough values"
)
"""How code fails that looks for files which are not there: it finds an empty list."""


@dataclass(frozen=True)
class Note:
    """What Python code starts, as a shell would read it; see `interface_check/runtime/started.py`.

    Attributes:
        call: it calls a program's main function; see `interface_check/runtime/entry_functions.py`.
    """

    text: str
    cwd: str
    env: Mapping[str, str]
    call: bool = False


def noted(answer: Mapping[str, Any]) -> tuple[Note | Invocation, ...]:
    """What Python code starts, in order. What is not as it should be is left out."""
    notes = answer.get("starts")
    found: list[Note | Invocation] = []
    for note in notes if isinstance(notes, list) else ():
        match note:
            case {"text": str(text), "cwd": str(cwd), "env": dict(env)} if cwd.startswith("/"):
                variables = {str(name): str(value) for name, value in env.items()}
                found.append(Note(text, cwd, variables, note.get("call") is True))
            case {"program": str(program), "cwd": str(cwd), "configuration": dict()} if cwd.startswith("/"):
                said = {**note, "status": CheckStatus.ACCEPTED}
                found.append(invocation_of(said, program=program, how="file", cwd=folder_inside(cwd)))
    return tuple(found[:MOST_PROGRAMS])


def unless_without_words(note: Note, started: Sequence[Invocation]) -> Sequence[Invocation]:
    """What a note starts; nothing if a main function turns out to parse no words: it is a function like others."""
    return () if note.call and all(each.reason == "never-parses" for each in started) else started


def without_results(invocation: Invocation) -> Invocation:
    """Code that failed for want of what a program before it would have written; that program is not run here."""
    if invocation.status is not CheckStatus.REJECTED or invocation.reason != "raised":
        return invocation
    if not _NOTHING_THERE.search(invocation.message):
        return invocation
    unchecked = (*invocation.unchecked, f"{invocation.message}; a program before it may write what it looks for")
    return replace(invocation, status=CheckStatus.ACCEPTED, reason="", message="", unchecked=unchecked)


def folder_inside(path: str) -> str:
    """A folder of the jail, from the repository's root; one elsewhere as it is."""
    return os.path.relpath(path, WORKSPACE) if path.startswith(WORKSPACE) else path
