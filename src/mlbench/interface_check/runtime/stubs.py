"""Stubs for missing third-party modules. They accept every operation, and each use is counted.

A stub is falsy, or what a program needs to go on, compares like the newest version, unpacks to as many stubs as
needed, iterates over one stub, is a context manager, and as a decorator changes nothing. As a base class it accepts any
arguments and has every attribute. Names that end like an exception's are exceptions.
"""

from __future__ import annotations

import abc
import builtins
import opcode
import re
import sys
import types
import weakref

from . import dataclass_stub, going_on, lazy_module, library_versions, module_names

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

NOWHERE = "/nonexistent/"
"""Where the files of stubs are."""
_EXCEPTIONAL = ("Error", "Exception", "Warning")
_PROBED = {"_asdict", "_fields", "_is_protocol", "_mlbench_shown"}  # names by which code tells kinds of classes
_METHOD = re.compile(r"\(\)\.\w+$")
_UNPACK = {opcode.opmap.get("UNPACK_SEQUENCE"), opcode.opmap.get("UNPACK_EX")}


class Count:
    """Counts uses of stubs, and branches that may depend on one. Usually the recorder counts."""

    def __init__(self) -> None:
        self.touched = 0
        self.tested = 0
        self.left_over: set[str] = set()  # words that no parser of the program has taken yet
        self.opened: list[tuple[Any, str]] = []  # parsers that were given to a stub, and the stub's name

    def handed(self, name: str) -> None:
        """Record that a stub of this name was given left-over arguments."""


count: Any = Count()
known: Any = None  # the names of missing libraries; see tables.py
decorated: weakref.WeakSet[Any] = weakref.WeakSet()  # functions that a stub returned as their decorator
versions: set[str] = set()  # missing libraries whose version was asked for
answer = ""  # the file of the answer that is checked, whose names are looked up; see module_names.py


def watch(recorder: Any, tables: Any) -> None:
    """Count in this recorder, and look names up in these tables."""
    global count, known  # global, because foreign code makes the stubs
    count, known = recorder, tables.known


def _called(name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Call a stub. A parser among the arguments may get unknown options, and is then the result."""
    count.touched += 1
    values = (*args, *named.values())
    if count.left_over:
        given = [word for each in values if isinstance(each, (list, tuple)) for word in each if type(word) is str]
        given += [f"--{key}" for key in named]
        if not count.left_over.isdisjoint(given):
            count.handed(name)
    argparse = sys.modules.get("argparse")
    for each in values:
        if argparse is not None and isinstance(each, argparse._ActionsContainer):
            count.opened.append((each, name))
            if isinstance(each, argparse.ArgumentParser):
                return each
    return Stub(f"{name}()")


def _tested() -> None:
    count.touched += 1
    count.tested += 1


def _look_up(owner: str, name: str, frame: types.FrameType | None) -> None:
    """Refuse a name that the answer asks for and the real module lacks.

    Raises:
        NoSuchName: no version of the module has it.
    """
    while frame is not None and "importlib" in frame.f_code.co_filename:
        frame = frame.f_back  # `from torch import nn` asks there
    if frame is not None and frame.f_code.co_filename == answer and module_names.lacks(owner, name):
        raise module_names.NoSuchName(f"module {owner!r} has no attribute {name!r}")


def attribute(owner: str, name: str) -> Any:
    """Return the attribute of a stub."""
    if name == "__version__" and (least := library_versions.least(owner.partition(".")[0])):
        versions.add(owner)
        return least
    found = known(owner, name) if known is not None else None
    if found is not None:
        return found
    if name == "__version__":
        versions.add(owner)
        return library_versions.usual(owner.partition(".")[0])
    if name.startswith("__") and name.endswith("__"):
        raise AttributeError(f"{owner} has no {name}")
    if name.endswith(_EXCEPTIONAL) and name[0].isupper():
        return type(name, (Warning if name.endswith("Warning") else Exception,), {"__module__": owner, "_stub": True})
    return Stub(f"{owner}.{name}")


class Stub:
    """One stub: used as a function, a class, an object or a constant."""

    _stub_name = "stub"

    def __init__(self, name: str = "stub") -> None:
        object.__setattr__(self, "_stub_name", name[:200])
        object.__setattr__(self, "__name__", name.rpartition(".")[2])
        object.__setattr__(self, "__qualname__", name.rpartition(".")[2])
        object.__setattr__(self, "__module__", name.rpartition(".")[0])

    def __getattr__(self, name: str) -> Any:
        _look_up(self._stub_name, name, sys._getframe(1))
        found = attribute(self._stub_name, name)
        object.__setattr__(self, name, found)
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and isinstance(args[0], (types.FunctionType, type)):
            count.touched += 1
            if not (_METHOD.search(self._stub_name) and _is_callback(args[0])):
                if isinstance(args[0], types.FunctionType):
                    decorated.add(args[0])
                elif dataclass_stub.makes_dataclasses(self._stub_name):
                    return dataclass_stub.as_dataclass(args[0])
                return args[0]
        if self._stub_name.endswith(lazy_module.CLASS) and (package := lazy_module.made(args, kwargs)) is not None:
            return package
        return _called(self._stub_name, args, kwargs)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        first = next(base for base in bases if isinstance(base, Stub))
        inherited = any(isinstance(base, type) and issubclass(base, Base) for base in bases)
        return (Base,) if first is self and not inherited else ()

    def __iter__(self) -> Iterator[Any]:
        count.touched += 1
        return iter([Stub(f"{self._stub_name}[{index}]") for index in range(_wanted(sys._getframe(1)))])

    def __next__(self) -> Any:
        raise StopIteration

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, int) and key > 1000:
            raise IndexError(key)
        return Stub(f"{self._stub_name}[]")

    def __setitem__(self, key: Any, value: Any) -> None:
        count.touched += 1

    def __delitem__(self, key: Any) -> None:
        count.touched += 1

    def __delattr__(self, name: str) -> None:
        count.touched += 1

    def __bool__(self) -> bool:
        _tested()
        return going_on.truth(sys._getframe(1), False)

    def __len__(self) -> int:
        _tested()
        return 0

    def __contains__(self, item: Any) -> bool:
        _tested()
        return going_on.truth(sys._getframe(1), False)

    def __instancecheck__(self, instance: Any) -> bool:
        _tested()
        return False

    def __subclasscheck__(self, subclass: Any) -> bool:
        _tested()
        return False

    def __lt__(self, other: Any) -> Any:
        _tested()
        return going_on.truth(sys._getframe(1), going_on.is_asserted(sys._getframe(1)))

    def __gt__(self, other: Any) -> Any:
        _tested()
        return going_on.truth(sys._getframe(1), True)

    __le__, __ge__ = __lt__, __gt__

    def __eq__(self, other: Any) -> bool:
        if self is other:
            return True
        _tested()
        return going_on.truth(sys._getframe(1), False)

    def __hash__(self) -> int:
        return id(self)

    def __int__(self) -> int:
        count.touched += 1
        return 1

    __index__ = __int__

    def __float__(self) -> float:
        count.touched += 1
        return 1.0

    def __str__(self) -> str:
        return f"<{self._stub_name}>"

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return str(self)

    def __fspath__(self) -> str:
        return f"{NOWHERE}{self._stub_name}"

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *details: Any) -> None:
        return None

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __reduce__(self) -> Any:
        return (Stub, (self._stub_name,))


def _operator(self: Any, *others: Any) -> Any:
    return Stub(self._stub_name)


_OPERATORS = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift",
    "radd", "rsub", "rmul", "rtruediv", "rfloordiv", "rmod", "rpow", "rmatmul", "rand", "ror", "rxor", "rlshift",
    "rrshift", "iadd", "isub", "imul", "itruediv", "neg", "pos", "abs", "invert", "round", "divmod", "rdivmod",
)  # fmt: skip
for _name in _OPERATORS:
    setattr(Stub, f"__{_name}__", _operator)


class _BaseKind(abc.ABCMeta):
    """The metaclass of classes with a stub as base: they have the stub's attributes."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__") or name in _PROBED:
            raise AttributeError(name)
        count.touched += 1
        return attribute(cls.__name__, name)


class NotATensorError(TypeError):
    """A neural module was called on a builtin function: `input`, where the answer's variable has another name."""


class Base(metaclass=_BaseKind):
    """The base class of classes that inherit from a stub."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """An object; a subclass may hand its own arguments on, as `super().__new__(cls, *args)` does."""
        made = super().__new__
        return made(cls) if made is object.__new__ else made(cls, *args, **kwargs)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _called(type(self).__name__, args, kwargs)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        count.touched += 1
        for name in _inherited(cls):  # `super()` asks no `__getattr__`
            if not any(name in vars(base) for base in Base.__mro__):
                setattr(Base, name, Stub(name))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        count.touched += 1
        return attribute(type(self).__name__, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        is_neural = any("forward" in vars(kind) for kind in type(self).__mro__)
        if is_neural and args and type(args[0]) is types.BuiltinFunctionType:
            raise NotATensorError(f"{type(self).__name__}: {args[0].__name__} is a builtin function, no tensor")
        return _called(type(self).__name__, args, kwargs)


def mix_metaclasses() -> None:
    """Let a class have a stub and another metaclass's class as bases: a protocol, an enumeration, a model of fields."""
    make = builtins.__build_class__

    def build_class(body: Any, name: str, *bases: Any, **keywords: Any) -> Any:
        try:
            return make(body, name, *bases, **keywords)
        except TypeError as error:  # it is raised before the body is run
            if not str(error).startswith("metaclass conflict") or "metaclass" in keywords:
                raise
        kinds = dict.fromkeys(type(base) for base in types.resolve_bases(bases))
        if _BaseKind not in kinds:
            return make(body, name, *bases, **keywords)  # it fails as in plain Python
        others = [kind for kind in kinds if not issubclass(_BaseKind, kind)]
        return make(body, name, *bases, metaclass=type("Mixed", (_BaseKind, *others), {}), **keywords)

    builtins.__build_class__ = build_class  # type: ignore[assignment]


def _inherited(kind: type) -> set[str]:
    """The names that methods of a class may take from `super()`."""
    found: set[str] = set()
    for value in vars(kind).values():
        function = getattr(value, "__func__", getattr(value, "fget", value))
        code = function.__code__ if type(function) is types.FunctionType else None
        if code is not None and "super" in code.co_names:
            found.update(name for name in code.co_names if not name.startswith("__"))
    return found - {"super"}


class StubModule(types.ModuleType):
    """A missing module: it has every name, and is a package."""

    _stub_name = property(lambda self: self.__name__)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        count.touched += 1
        self.__path__ = []
        self.__file__ = f"{NOWHERE}{name}/__init__.py"
        self.__all__: list[str] = []

    @property
    def __dict__(self) -> Any:  # type: ignore[override]  # differs from the content of the real module
        return Stub(f"{self.__name__}.__dict__")

    def __dir__(self) -> list[str]:
        return []

    def __getattr__(self, name: str) -> Any:
        _look_up(self.__name__, name, sys._getframe(1))
        found = attribute(self.__name__, name)
        setattr(self, name, found)
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _called(self.__name__, args, kwargs)


def is_stub(value: Any) -> bool:
    """Whether it is a stub, a class with a stub as base, its object, or an exception class of a stub."""
    kind = type(value)
    if kind is Stub or kind is StubModule:
        return True
    if isinstance(kind, _BaseKind) or kind is _BaseKind:
        return True
    return bool(type.__getattribute__(kind, "__dict__").get("_stub", False))


def _is_callback(function: Any) -> bool:
    """Whether a function has no name, or its module already has it. A decorator gets a new one."""
    held = vars(sys.modules.get(function.__module__) or types).get(function.__name__)
    return function.__name__ == "<lambda>" or held is function


def _wanted(frame: types.FrameType) -> int:
    """The number of names into which the calling instruction unpacks; 1 if it does not unpack."""
    code, at = frame.f_code.co_code, frame.f_lasti
    if at < 0 or code[at] not in _UNPACK:
        return 1
    return code[at + 1] or 1
