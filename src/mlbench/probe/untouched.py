"""Whether the repository's code, once loaded, is still bound where it was: only the repository itself may rebind it.

Looked at before and after each call of a Python answer into the repository. What is bound is compared by identity, so
that nothing of an answer's runs while it is looked at.
"""

from __future__ import annotations

import builtins
import functools
import os
import sys
import types
from typing import Any

_DESCRIPTORS = (property, staticmethod, classmethod, functools.partial, types.MethodType)
_namespace_of_class: Any = type.__dict__["__dict__"].__get__


class _Held:
    """A module or class, and what its names were bound to; references are kept, so that no identity is used twice."""

    __slots__ = ("bound", "identities", "name", "names", "namespace", "ours")

    def __init__(self, name: str, namespace: Any, ours: bool) -> None:
        self.name, self.namespace, self.ours = name, namespace, ours
        self.hold()

    def hold(self) -> None:
        self.bound = dict(self.namespace)
        self.names, self.identities = list(self.bound), list(map(id, self.bound.values()))

    def same(self) -> bool:
        return list(map(id, self.namespace.values())) == self.identities and list(self.namespace) == self.names


class Untouched:
    """The modules and classes of a repository, the modules that they have bound, and the builtins.

    Args:
        root: the repository's folder, with no link in it, ending in a slash.
        file: the answer's own.
    """

    def __init__(self, root: str, file: str) -> None:
        self.root, self.file = root, file
        self.held: dict[int, tuple[Any, _Held]] = {}
        self.modules: dict[str, types.ModuleType] = {}
        self.loaded = 0
        self._hold(builtins, "builtins", vars(builtins), True)
        self.hold_new()

    def _hold(self, thing: Any, name: str, namespace: Any, ours: bool) -> None:
        if id(thing) not in self.held:
            self.held[id(thing)] = thing, _Held(name, namespace, ours)

    def look(self, answers_turn: bool) -> list[str]:
        """What was rebound since the last look, in words.

        Args:
            answers_turn: only the answer has run since, else also the repository, which may rebind what it likes, but
                not to something of the answer's.
        """
        imported = len(sys.modules) != self.loaded
        found = [
            f"{name} in sys.modules" for name, module in self.modules.items() if sys.modules.get(name) is not module
        ]
        for _, held in self.held.values():
            if not held.same():
                found += self._changes(held, answers_turn and (held.ours or not imported))
                held.hold()
        self.hold_new()
        return found

    def hold_new(self) -> None:
        """What was imported since: as it is now, it is untouched."""
        if len(sys.modules) == self.loaded:
            return
        self.loaded = len(sys.modules)
        for name, module in list(sys.modules.items()):
            if name in self.modules or not isinstance(module, types.ModuleType) or name == "__main__":
                continue
            space = module.__dict__
            file = space.get("__file__")
            if not isinstance(file, str) or not file.startswith(self.root) or file == self.file:
                continue
            self.modules[name] = module
            self._hold(module, name, space, True)
            for value in list(space.values()):
                if isinstance(value, type) and value.__module__ == name:
                    self._hold(value, f"{name}.{value.__name__}", _namespace_of_class(value), True)
                elif isinstance(value, types.ModuleType) and value is not sys:
                    inner = str(getattr(value, "__file__", None) or "")
                    self._hold(value, value.__name__, value.__dict__, inner.startswith(self.root))

    def _changes(self, held: _Held, answers_turn: bool) -> list[str]:
        now = dict(held.namespace)
        found = []
        for name, old in held.bound.items():
            new = now.get(name)
            replaced = (_is_code(old) and (answers_turn or self.is_own(new))) or (answers_turn and self.is_own(new))
            if new is not old and replaced:
                found.append(f"{held.name}.{name}")
        is_class = not isinstance(held.namespace, dict)
        for name, new in now.items():
            if name not in held.bound and not isinstance(new, types.ModuleType):
                shadows = is_class or hasattr(builtins, str(name))
                if (shadows and self.is_own(new)) or (answers_turn and (shadows or self.is_own(new)) and _is_code(new)):
                    found.append(f"{held.name}.{name}")
        return found

    def is_own(self, value: Any) -> bool:
        """Whether something is code of the answer's own."""
        for _ in range(8):
            if isinstance(value, property):
                value = value.fget
            elif isinstance(value, functools.partial):
                value = value.func
            elif isinstance(value, (staticmethod, classmethod, types.MethodType)):
                value = value.__func__
        if isinstance(value, types.FunctionType):
            return os.path.abspath(value.__code__.co_filename) == self.file
        kind = value if isinstance(value, type) else type(value)
        return kind.__module__ == "__main__"


def _is_code(value: Any) -> bool:
    return callable(value) or isinstance(value, _DESCRIPTORS)
