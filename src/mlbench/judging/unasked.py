"""Settings of an answer that differ from the reference's although nothing asks for that."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from mlbench.judging.call_sites import CallSite, is_plain
from mlbench.judging.inputs import FILE_SETTING, same_value
from mlbench.judging.values import MatchStrength, carries, same, shown

if TYPE_CHECKING:
    from mlbench.judging.compare_config import Expectation


def unasked(expectation: Expectation, position: int, call: CallSite, by_outcome: bool) -> list[str]:
    """The settings of a call that differ from the reference's although nothing asks for that.

    Args:
        expectation: what is right.
        position: of the reference's call.
        call: the candidate's call.
        by_outcome: the outcome is compared as well, so paths and unread files do not count.
    """
    ours = expectation.call_sites[position]
    asked = {name for binding in expectation.bindings for p, name in binding.destinations if p == position}
    lines = []
    for name in sorted(ours.values.keys() | call.values.keys()):
        if name in asked or expectation.is_free(position, name, call):
            continue
        expected, found = ours.values.get(name), call.values.get(name)
        if not call.is_program:
            expected, found = _alone(expected), _alone(found)
        if expected in (None, []) and found in (None, []):
            continue
        if name not in ours.values and _says_the_file(ours, name, found):
            continue
        if not (is_plain(expected) and is_plain(found)):
            continue
        if name not in call.values and not call.is_program:
            continue  # another signature under the same name
        if same_value(ours, call, expected, found):
            continue
        if FILE_SETTING in name and (by_outcome or found is None):  # the outcome decides, or the file was not read
            continue
        if by_outcome and (expectation.is_path(position, name, expected) or expectation.is_path(position, name, found)):
            continue
        written = expectation.is_path(position, name, expected) and not _is_input(expectation, position, expected)
        if written and expectation.is_path(position, name, found) and not _is_taken(expectation, call, found):
            continue  # an output file may have another name
        lines.append(f"{name} = {shown(found)}, not {shown(expected)}")
    return lines


def _is_input(expectation: Expectation, position: int, value: Any) -> bool:
    """Whether a path is one of the repository's."""
    value = value.get("value") if isinstance(value, dict) else value
    if isinstance(value, list):
        return any(_is_input(expectation, position, each) for each in value)
    return is_there(expectation.call_sites[position].cwd, str(value), expectation.files.__contains__)


def _says_the_file(ours: CallSite, name: str, found: Any) -> bool:
    """Whether a setting repeats one of the reference's settings file.

    Example: `data.name=x` for `data: {name: x}`.
    """
    setting = name.rpartition(FILE_SETTING)[2]
    for other, value in ours.values.items():
        _, of_file, path = other.partition(FILE_SETTING)
        if of_file and (setting == path or setting.endswith(f".{path}")) and same(value, found):
            return True
    return False


def _alone(value: Any) -> Any:
    """The element of a list of one; other values unchanged."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _is_taken(expectation: Expectation, call: CallSite, value: Any) -> bool:
    """Whether an output path is already a file of the repository, or a device."""
    value = value.get("value") if isinstance(value, dict) else value
    if isinstance(value, list):
        return any(_is_taken(expectation, call, each) for each in value)
    return str(value).startswith("/dev/") or is_there(call.cwd, str(value), expectation.files.__contains__)


def is_shown(call: CallSite, name: str, options: Sequence[str], text: str) -> bool:
    """Whether the documentation gives this option exactly this value.

    Args:
        call: the candidate's call.
        name: the destination.
        options: its option strings.
        text: the documentation.
    """
    value = call.values.get(name)
    if name not in call.given or not text:
        return False
    words = value if isinstance(value, list) else [value]
    if any(isinstance(word, bool) or not isinstance(word, str | int | float) for word in words):
        return isinstance(value, bool) and any(re.search(rf"(?<![\w-]){re.escape(o)}(?![\w-])", text) for o in options)
    for option in [*options, name]:
        for match in re.finditer(rf"(?<![\w-]){re.escape(option)}[ =]+(.*)", text):
            listed = re.split(r"[\s,]+", match[1].strip("`"))[: len(words)]
            if len(listed) == len(words) and all(
                carries(each.strip("`'\"\\.,;)]"), word) is MatchStrength.EXACTLY
                for word, each in zip(words, listed, strict=True)
            ):
                return True
    return False


def is_there(cwd: str, path: str, exists: Callable[[str], bool]) -> bool:
    """Whether a path exists in the repository, seen from a folder of it.

    Args:
        cwd: the folder, relative to the repository's root.
        path: the path as written.
        exists: whether a path relative to the root exists.
    """
    whole = posixpath.normpath(posixpath.join("/workspace", cwd, path))
    return whole.startswith("/workspace/") and exists(whole.removeprefix("/workspace/"))
