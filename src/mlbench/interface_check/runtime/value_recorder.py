"""Encode the arguments of a recorded call as JSON values."""

from __future__ import annotations

import math
import types
import weakref
from typing import Any

from . import values
from .call_hook import CallTarget, Hook, dotted_name, is_found

ITEMS = 64  # longer sequences are cut; larger arrays are recorded by their shape

DEPTH = 6

PLAIN = (int, float, str, bytes, list, tuple, dict, set, frozenset, types.SimpleNamespace)

HARMLESS = ("__init__", "__getattr__", "__setattr__", "__delattr__")  # methods that a candidate's subclass may define

SHOWN_AS_THEY_ARE = (type, types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType)

SCALARS = (bool, int, float, str, type(None))


class ValueEncoder:
    """Encodes arguments as JSON. An opaque object (array, random generator) is recorded by the call that made it."""

    def __init__(self, hook: Hook) -> None:
        self.hook = hook
        self.made: dict[int, tuple[Any, Any]] = {}

    def remember(self, value: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Record how a call outside the repository made an object."""
        if isinstance(value, (*SCALARS, type, types.ModuleType, types.FunctionType)):
            return
        try:
            name = dotted_name(function) if hasattr(function, "__qualname__") else type(function).__name__
            owner = getattr(function, "__self__", None)
            if owner is not None and not isinstance(owner, types.ModuleType):
                name = f"{type(owner).__name__}.{function.__name__}"
            arguments = [self.show(one, 2) for one in args[:8]]
            named = {key: self.show(one, 2) for key, one in kwargs.items()}
            self.made[id(value)] = (weakref.ref(value), [name, *arguments, *([named] if named else [])])
        except Exception:  # it takes no weak reference, or raises on access
            return

    def show(self, value: Any, depth: int = 0) -> Any:
        if isinstance(value, SCALARS) and type(value) in SCALARS:
            if type(value) is float and not math.isfinite(value):
                return {"!": "float", "value": str(value)}
            return value if type(value) is not str or len(value) <= 10_000 else value[:10_000]
        if depth > DEPTH:
            return {"!": "deep", "value": type(value).__name__}
        try:
            return self._show(value, depth)
        except Exception:  # an object may raise anything on access
            return {"!": "object", "value": type(value).__name__}

    def _show(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if kind in (list, tuple):
            return [self.show(one, depth + 1) for one in value[:ITEMS]]
        if kind in (set, frozenset):
            return sorted((self.show(one, depth + 1) for one in value), key=repr)[:ITEMS]
        if kind is dict or (isinstance(value, dict) and self._is_plain(kind)):
            return {str(key): self.show(value[key], depth + 1) for key in list(value)[:ITEMS]}
        if hasattr(kind, "_mlbench_shown"):
            return value._mlbench_shown()
        if values.stub_name(value):
            return values.encode(value)
        if not self._is_plain(kind):
            return {"!": "object", "value": values.dotted(kind)}
        made = self.made.get(id(value))
        origin = made[1] if made is not None and made[0]() is value else None
        shape = getattr(value, "shape", None)
        if kind.__module__ == "numpy" and isinstance(shape, tuple):
            if kind.__name__ != "ndarray":
                return self.show(value.item(), depth + 1)
            if (value.size <= ITEMS and value.dtype.kind in "biuSU") or (origin is None and value.size <= 8):
                return self.show(value.tolist(), depth + 1)
            return {"!": "array", "value": list(shape), **({"made": origin} if origin else {})}
        shown = values.encode(value)
        if type(shown) is not dict or shown.get("!") != "object":
            return shown
        if origin is not None:
            shown["made"] = origin
        elif self.hook.has_class(kind):
            shown["state"] = self._state(value)
        return shown

    def _is_plain(self, kind: type) -> bool:
        """Whether a value's type can be trusted: one of a candidate's own class may compute as 1 and print as 4."""
        if not issubclass(kind, PLAIN) and kind.__qualname__ != "Namespace" and kind.__module__ != "numpy":
            return True
        if type(kind) is not type and not is_found(type(kind)):
            return False
        return all(
            is_found(base) or all(self._is_harmless(name, base.__dict__[name]) for name in base.__dict__)
            for base in kind.__mro__
        )

    def _is_harmless(self, name: str, value: Any) -> bool:
        value = getattr(value, "__func__", value)
        value = value.fget if isinstance(value, property) else value
        if isinstance(value, types.FunctionType):
            return value.__code__.co_filename != self.hook.file or name in HARMLESS
        return not name.startswith("__") or type(value) in SHOWN_AS_THEY_ARE or not callable(value)

    @staticmethod
    def _state(value: Any) -> dict[str, Any]:
        """The plain attributes of an object, because configurations are often built by assignment."""
        held = getattr(value, "__dict__", {})
        return {name: held[name] for name in sorted(held)[:ITEMS] if _plain(held[name])}


def _plain(value: Any, depth: int = 0) -> bool:
    if type(value) in (dict, list, tuple):
        inner = value.values() if type(value) is dict else value
        named = type(value) is not dict or all(type(name) is str for name in value)
        return depth < 2 and len(value) <= ITEMS and named and all(_plain(one, depth + 1) for one in inner)
    return type(value) in SCALARS and (type(value) is not float or math.isfinite(value))


def described(
    shower: ValueEncoder, target: CallTarget, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Encode a call as the fields of a `RepositoryCall`, and as `open` the names in a `**` parameter.

    Raises:
        TypeError: the call does not bind.
    """
    arguments, given, opened = target.bind(args, kwargs)
    shown = {name: shower.show(value) for name, value in arguments.items()}
    return {"function": target.name, "arguments": shown, "given": list(given), "open": opened}
