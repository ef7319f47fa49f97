"""Names the parts of a task as a person would: its program, the names that it calls, its section."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from mlbench.shell import assignments
from mlbench.suite_builder.docs.code_blocks import HEADING_ATTRIBUTES
from mlbench.suite_builder.mining.commands import SHELLS, started, words_of
from mlbench.suite_builder.mining.task_selection import subcommand
from mlbench.suite_builder.types import DraftTask

_PLAIN = re.compile(r"[\w .,:;+=%!?'()&/@#-]*[A-Za-z][\w .,:;+=%!?'()&/@#-]*")
_ASIDE = re.compile(r"\s*\([^()]*\)")
_UNPLAIN = re.compile(r"[^\x20-\x7e]|[`*~\"]|(?<!\w)_+|_+(?!\w)|\[!?|\](?:\([^)]*\))?")
_PLAINLY = frozenset(["python", "python3", "-m", "-u", *SHELLS])
"""Words that start a program and say nothing else."""
_OTHER_SCRIPT = re.compile(r"[^\W\d_a-zA-Z\u00aa-\u024f\u0370-\u03ff\u1e00-\u1eff]")
_LONGEST_HEADING, _LONGEST_ABOVE, _MOST_NAMES = 14, 7, 3


def entry_name(task: DraftTask) -> str:
    """What a command starts, as a person would name it: `tools/train.py`, `run.py in examples/vlm`, `rembg i`.

    A path is the one from the folder in which the command runs.
    """
    words = command_words(task)
    found = started(words)
    name = posixpath.normpath(found.name) if found else (words[0] if words else task.program)
    if found is not None and found.run == "file" and posixpath.basename(words[0]) in SHELLS:
        name = posixpath.normpath(words[1])
    folder = task.path.removeprefix("./").strip("/")
    where = f" in {folder}" if folder not in ("", ".") and name.endswith((".py", ".sh")) else ""
    return f"{name}{f' {command}' if (command := subcommand(task)) else ''}{where}"


def started_name(task: DraftTask) -> str:
    """The path or name of what a command starts: `tools/train.py`, `lib.main`, `rembg`."""
    return entry_name(task).partition(" ")[0]


def is_launched(task: DraftTask) -> bool:
    """Whether the command has more than its program and arguments: a launcher, variables, assignments before it."""
    text = task.code.replace("\\\n", " ").strip()
    words, found = command_words(task), started(command_words(task))
    before = words[: words.index(found.name)] if found and found.name in words else ()
    is_more = "\n" in text or assignments.WORD.match(text) is not None or not _PLAINLY.issuperset(before)
    return is_more or _has_unnamed(task)


def _has_unnamed(task: DraftTask) -> bool:
    """Whether an option of the command is no setting that an instruction could name: Hydra's `-m`."""
    last = task.check.invocations[-1] if task.check.invocations else None
    known = {option for options in last.options.values() for option in options} if last else set()
    return (
        last is not None
        and last.parser == "hydra"
        and any(word.startswith("-") and word.partition("=")[0] not in known for word in last.argv)
    )


def command_words(task: DraftTask) -> tuple[str, ...]:
    """The words of the command itself, without assignments on lines before it."""
    lines = task.code.replace("\\\n", " ").split("\n")
    return words_of(lines[-1])


def names_called(task: DraftTask) -> list[str]:
    """The repository's classes and functions that a snippet calls by name, in order; at most three.

    Of more, those that the section's heading or prose names come first: they are what it is about.
    """
    found: list[str] = []
    for each in task.check.invocations:
        for call in each.calls:
            name = callable_name(call.function)
            if _is_of_result(call.function, found):
                continue
            is_named = re.search(rf"\b{re.escape(name)}\b\s*[(.]|\bimport {re.escape(name)} as ", task.code)
            if name not in found and is_named:
                found.append(name)
    about = " ".join([*task.block.headings[-1:], task.block.prose])
    first = sorted(found, key=lambda name: re.search(rf"\b{re.escape(name)}\b", about) is None)[:_MOST_NAMES]  # stable
    return [name if re.search("[A-Z]", name) else f"{name}()" for name in found if name in first]


def _is_of_result(function: str, called: Sequence[str]) -> bool:
    """Whether a function belongs to what an earlier call returned: `load[1]().unsqueeze`, `tokenize.to`."""
    first = function.partition(".")[0]
    return "(" in function or "[" in function or (first in called and not first[:1].isupper())


def callable_name(function: str) -> str:
    """The last name of a function, or the class of a method: `Trainer` of `lib.Trainer.fit`."""
    parts = function.split(".")
    return parts[-2] if len(parts) > 1 and parts[-2][:1].isupper() and not parts[-1][:1].isupper() else parts[-1]


def headings_of(task: DraftTask) -> list[str]:
    """The headings, cleaned, the nearest first."""
    found = [_clean(each) for each in reversed(task.block.headings)]
    return [each for each in found if each]


def section_of(task: DraftTask) -> str:
    """The nearest heading, with the one above it if it is a single word; empty if it cannot be said.

    A heading further up is no substitute: its section may have other examples.
    """
    if task.block.headings and _OTHER_SCRIPT.search(task.block.headings[-1]):
        return ""
    near = [each if _is_sayable(each) else _ASIDE.sub("", each) for each in headings_of(task)]
    if not near or not _is_sayable(near[0]):
        return ""
    is_short = len(near) > 1 and len(near[1].split()) <= _LONGEST_ABOVE
    above = near[1] if is_short and " " not in near[0] and _is_sayable(near[1]) else ""
    return f"{above} > {near[0]}" if above else near[0]


def setup_of(task: DraftTask) -> str:
    """The heading of the other section whose code an example needs, if it can be said; else empty."""
    near = _clean(task.block.setup[-1]) if task.block.setup else ""
    return near if _is_sayable(near) and near != _clean(task.block.headings[-1] if task.block.headings else "") else ""


def _is_sayable(heading: str) -> bool:
    plain = _PLAIN.fullmatch(heading) is not None and not re.search(r"(?:^|\s)--?\w", heading)  # no option
    return plain and len(heading.split()) <= _LONGEST_HEADING


def _clean(heading: str) -> str:
    """A heading as a page shows it, without markup; empty if it is in another script."""
    if _OTHER_SCRIPT.search(heading):
        return ""
    return " ".join(_UNPLAIN.sub("", " ".join(HEADING_ATTRIBUTES.sub("", heading).split())).split())
