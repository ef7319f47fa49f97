"""Compare typed values, and find a sample's values in them.

Values are JSON as `interface_check/runtime/values.py` writes them. A value outside of JSON is
`{"!": kind, "value": ...}`.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Mapping
from enum import IntEnum
from functools import lru_cache
from typing import Any

from mlbench.records import Configuration

_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?")
_INTEGER = re.compile(r"-?\d{1,9}")
_TRUTHS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_OVERRIDE = re.compile(r"([A-Za-z_+~][\w./-]*)=(.*)", re.DOTALL)
_MOST_ITEMS = 100  # a longer list is data; a number in it proves nothing
_PARTS = re.compile(r"[\s,;:=/\[\](){}'\"]+")


class MatchStrength(IntEnum):
    """How surely a value carries the wanted one."""

    NO = 0
    INSIDE = 1  # a part of a path or a list
    SWITCH = 2  # the wanted value is the option itself, such as `--mirror`
    EXACTLY = 3


def same(expected: Any, found: Any, base: str = ".", other_base: str = ".") -> bool:
    """Whether two values are equal by meaning.

    1e-4 equals 0.0001, paths are normalised, lists are compared by element. `Citeseer` is not `citeseer`.

    Args:
        expected, found: typed values.
        base, other_base: the folders that their relative paths start from.
    """
    expected, found = _plain(expected), _plain(found)
    if isinstance(expected, bool) or isinstance(found, bool):
        return _truth(expected) is not None and _truth(expected) is _truth(found)
    if isinstance(expected, int | float) and isinstance(found, int | float):
        return float(expected) == float(found)
    if isinstance(expected, str) and isinstance(found, str):
        return _same_text(expected, found, base, other_base)
    if isinstance(expected, list) and isinstance(found, list):
        pairs = zip(expected, found, strict=False)
        return len(expected) == len(found) and all(same(e, f, base, other_base) for e, f in pairs)
    if isinstance(expected, dict) and isinstance(found, dict):
        if expected.get("!") == "array" == found.get("!"):
            return bool(expected.get("value") == found.get("value"))  # shapes only; the outcome compares contents
        shared = expected.keys() == found.keys()
        return shared and all(same(value, found[key], base, other_base) for key, value in expected.items())
    return expected is None and found is None


def counted_from_other_end(expected: Any, found: Any) -> bool:
    """Whether two indices may mean the same item, one counted from the end.

    Examples: -1 and 2, "-1,0" and "2,0".
    """
    one, other = ([_plain(item) for item in _listed(value)] for value in (expected, found))
    lengths = set()
    for ours, theirs in zip(one, other, strict=False):
        if isinstance(ours, str) and isinstance(theirs, str):
            ours, theirs = (int(text) if _INTEGER.fullmatch(text) else text for text in (ours, theirs))
        if same(ours, theirs):
            continue
        if type(ours) is not int or type(theirs) is not int or (ours < 0) is (theirs < 0):
            return False
        lengths.add(max(ours, theirs) - min(ours, theirs))
    return len(one) == len(other) and len(lengths) == 1


def _listed(value: Any) -> list[Any]:
    if isinstance(value, str) and "," in value:
        return [part.strip() for part in value.split(",")]
    return value if isinstance(value, list) else [value]


def carries(wanted: str, value: Any, options: tuple[str, ...] = ()) -> MatchStrength:
    """How surely a destination's typed value carries the wanted value, as the sample spells it.

    Args:
        wanted: the sample's value.
        value: the typed value.
        options: the option strings of the destination.
    """
    value = _plain(value)
    if wanted in options or (wanted.startswith("-") and wanted.partition("=")[0] in options):
        return MatchStrength.SWITCH
    if _exactly(wanted, value):
        return MatchStrength.EXACTLY
    if isinstance(value, list) and len(value) <= _MOST_ITEMS and any(_exactly(wanted, _plain(item)) for item in value):
        return MatchStrength.INSIDE
    if isinstance(value, str) and _inside(wanted, value):
        return MatchStrength.INSIDE
    return MatchStrength.NO


def is_path(text: str) -> bool:
    """Whether a text looks like a path with folders."""
    return "/" in text and "://" not in text and not any(sign.isspace() for sign in text)


def flattened(configuration: Mapping[str, Any], prefix: str = "") -> Configuration:
    """Nested settings by dotted name.

    Overrides in words (`["net.depth=3"]`, `"depth=3,width=8"`) count as settings.
    """
    flat: Configuration = {}
    for name, value in configuration.items():
        inner = value if isinstance(value, dict) and "!" not in value else _overrides(value)
        if inner:
            flat |= flattened(inner, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value
    return flat


def _overrides(value: Any) -> dict[str, str] | None:
    """The settings in words like `key=value`, the last of a key.

    None if any word is of another form.
    """
    words = value if isinstance(value, list) else value.split(",") if isinstance(value, str) else []
    pairs = [_OVERRIDE.fullmatch(word) if isinstance(word, str) else None for word in words]
    return {pair[1]: pair[2] for pair in pairs if pair} if all(pairs) else None


def shown(value: Any) -> str:
    """A value as text, for evidence."""
    value = _plain(value)
    if isinstance(value, dict) and "!" in value:
        return f"<{value['!']}: {value.get('value', '')}>"
    return repr(value)[:200]


def _plain(value: Any) -> Any:
    """The value of a path or an enum member; other values unchanged."""
    if isinstance(value, dict) and value.get("!") in ("path", "enum", "float"):
        value = value.get("value")
        return float(value) if isinstance(value, str) and value in ("inf", "-inf") else value
    return value


def _truth(value: Any) -> bool | None:
    if isinstance(value, str):
        return _TRUTHS.get(value.lower())
    return value if isinstance(value, bool) else None


@lru_cache(maxsize=4096)
def _number(text: str) -> float | None:
    text = text.strip()
    return float(text.replace("_", "")) if len(text) <= 40 and _NUMBER.fullmatch(text) else None


def _same_text(expected: str, found: str, base: str, other_base: str) -> bool:
    if expected == found:
        return True
    number = _number(expected)
    if number is not None or _number(found) is not None:
        return number == _number(found)
    if "," in expected and "," in found:
        ours, theirs = (text.strip("[]() ").split(",") for text in (expected, found))
        return len(ours) == len(theirs) and all(
            _same_text(one.strip(), other.strip(), base, other_base) for one, other in zip(ours, theirs, strict=True)
        )
    if expected.lower() in _TRUTHS and _truth(expected) is _truth(found):
        return True
    if not (is_path(expected) or is_path(found)):
        return False
    if posixpath.normpath(expected) == posixpath.normpath(found):
        return True
    return _resolved(expected, base) == _resolved(found, other_base)


def _resolved(path: str, base: str) -> str:
    return posixpath.normpath(posixpath.join("/workspace", base, path))


def _exactly(wanted: str, value: Any) -> bool:
    if isinstance(value, bool):
        return _truth(wanted) is value
    if isinstance(value, int | float):
        return _number(wanted) == float(value)
    if isinstance(value, str):
        return _same_text(wanted, value, ".", ".")
    if isinstance(value, list):
        items = _items(wanted)
        return len(items) == len(value) and all(_exactly(i, v) for i, v in zip(items, value, strict=True))
    return value is None and wanted in ("None", "none", "null")


@lru_cache(maxsize=4096)
def _items(wanted: str) -> tuple[str, ...]:
    """The elements of a wanted list in any spelling: `[64, 32]`, `64 32`, `64,32`."""
    try:
        literal = ast.literal_eval(wanted)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        literal = None
    if isinstance(literal, list | tuple):
        return tuple(str(item) for item in literal)
    return tuple(part for part in re.split(r"[\s,]+", wanted.strip("[]() ")) if part)


def _inside(wanted: str, value: str) -> bool:
    """Whether a value is a whole part of a path, of a file name, or of a list."""
    parts = [part for part in _PARTS.split(value) if part]
    names = {name for part in parts for name in part.rsplit(".", 1)}
    number = _number(wanted)
    if number is not None:
        return any(_number(part) == number for part in parts)
    return wanted in parts or wanted in names or (is_path(wanted) and wanted.strip("/") in value)
