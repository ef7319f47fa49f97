"""Compare inputs by content: an identical copy is the same input, a changed file is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mlbench.interface_check.runtime.inputs import CHANGED_LATER, is_folder
from mlbench.judging.call_sites import CallSite
from mlbench.judging.values import same
from mlbench.records import Configuration

FILE_SETTING = ":"
"""Separates a destination that names a file from a setting inside that file."""


def same_value(ours: CallSite, call: CallSite, expected: Any, found: Any) -> bool:
    """Whether two calls hold the same value.

    Values are equal by meaning, or by content if both name an existing input.

    Args:
        ours, call: the reference's call and the candidate's.
        expected, found: the values to compare.
    """
    expected, found = _name(expected), _name(found)
    if isinstance(expected, list) and isinstance(found, list):
        pairs = zip(expected, found, strict=False)
        return len(expected) == len(found) and all(same_value(ours, call, e, f) for e, f in pairs)
    equal = same(expected, found, ours.cwd, call.cwd)
    if not (isinstance(expected, str) and isinstance(found, str)):
        return equal
    one, other = ours.inputs.get(expected, ""), call.inputs.get(found, "")
    if not one or not other:
        return equal
    return one == other or (equal and is_folder(one))  # the same folder may have gained files


def with_files_settings(reference: Sequence[CallSite], call: CallSite) -> CallSite:
    """Rewrite a call as in the reference if its settings file and overrides are equivalent."""
    for ours in reference if call.is_program else ():
        for name, expected in ours.values.items():
            found = call.values.get(name)
            if ours.name != call.name or found is None:
                continue
            paths = _paths(ours, name) | _paths(call, name)
            one, other = _settings(ours, name, paths), _settings(call, name, paths)
            if (
                not paths
                or not _paths(ours, name)
                or one.keys() != other.keys()
                or CHANGED_LATER in call.inputs.values()
            ):
                continue
            if all(_alike(value, other[path]) for path, value in one.items()):
                kept = {key: value for key, value in call.values.items() if not _says(key, paths)}
                reference_settings = {key: value for key, value in ours.values.items() if _says(key, paths)}
                values, inputs = {**kept, **reference_settings, name: expected}, {**call.inputs, **ours.inputs}
                return replace(call, values=values, given=(call.given | ours.given) & values.keys(), inputs=inputs)
    return call


def _paths(call: CallSite, name: str) -> frozenset[str]:
    """The settings in the file that a destination names."""
    start = f"{name}{FILE_SETTING}"
    return frozenset(key.removeprefix(start) for key in call.values if key.startswith(start))


def _says(key: str, paths: frozenset[str]) -> str:
    """The setting that a destination holds, of some settings; empty if it holds none."""
    separators = (at for at, sign in enumerate(key) if sign in (".", FILE_SETTING))
    return next((key[at + 1 :] for at in separators if key[at + 1 :] in paths), "")


def _settings(call: CallSite, name: str, paths: frozenset[str]) -> Configuration:
    """The effective values of some settings: overrides take precedence over the file."""
    file = f"{name}{FILE_SETTING}"
    found = {path: call.values[file + path] for path in paths if file + path in call.values}
    overrides = {
        path: value for key, value in call.values.items() if not key.startswith(file) and (path := _says(key, paths))
    }
    return {**found, **overrides}


def _alike(one: Any, other: Any) -> bool:
    """Equal by meaning; an override is text if the file has a number."""
    scalars = all(isinstance(each, str | int | float) and not isinstance(each, bool) for each in (one, other))
    return same(one, other) or (scalars and same(str(one), str(other)))


def _name(value: Any) -> Any:
    """The name of a path or an opened file; other values unchanged."""
    return value.get("value") if isinstance(value, dict) and value.get("!") in ("path", "file") else value
