"""The schema of a parser's options: type, choices, default, help. Used only if the question has `describe`."""

from __future__ import annotations

from .. import values

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

HELP = 600  # characters
CHOICES = 500


def entry(
    kind: Any = None,
    choices: Any = None,
    default: Any = None,
    help_text: Any = "",
    *,
    required: bool = False,
    switch: bool = False,
    nargs: Any = None,
) -> dict[str, Any]:
    """One option as JSON.

    Args:
        kind: a type, the function that converts a word, or a name.
        switch: the option takes no value.
        nargs: as in argparse, as text.
    """
    return {
        "type": _named(kind),
        "choices": [values.encode(word) for word in _words(choices)],
        "default": values.encode(default),
        "help": values.encode(str(help_text or "")[:HELP]),
        "required": bool(required),
        "switch": bool(switch),
        "nargs": "" if nargs is None else str(nargs),
    }


def of_signature(parameters: Iterable[Any], prefix: str = "") -> dict[str, Any]:
    """The schema of a function's parameters (`inspect.Parameter`)."""
    found = {}
    for one in parameters:
        default = None if one.default is one.empty else one.default
        kind = type(default) if one.annotation is one.empty and default is not None else one.annotation
        found[prefix + one.name] = entry(kind, None, default, required=one.default is one.empty)
    return found


def _named(kind: Any) -> str:
    if kind is None or isinstance(kind, str):
        return kind or ""
    return str(getattr(kind, "__name__", ""))[:100]


def _words(choices: Any) -> list[str]:
    """Choices as written on a command line, limited in number."""
    found: list[str] = []
    for choice in choices if choices is not None else ():
        if len(found) >= CHOICES:
            break
        found.append(str(getattr(choice, "value", choice)))
    return found
