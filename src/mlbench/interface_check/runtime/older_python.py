"""Provide what older versions of Python 3 had, because a repository may have been written for one of them.

The check runs under one Python for every repository. Each use is reported as a repair.
"""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

REMOVED = {
    "collections": ("collections.abc", "Callable Hashable Iterable Iterator Mapping MutableMapping MutableSequence"
                    " MutableSet Sequence Set Sized Container Generator KeysView ValuesView ItemsView"),
    "fractions": ("math", "gcd"),
    "time": ("time", "clock:perf_counter"),
    "base64": ("base64", "encodestring:encodebytes decodestring:decodebytes"),
    "inspect": ("inspect", "getargspec:getfullargspec"),
}  # fmt: skip
"""Names that modules of the standard library lost: where they are now, and their new names."""
_REFUSED = (list, dict, set)  # before Python 3.11, only these were refused as defaults of a dataclass


def install(repaired: Callable[[str], None]) -> None:
    """Give removed names back, and allow the mutable defaults that dataclasses allowed before Python 3.11."""
    for name, (now, names) in REMOVED.items():
        module = importlib.import_module(name)
        wanted = dict(each.partition(":")[::2] for each in names.split())
        vars(module)["__getattr__"] = _found(name, now, wanted, repaired)
    original = getattr(dataclasses, "_get_field", None)
    if original is not None:
        vars(dataclasses)["_get_field"] = _with_any_default(original, repaired)


def _found(name: str, now: str, wanted: dict[str, str], repaired: Callable[[str], None]) -> Callable[[str], Any]:
    def __getattr__(asked: str) -> Any:
        if asked not in wanted:
            raise AttributeError(f"module {name!r} has no attribute {asked!r}")
        repaired(f"older Python: {name}.{asked}")
        return getattr(importlib.import_module(now), wanted[asked] or asked)

    return __getattr__


def _with_any_default(original: Any, repaired: Callable[[str], None]) -> Any:
    def get_field(cls: Any, name: str, *args: Any, **named: Any) -> Any:
        default = cls.__dict__.get(name)
        default = default.default if isinstance(default, dataclasses.Field) else default
        kind = type(default)
        if kind.__hash__ is not None or issubclass(kind, _REFUSED):
            return original(cls, name, *args, **named)
        repaired("older Python: a mutable default of a dataclass")
        kind.__hash__ = object.__hash__
        try:
            return original(cls, name, *args, **named)
        finally:
            kind.__hash__ = None

    return get_field
