"""Provide what older versions of Python 3 had and newer ones have, as a repository may have been written for either.

The check runs under one Python for every repository. Each use is reported as a repair.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import sys
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
ADDED = {"typing": "", "warnings": "deprecated"}
"""Modules with names that newer versions added; `typing_extensions` has them. Empty: all that it has."""
_REFUSED = (list, dict, set)  # before Python 3.11, only these were refused as defaults of a dataclass


def install(repaired: Callable[[str], None], is_own: Callable[[], bool], needed: tuple[int, int]) -> None:
    """Give removed and later names, and allow the mutable defaults that dataclasses allowed before Python 3.11.

    Args:
        repaired: is told what was used.
        is_own: whether the code that asks is the repository's.
        needed: the oldest Python that the repository supports.
    """
    for name, (now, names) in REMOVED.items():
        module = importlib.import_module(name)
        wanted = dict(each.partition(":")[::2] for each in names.split())
        vars(module)["__getattr__"] = _found(name, now, wanted, repaired)
    for name, names in ADDED.items():
        module = importlib.import_module(name)
        vars(module).setdefault("__getattr__", _later(name, names.split(), repaired, is_own))
    if needed > sys.version_info[:2]:
        vars(importlib.import_module("typing"))["TypeVar"] = _with_any_option(importlib.import_module("typing").TypeVar)
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


def _later(
    name: str, names: list[str], repaired: Callable[[str], None], is_own: Callable[[], bool]
) -> Callable[[str], Any]:
    def __getattr__(asked: str) -> Any:
        found = None
        is_later = not asked.startswith("_") and (not names or asked in names)
        if is_later and is_own():  # else a library asks what there is
            with contextlib.suppress(ImportError):
                found = getattr(importlib.import_module("typing_extensions"), asked, None)
        if found is not None:
            repaired(f"newer Python: {name}.{asked}")
            return found
        raise AttributeError(f"module {name!r} has no attribute {asked!r}")

    return __getattr__


def _with_any_option(original: Any) -> type:
    """A class that makes type variables without the options that this Python lacks: `infer_variance`, `default`."""

    class Kind(type):
        def __instancecheck__(cls, one: Any) -> bool:
            return isinstance(one, original)

    class TypeVar(metaclass=Kind):
        def __new__(cls, name: str, *args: Any, **named: Any) -> Any:
            known = {option: named[option] for option in ("bound", "covariant", "contravariant") if option in named}
            return original(name, *args, **known)

    return TypeVar


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
