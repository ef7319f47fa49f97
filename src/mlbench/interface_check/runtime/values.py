"""Encode a parser's values as JSON: typed, bounded, and equal in every run.

None, bool, int, float, str, list and dict are themselves; a tuple is a list, a set a sorted list, an array its list.
All else is `{"!": kind, "value": ...}`: `inf` and `nan`, paths, enums, classes and functions (dotted names), open files
(their path), stubs (`stub`), and other objects (`object`, the dotted name of their class).
"""

from __future__ import annotations

import enum
import os
import sys
import types

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from typing import Any

DEPTH = 12
ITEMS = 2000
LETTERS = 20000


def encode(value: Any, depth: int = 0) -> Any:
    """Encode a value. Never raises, and runs no code of the value's class except attribute access."""
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is int:
        return value if value.bit_length() <= 256 else mark("int", hex(value)[:LETTERS])
    if kind is float:
        return value if value - value == 0.0 else mark("float", repr(value))
    if kind is str:
        return _text(value)
    if name := stub_name(value):
        return mark("stub", name)
    if depth >= DEPTH:
        return mark("object", dotted(kind))
    try:
        return _compound(value, kind, depth + 1)
    except Exception:  # an object of the program may raise anything on access
        return mark("object", dotted(kind))


def mark(kind: str, value: Any) -> dict[str, Any]:
    return {"!": kind, "value": value}


def stub_name(value: Any) -> str:
    """The dotted name that a stub replaces; empty if the value is no stub."""
    kind = value if isinstance(value, type) else type(value)
    if "_stub_name" not in kind.__dict__:
        return ""
    return str(object.__getattribute__(value, "_stub_name"))


def dotted(thing: Any) -> str:
    """The dotted name of a class or function."""
    return f"{getattr(thing, '__module__', None) or '?'}.{getattr(thing, '__qualname__', None) or '?'}"


def _compound(value: Any, kind: type, depth: int) -> Any:
    if isinstance(value, enum.Enum):
        return mark("enum", f"{dotted(kind)}.{value.name}")
    if isinstance(value, int):
        return encode(int.__index__(value), depth)
    if isinstance(value, float):
        return encode(float.__float__(value), depth)
    if isinstance(value, str):
        return encode(str.__str__(value), depth)
    if isinstance(value, (list, tuple)):
        return _items(list.__iter__(value) if isinstance(value, list) else tuple.__iter__(value), depth)
    if isinstance(value, (set, frozenset)):
        return sorted(_items(iter(value), depth), key=repr)
    if isinstance(value, dict):
        items = list(dict.items(value))[:ITEMS]
        return {name if isinstance(name, str) else repr(encode(name)): encode(each, depth) for name, each in items}
    pathlib = sys.modules.get("pathlib")  # not imported here, because that costs a real execution milliseconds
    if pathlib is not None and isinstance(value, pathlib.PurePath):
        return mark("path", _text(str(value)))
    if isinstance(value, (bytes, bytearray)):
        return mark("bytes", bytes(value[:LETTERS]).hex())
    if isinstance(value, complex):
        return mark("complex", repr(value))
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        return mark("class" if isinstance(value, type) else "function", dotted(value))
    if isinstance(value, types.SimpleNamespace) or kind.__qualname__ == "Namespace":
        return encode(dict(vars(value)), depth)
    return _foreign(value, kind, depth)


def _foreign(value: Any, kind: type, depth: int) -> Any:
    home = kind.__module__.partition(".")[0]
    if home == "numpy" and hasattr(value, "tolist"):
        if getattr(value, "size", 1) > ITEMS:
            return mark("object", f"{dotted(kind)}{list(value.shape)}")
        return encode(value.tolist(), depth)
    if (home in ("_io", "io") or kind.__name__.endswith("LazyFile")) and isinstance(
        getattr(value, "name", None), (str, int)
    ):
        return mark("file", str(value.name))
    if home == "datetime":
        return mark(kind.__name__, str(value))
    if isinstance(value, os.PathLike) and home in ("os", "py", "path"):
        return mark("path", _text(os.fspath(value)))
    if isinstance(value, range):
        return encode(list(value[:ITEMS]), depth)
    return mark("object", dotted(kind))


def _items(values: Any, depth: int) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if len(found) == ITEMS:
            found.append(mark("cut", ITEMS))
            break
        found.append(encode(value, depth))
    return found


def _text(value: str) -> str:
    """Cut a text to the maximum length, and replace what UTF-8 cannot encode."""
    return value[:LETTERS].encode("utf-8", "backslashreplace").decode("utf-8")


def as_json(value: Any) -> str:
    """Encode as JSON without the `json` module, which costs a real execution more than a millisecond."""
    try:
        from _json import encode_basestring_ascii, make_encoder

        return "".join(make_encoder({}, repr, encode_basestring_ascii, None, ": ", ", ", False, False, True)(value, 0))
    except (ImportError, TypeError):
        import json

        return json.dumps(value)
