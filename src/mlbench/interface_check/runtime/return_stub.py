"""Stubs for the results of calls that were cut, of a known class of the repository or of none.

A stub accepts every operation and counts it, because a decision that rests on a stub is not known.
"""

from __future__ import annotations

import dis
import inspect
import itertools
import sys
import types
from typing import Any

from . import going_on

_UNPACK = dis.opmap["UNPACK_SEQUENCE"]
_UNPACK_EX = dis.opmap["UNPACK_EX"]

MANY = 10000  # the length of a stub, because most cut results are data sets
touches = 0  # number of operations on stubs
guesses = 0  # number of operations that need an invented value: a truth value, a number, a length


def touch() -> None:
    global touches  # noqa: PLW0603
    touches += 1


def guess() -> None:
    global touches, guesses  # noqa: PLW0603
    touches += 1
    guesses += 1


class ReturnStub:
    """A stub of one result. It has every attribute, except names that its class certainly lacks.

    `path` describes what it replaces. `kind` is its class, if known. `target` is what calling it would call.
    """

    __slots__ = ("__weakref__", "_held", "_kind", "_path", "_receiver", "_target")

    def __init__(self, path: str, kind: type | None = None, target: Any = None, receiver: Any = None) -> None:
        for name, value in (("path", path), ("kind", kind), ("target", target), ("receiver", receiver), ("held", {})):
            object.__setattr__(self, "_" + name, value)

    @property  # type: ignore[misc]  # read only, unlike that of `object`
    def __class__(self) -> Any:
        return object.__getattribute__(self, "_kind") or ReturnStub

    def _mlbench_shown(self) -> dict[str, str]:
        kind = self._kind
        return {"!": "stub", "value": f"{kind.__module__}.{kind.__qualname__}" if kind is not None else self._path}

    def __getattr__(self, name: str) -> Any:
        touch()
        held = self._held
        if name in held:
            return held[name]
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        kind = self._kind
        if kind is None or foreign(kind):
            return ReturnStub(f"{self._path}.{name}")
        found = inspect.getattr_static(kind, name, None)
        if isinstance(found, types.FunctionType):
            return ReturnStub(f"{self._path}.{name}", None, types.MethodType(found, self), self)
        if isinstance(found, (staticmethod, classmethod)):
            return ReturnStub(f"{self._path}.{name}", None, getattr(kind, name))
        if found is None and not may_have(kind, name):
            raise CertainlyNot(f"{kind.__name__!r} object has no attribute {name!r}", name=name, obj=self)
        if found is None or hasattr(type(found), "__get__"):
            return ReturnStub(f"{self._path}.{name}")
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        self._held[name] = value

    def __iter__(self) -> Any:
        touch()
        return iter([self[place] for place in range(_wanted(sys._getframe(1)))])

    def __len__(self) -> int:
        guess()
        return MANY

    def __bool__(self) -> bool:
        guess()
        return going_on.truth(sys._getframe(1), True)

    def __int__(self) -> int:
        guess()
        return 1

    __index__ = __int__

    def __float__(self) -> float:
        guess()
        return 1.0

    def __complex__(self) -> complex:
        guess()
        return 1 + 0j

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"<{self._path}>"

    def __format__(self, form: str) -> str:
        touch()
        return repr(self)

    def __contains__(self, item: Any) -> bool:
        guess()
        return True

    def __getitem__(self, key: Any) -> Any:
        touch()
        if not isinstance(key, (int, str)):
            return ReturnStub(f"{self._path}[...]")
        held = self._held
        return held[type(key), key] if (type(key), key) in held else ReturnStub(f"{self._path}[{key!r}]")

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, (int, str)):
            self._held[type(key), key] = value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        touch()
        return ReturnStub(f"{self._path}()")

    def __array_ufunc__(self, *args: Any, **kwargs: Any) -> Any:
        touch()
        return ReturnStub(self._path)

    __array_function__ = __array_ufunc__

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        guess()
        return sys.modules["numpy"].zeros(1, dtype or float)

    def __next__(self) -> Any:
        touch()
        return ReturnStub(f"next({self._path})")

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *args: Any) -> None:
        pass


def _operation(name: str, answer: Any = None) -> None:
    def operate(self: ReturnStub, *others: Any) -> Any:
        touch() if answer is None else guess()
        return ReturnStub(self._path) if answer is None else answer

    operate.__name__ = name
    setattr(ReturnStub, name, operate)


for _name, _side in itertools.product(
    ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift"), "ri "
):
    _operation(f"__{_side.strip()}{_name}__")
for _name in ("neg", "pos", "abs", "invert", "round", "divmod"):
    _operation(f"__{_name}__")
for _name, _answer in {"lt": False, "le": True, "gt": True, "ge": True, "eq": False, "ne": True}.items():
    _operation(f"__{_name}__", _answer)


class CertainlyNot(AttributeError):
    """A class of the repository certainly lacks this name."""

    def __init__(self, message: str, name: str, obj: Any) -> None:
        super().__init__(message)
        self.name, self.obj = name, obj


def foreign(kind: type) -> bool:
    """Whether a class has an unknown base, or has every attribute."""
    for base in kind.__mro__[:-1]:
        if base.__module__ == "builtins" or "__getattr__" in base.__dict__ or "__getattribute__" in base.__dict__:
            return True
        if not getattr(sys.modules.get(base.__module__), "__file__", ""):
            return True
    return False


def may_have(kind: type, name: str) -> bool:
    """Whether an instance may have an attribute, because it is declared or its modules mention the name."""
    for base in kind.__mro__[:-1]:
        if name in getattr(base, "__annotations__", ()) or name in getattr(base, "__slots__", ()):
            return True
        for place in [base, sys.modules.get(base.__module__)]:
            for thing in list(vars(place).values()) if place is not None else []:
                thing = getattr(thing, "__func__", getattr(thing, "fget", thing))
                code = getattr(inspect.unwrap(thing), "__code__", None) if callable(thing) else None
                if code is not None and _mentions(code, name):
                    return True
    return False


def _mentions(code: types.CodeType, name: str) -> bool:
    if name in code.co_names or "setattr" in code.co_names or "__dict__" in code.co_names:
        return True
    return any(_mentions(inner, name) for inner in code.co_consts if isinstance(inner, types.CodeType))


def _wanted(frame: types.FrameType) -> int:
    """The number of items that the iterating code takes: as many as it unpacks, else one."""
    code, at = frame.f_code.co_code, frame.f_lasti
    if code[at] == _UNPACK:
        return code[at + 1]
    if code[at] == _UNPACK_EX:
        return code[at + 1] + 1
    return 1
