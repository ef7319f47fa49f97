"""Answers of parsers: two of one process are merged, and a schema is taken with care."""

from __future__ import annotations

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two parses of one process. The later value counts; a word is ignored if both ignore it."""
    left = list(old["ignored"])
    ignored = []
    for word in new["ignored"]:
        if word in left:
            left.remove(word)
            ignored.append(word)
    kept = [name for name in old["given"] if name not in new["configuration"]]
    schema = {**old.get("schema", {}), **new.get("schema", {})}
    inputs_ = {**old.get("inputs", {}), **new.get("inputs", {})}
    return {
        **new,
        **({"schema": schema} if schema else {}),
        **({"inputs": inputs_} if inputs_ else {}),
        "configuration": {**old["configuration"], **new["configuration"]},
        "given": [*kept, *new["given"]],
        "options": {**old["options"], **new["options"]},
        "ignored": ignored,
        "unchecked": [*old["unchecked"], *(each for each in new["unchecked"] if each not in old["unchecked"])],
    }


def described(schema: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The schema of a parser's options; empty if its objects are malformed."""
    try:
        return schema()
    except Exception:  # the program's own classes stand behind it; the parse is what counts
        return {}
