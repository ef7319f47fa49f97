"""The hook that rewritten code asks at each call: is the callee part of the repository?

A recorded call is only a claim, because the candidate runs in the same process. The judge compares it with the files
that the candidate left behind.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
import types
from collections.abc import Callable
from typing import Any

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType

PER_SITE = 200  # records of one call expression; after these, the candidate's own loops run at full speed

LOOKING = {print: "__str__", str: "__str__", repr: "__repr__", len: "__len__", list: "__iter__", iter: "__iter__"}


class CallTarget:
    """A callable of the repository: its dotted name and its signature.

    `signature` is None if it is not known. `behind`: a wrapper in front of it takes any arguments.
    """

    def __init__(self, name: str, signature: inspect.Signature | None, behind: bool = False) -> None:
        self.name = name
        self.signature = signature
        self.behind = behind
        self.args: tuple[Any, ...] = ()
        self.kwargs: dict[str, Any] = {}

    def partly(self, function: functools.partial[Any]) -> CallTarget:
        """The target with the arguments that a `functools.partial` adds."""
        target = CallTarget(self.name, self.signature, self.behind)
        target.args, target.kwargs = (*self.args, *function.args), {**self.kwargs, **function.keywords}
        return target

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...], list[str]]:
        """Bind a call: (argument by parameter with defaults, given parameters, names in a `**` parameter).

        Raises:
            TypeError: the call does not bind. The message is Python's.
        """
        args, kwargs = (*self.args, *args), {**self.kwargs, **kwargs}
        if self.signature is None:
            arguments = {str(place): value for place, value in enumerate(args)}
            arguments.update(kwargs)
            return arguments, tuple(arguments), sorted(kwargs)
        bound = self.signature.bind(*args, **kwargs)
        given = list(bound.arguments)
        opened: list[str] = []
        bound.apply_defaults()
        arguments = dict(bound.arguments)
        for parameter in self.signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                extra = arguments.pop(parameter.name)
                opened = sorted(extra)
                for name, value in extra.items():
                    arguments.setdefault(name, value)
                given = [name for name in given if name != parameter.name] + list(extra)
            elif parameter.kind is parameter.VAR_POSITIONAL and not arguments[parameter.name]:
                del arguments[parameter.name]
        return arguments, tuple(given), opened


class Hook:
    """The hook that rewritten code asks at each call.

    Args:
        root: the repository's folder, with links resolved.
        file: the candidate's own file, which may be in that folder.
        around: makes a call into the repository: (function, target, args, kwargs) -> its result.
        looked: called with a method that a builtin calls.
        beside: makes any other call that may return an opaque object: (function, args, kwargs) -> its result.
    """

    def __init__(
        self,
        root: str,
        file: str,
        around: Callable[[Any, CallTarget, tuple[Any, ...], dict[str, Any]], Any],
        looked: Callable[[CallTarget], None],
        beside: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any] | None = None,
    ) -> None:
        self.root = os.path.join(root, "")
        self.file = file
        self.around = around
        self.looked = looked
        self.beside = beside
        self.records: dict[int, int] = {}
        self.known: dict[Any, CallTarget | None] = {}
        self.modules: dict[str, bool] = {}

    def ask(self, function: Any, site: int) -> Any:
        """Return what the code calls instead of `function` at this call site."""
        kind = type(function)
        count = self.records.get(site, 0)
        if count >= PER_SITE:
            return function
        if kind is type or (kind is types.BuiltinFunctionType and function.__module__ == "builtins"):
            if function in LOOKING:
                return functools.partial(self._look, function)
            if function.__module__ == "builtins":  # includes builtins that read the frame of their caller
                return function
        target = self.target(function)
        if target is None and (self.beside is None or _is_own(function)):
            return function
        self.records[site] = count + 1
        if target is not None:
            return functools.partial(self._made, function, target)
        return functools.partial(self._other, function)

    def _made(self, function: Any, target: CallTarget, /, *args: Any, **kwargs: Any) -> Any:
        return self.around(function, target, args, kwargs)

    def _other(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        return self.beside(function, args, kwargs)  # type: ignore[misc]

    def _look(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a builtin that calls a method of its argument, as in `print(model_zoo)`."""
        for one in args:
            method = getattr(type(one), LOOKING[function], None) if self.has_class(type(one)) else None
            if isinstance(method, types.FunctionType) and self.inside(method.__code__):
                self.looked(CallTarget(dotted_name(method), inspect.Signature()))
        return function(*args, **kwargs)

    def going_on(self) -> bool:
        return True

    def target(self, function: Any) -> CallTarget | None:
        """Return the repository's callable behind an object; None if there is none."""
        try:
            if type(function) is functools.partial:  # not cached: a later one may have its address
                return self._find(function)
            key = self._key(function)
            if key not in self.known:
                self.known[key] = self._find(function)
            return self.known[key]
        except Exception:  # an object of the candidate may raise anything
            return None

    @staticmethod
    def _key(function: Any) -> Any:
        kind = type(function)
        if kind is types.FunctionType:
            return function if hasattr(function, "__wrapped__") else function.__code__
        if kind is types.MethodType:
            inner = function.__func__
            code = inner.__code__ if type(inner) is types.FunctionType else inner
            return code, "method", function.__self__ if isinstance(function.__self__, type) else None
        return function if isinstance(function, type) else (kind, "object")

    def inside(self, code: CodeType | None) -> bool:
        return code is not None and code.co_filename.startswith(self.root) and code.co_filename != self.file

    def has_class(self, kind: type) -> bool:
        """Whether the class is defined in the repository."""
        name = getattr(kind, "__module__", None) or ""
        if name not in self.modules:
            file = getattr(sys.modules.get(name), "__file__", None) or ""
            self.modules[name] = name != "__main__" and file.startswith(self.root)
        return self.modules[name] and _may_be_of(kind)

    def _find(self, function: Any) -> CallTarget | None:
        if isinstance(function, functools.partial):
            inner = self.target(function.func)
            return None if inner is None else inner.partly(function)
        if isinstance(function, type):
            return self._of_class(function)
        if isinstance(function, types.MethodType):
            plain = _unwrapped(function.__func__)
            code = getattr(plain, "__code__", None)
            return CallTarget(dotted_name(plain), _without_first(_signature(plain))) if self.inside(code) else None
        plain = _unwrapped(function)
        if isinstance(plain, types.FunctionType):
            return CallTarget(dotted_name(plain), _signature(plain)) if self.inside(plain.__code__) else None
        if isinstance(plain, (types.BuiltinFunctionType, types.ModuleType)):
            return None
        for name in ("__call__", "forward"):  # a module of torch has a `__call__` that calls `forward`
            method = _unwrapped(getattr(type(plain), name, None) or _nothing)
            if isinstance(method, types.FunctionType) and self.inside(method.__code__):
                return CallTarget(dotted_name(method), _without_first(_signature(method)), name == "forward")
        return None

    def _of_class(self, kind: type) -> CallTarget | None:
        if not self.has_class(kind):
            return None
        name = dotted_name(kind)
        for base in kind.__mro__[:-1]:
            for special in ("__init__", "__new__"):
                method = base.__dict__.get(special)
                method = getattr(method, "__func__", method)
                if isinstance(method, types.FunctionType):
                    inner = _unwrapped(method)
                    return CallTarget(name, _without_first(_signature(inner)) if self.has_class(base) else None)
            if not self.has_class(base):  # a foreign base class: compiled, or a stub
                return CallTarget(name, _signature(kind) if base.__module__ == "builtins" else None)
        return CallTarget(name, inspect.Signature())


def _is_own(function: Any) -> bool:
    return type(function) is types.FunctionType and function.__module__ == "__main__"


def _standing(thing: Any) -> Any:
    """The object that a module has under the name of this class or function; None in the candidate's module."""
    held: Any = sys.modules.get(thing.__module__) if thing.__module__ != "__main__" else None
    for part in thing.__qualname__.split("."):
        held = getattr(held, "__dict__", {}).get(part)
    return getattr(held, "__func__", held)


def is_found(kind: type) -> bool:
    return _standing(kind) is kind


def _may_be_of(kind: type) -> bool:
    """Whether a class may belong to the module that it names. It does not if that module has another class so named."""
    found = _standing(kind)
    return found is kind or not isinstance(found, type) or issubclass(found, kind)


def _unwrapped(function: Any) -> Any:
    """The function inside a decorator. `__wrapped__` counts only if the module has the decorator."""
    if not hasattr(function, "__wrapped__") or _standing(function) is not function:
        return function
    return inspect.unwrap(function)


def _nothing() -> None:
    return None


def dotted_name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"


def _signature(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def _without_first(signature: inspect.Signature | None) -> inspect.Signature | None:
    if signature is None:
        return None
    parameters = list(signature.parameters.values())
    if parameters and parameters[0].kind in (parameters[0].POSITIONAL_ONLY, parameters[0].POSITIONAL_OR_KEYWORD):
        parameters = parameters[1:]
    return signature.replace(parameters=parameters)
