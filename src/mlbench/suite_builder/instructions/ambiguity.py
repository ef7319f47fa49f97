"""Finds examples of the same section that an instruction cannot tell from the task's own."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from mlbench.suite_builder.arguments.usages import settings_of
from mlbench.suite_builder.instructions.purposes import stated_purpose
from mlbench.suite_builder.instructions.stated_purpose import stated
from mlbench.suite_builder.instructions.task_descriptions import started_name
from mlbench.suite_builder.mining.commands import LAUNCHER, started, words_of
from mlbench.suite_builder.mining.placeholders import filled
from mlbench.suite_builder.types import RecipeDraft

_CONTINUED = re.compile(r"\\[ \t]*\n\s*")
_PROCESSES = re.compile(rf"({LAUNCHER})\S+")
_TAG = re.compile(r"</?(?:pre|code)\b[^>\n]*>")
_FENCE = re.compile(r"\s*(?:```|~~~|$)")
_Command = tuple[str, tuple[str, ...], str]
"""What stands before a program's name, the words after it, and the paragraph above it."""


def ambiguous(draft: RecipeDraft, *, is_whole: bool = False) -> str:
    """Another command of the section that also fits what an instruction says; empty if there is none.

    It may differ in what stands before the program or in what the parser does not know (Hydra's `--config-name`), or
    have all settings of the task's command and more. If the documentation states what each of the two is for,
    instructions tell them apart.

    Args:
        draft: the task with its arguments.
        is_whole: whether instructions say every setting of the command, so that more settings do not fit.
    """
    if draft.task.kind != "shell" or not draft.section:
        return ""
    name = started_name(draft.task).rpartition("/")[2]
    own = next(_commands(draft.task.code, name), None)
    if own is None:
        return ""
    ours, purpose = settings_of(own[1], {}), stated_purpose(draft)
    known = {option for each in draft.task.check.invocations for names in each.options.values() for option in names}
    for head, words, lead in _commands(f"{draft.section}\n", name):
        if purpose[1] and stated(lead) not in (("", ""), purpose):
            continue
        theirs = settings_of(words, {})
        if (head, theirs) == (own[0], ours):
            continue
        has_more = ours.items() < theirs.items() and not (is_whole and head == own[0])
        differ = {key for key in ours.keys() | theirs.keys() if ours.get(key) != theirs.get(key)}
        is_silent = bool(known) and ours.keys() == theirs.keys() and all(_is_flag(key, known) for key in differ)
        if theirs == ours or has_more or is_silent:
            return f"{head} {name} {' '.join(words)}".strip()
    return ""


def _is_flag(key: str, known: Collection[str]) -> bool:
    """Whether an option is none of the program's parser, so that no instruction says it."""
    return key.startswith("-") and key not in known


def is_told_apart(draft: RecipeDraft) -> bool:
    """Whether the documentation states what the command is for, and something else of the section's others."""
    purpose = stated_purpose(draft)
    name = started_name(draft.task).rpartition("/")[2]
    others = [stated(lead) for *_, lead in _commands(f"{draft.section}\n", name)]
    return bool(purpose[1]) and others.count(purpose) <= 1 and ("", "") not in others


def _commands(text: str, name: str) -> Iterator[_Command]:
    """The commands of a text that start a program of this name; instructions say how many processes they have."""
    lead, is_open = "", False
    for line in filled(_CONTINUED.sub(" ", _TAG.sub("\n", text))).code.split("\n"):
        if _FENCE.match(line):
            is_open = False
            continue
        plain = line.strip().strip("`").removeprefix("$ ")
        found = started(words_of(plain)) if name in plain else None
        if found is not None and found.name.rpartition("/")[2] == name:
            head = plain.partition(found.name)[0]
            yield _PROCESSES.sub(r"\1", head).strip(), tuple(found.argv), lead
            is_open = False
        else:
            said = plain.removeprefix("#").strip() if plain.startswith("# ") else plain  # a comment
            lead, is_open = (f"{lead} {said}" if is_open else said), True
