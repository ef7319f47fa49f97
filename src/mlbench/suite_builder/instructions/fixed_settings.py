"""Chooses which settings of the command an instruction says besides its arguments, so that it is sufficient."""

from __future__ import annotations

import re

from mlbench.suite_builder.arguments.argument_kinds import is_never
from mlbench.suite_builder.instructions.ambiguity import ambiguous, is_told_apart
from mlbench.suite_builder.instructions.task_descriptions import section_of, started_name
from mlbench.suite_builder.mining.task_selection import IDLE, MODES, subcommand
from mlbench.suite_builder.types import DraftArgument, RecipeDraft

FEW_FIXED, MOST_SAID = 4, 8
"""With so many fixed settings, all are said; besides a reference to the documentation, at most so many."""
_SAYABLE = re.compile(r"[\w.]+ [\w./:@+~=,\"-]{0,159}[\w/:@+~=,\"-]")
_ANY_WORDS = frozenset({"arguments", "args", "argv", "rest"})
"""What parsers call words without names of their own."""
_CONTINUED = re.compile(r"\\[ \t]*\n\s*")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])")


def said_settings(draft: RecipeDraft) -> list[DraftArgument]:
    """The fixed settings that an instruction says: all if they are few, else those that the documentation leaves open.

    Raises:
        ValueError: there are no words for one that must be said.
    """
    block, command = draft.task.block, subcommand(draft.task)
    fixed = [each for each in draft.fixed if not (command and _text(each) == command)]  # said with the program
    if len(draft.arguments) > MOST_SAID:
        raise ValueError(f"{len(draft.arguments)} settings would have to be said")
    if len(fixed) <= FEW_FIXED and all(_is_sayable(each) for each in fixed):
        return _without_looked_up(draft, fixed)
    again = set() if is_told_apart(draft) else _of_this_alone(draft)
    moved = {word for each in draft.arguments for words in each.values.values() for word in words if len(word) > 3}
    needed = [
        each
        for each in fixed
        if each.place in again or not _stands_in(_text(each), f"{block.code}\n{block.prose}")
        if not any(word in _text(each) for word in moved)
    ]
    needed = [each for each in needed if _is_sayable(each) or _tells(each.place)]
    if silent := [each.place for each in needed if not _is_sayable(each)]:
        raise ValueError(f"there are no words for {', '.join(silent)}, which the documentation does not settle")
    if len(needed) + len(draft.arguments) > MOST_SAID:
        raise ValueError(f"{len(needed)} settings would have to be said besides the arguments")
    return needed


def _without_looked_up(draft: RecipeDraft, fixed: list[DraftArgument]) -> list[DraftArgument]:
    """The settings that have plain names; all, if the section alone would not settle the others."""
    named = [each for each in fixed if not each.said.startswith('"')]
    block, again = draft.task.block, _of_this_alone(draft)
    is_open = any(
        each not in named and (each.place in again or not _stands_in(_text(each), f"{block.code}\n{block.prose}"))
        for each in fixed
    )
    return fixed if is_open or not section_of(draft.task) or ambiguous(draft) else named


def _text(setting: DraftArgument) -> str:
    """The words of a fixed setting as the command gives them."""
    said, words = next(iter(setting.values.items()))
    return " ".join(words) or said


def _is_sayable(setting: DraftArgument) -> bool:
    said = next(iter(setting.values), "")
    if setting.said in _ANY_WORDS:
        return False
    return bool(setting.said and _SAYABLE.fullmatch(f"x {said}" if " " not in said else f"x {said.replace(' ', '_')}"))


def _of_this_alone(draft: RecipeDraft) -> set[str]:
    """Settings that tell the command from the program's others in its section, as few as needed; plain names first."""
    task = draft.task
    name = started_name(task).rpartition("/")[2]
    text = _CONTINUED.sub(" ", f"{draft.section}\n{task.block.code}\n{task.block.prose}")
    others = {" ".join(line.partition(name)[2].split()) for line in text.split("\n") if name and name in line}
    own = [each for each in draft.fixed if _text(each) and _stands_in(_text(each), text)]
    lacking = {
        each.place: {other for other in others if "-" in other and not _is_set(each, other, text)} for each in own
    }
    # a value for which another command has another one excludes that command; one that it lacks could be added to it
    excluded = {each.place: {other for other in lacking[each.place] if each.option in other.split()} for each in own}
    order = sorted(own, key=lambda each: (each.said.startswith('"'), -len(excluded[each.place])))  # stable
    found, left = set[str](), set[str]().union(*lacking.values())
    for each in order:
        if excluded[each.place] & left:
            found.add(each.place)
            left -= excluded[each.place]
    return found | {each.place for each in own if lacking[each.place] & left}


def _is_set(setting: DraftArgument, line: str, text: str) -> bool:
    """Whether a command gives an option this value; in a text that spells the option otherwise, whether it has it."""
    value = _text(setting)
    if value == setting.option or not setting.option or setting.option not in text:
        return _stands_in(value, line)
    return re.search(rf"{re.escape(setting.option)}[ =]+[\"']?{re.escape(value)}(?![\w.])", line) is not None


def _tells(name: str) -> bool:
    """Whether a setting says what is done, not how the machine does it."""
    return MODES.search(name) is not None or not (is_never(name) or IDLE.search(name))


def _stands_in(value: str, text: str) -> bool:
    """Whether a text contains a value as a word of its own, not as a placeholder; a number in any spelling."""
    if re.search(rf"(?<![\w$<{{./-]){re.escape(value)}(?![\w>}}]|[./-]\w)", text):
        return True
    try:
        return any(float(word) == float(value) for word in _NUMBER.findall(text))
    except ValueError:
        return False
