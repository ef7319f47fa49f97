"""The lazy modules of Hugging Face's libraries: a package of the repository puts one in its own place.

`sys.modules[__name__] = _LazyModule(__name__, FILE, {"training": ["Trainer"]})` gives the package's names when they are
asked for. Without the library, each of them would be unknown.
"""

from __future__ import annotations

import importlib
import os
import types

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from typing import Any

CLASS = "_LazyModule"


class LazyModule(types.ModuleType):
    """A package whose names are imported from its modules when they are asked for.

    Args:
        name: of the package.
        file: its `__init__.py`.
        structure: the names of each of its modules.
        extra_objects: further names with their values.
    """

    def __init__(self, name: str, file: str, structure: dict[str, Any], extra_objects: Any = None) -> None:
        super().__init__(name)
        self.__file__, self.__path__ = file, [os.path.dirname(file)]
        self._modules = set(structure)
        listed = [(module, names) for module, names in structure.items() if isinstance(names, (list, tuple, set))]
        self._origins = {each: module for module, names in listed for each in names}
        self.__all__ = [*self._modules, *self._origins]
        if isinstance(extra_objects, dict):
            self.__dict__.update(extra_objects)

    def __getattr__(self, name: str) -> Any:
        if name in self._origins:
            value = getattr(importlib.import_module(f".{self._origins[name]}", self.__name__), name)
        elif name in self._modules:
            value = importlib.import_module(f".{name}", self.__name__)
        else:
            raise AttributeError(f"module {self.__name__} has no attribute {name}")
        setattr(self, name, value)
        return value


def made(args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return the lazy module of a call; None if it is not called as the library's."""
    fits = len(args) >= 3 and isinstance(args[0], str) and isinstance(args[1], str) and isinstance(args[2], dict)
    return LazyModule(args[0], args[1], args[2], named.get("extra_objects")) if fits else None
