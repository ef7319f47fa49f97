"""Inputs by content: an identical copy of a file or folder is the same input, a changed file is another."""

from __future__ import annotations

from typing import Any

from mlbench.probe.inputs import is_folder
from mlbench.verdict.acts import Act
from mlbench.verdict.values import same


def same_value(ours: Act, act: Act, expected: Any, found: Any) -> bool:
    """Whether two acts hold the same value: by meaning, and by content if both name something that is there."""
    expected, found = _name(expected), _name(found)
    if isinstance(expected, list) and isinstance(found, list):
        pairs = zip(expected, found, strict=False)
        return len(expected) == len(found) and all(same_value(ours, act, e, f) for e, f in pairs)
    equal = same(expected, found, ours.cwd, act.cwd)
    if not (isinstance(expected, str) and isinstance(found, str)):
        return equal
    one, other = ours.inputs.get(expected, ""), act.inputs.get(found, "")
    if not one or not other:
        return equal
    return one == other or (equal and is_folder(one))  # a folder at its place may have got more files


def _name(value: Any) -> Any:
    """What a path or an opened file is called; other values as they are."""
    return value.get("value") if isinstance(value, dict) and value.get("!") in ("path", "file") else value
