"""Finders and loaders of the check's import machinery."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
import types
from typing import Any

from . import distributions, generated, python2, stubs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .imports import Imports


class Finder(importlib.abc.MetaPathFinder):
    """The first finder. It wraps parser libraries, and lets the repository's modules continue after a stub's fault."""

    def __init__(self, imports: Imports) -> None:
        self._imports = imports

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        imports = self._imports
        waited = name in imports.waiting
        if not waited and not imports.scope.stubs_allowed:
            if imports.recorder.last is not None and "." not in name:
                self._settle(name)
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is None and imports.scope.means_own_folder(name, spec):
            return None  # Python itself finds the folder
        if spec is None or spec.loader is None:
            return imports.missing(name) if path is None or waited else None
        inside = (spec.origin or "").startswith(imports.recorder.root)
        if inside and path is None and (nearer := imports.scope.nearer(name, spec)) is not None:
            return nearer
        if inside and type(spec.loader) is importlib.machinery.SourceFileLoader and imports.scope.stubs_allowed:
            if name.endswith(generated.MESSAGES):  # the missing protobuf fills such a module when it is imported
                return importlib.machinery.ModuleSpec(name, StubLoader(imports), is_package=True)
            spec.loader = RepositoryLoader(imports, spec.loader.name, str(spec.loader.path))
        elif waited:
            spec.loader = WrappedLoader(imports, spec.loader)
        elif not inside and "." not in name and name not in sys.stdlib_module_names:
            imports.recorder.settled()
        return spec

    def _settle(self, name: str) -> None:
        """End the check if a library is loaded after a parse, because the program's work begins."""
        if name in sys.stdlib_module_names:
            return
        spec = importlib.machinery.PathFinder.find_spec(name)
        if spec is not None and spec.origin and not spec.origin.startswith(self._imports.recorder.root):
            self._imports.recorder.settled()


class LastFinder(importlib.abc.MetaPathFinder):
    """The last finder: stubs, and modules that Python 3 renamed."""

    def __init__(self, imports: Imports) -> None:
        self._imports = imports

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        return self._imports.missing(name)

    def find_distributions(self, context: Any) -> list[Any]:
        """Find metadata for `importlib.metadata`, last as well."""
        if not self._imports.scope.stubs_allowed:
            return []
        return distributions.found(context.name, self._imports.scope)


class StubLoader(importlib.abc.Loader):
    def __init__(self, imports: Imports) -> None:
        self._imports = imports

    def create_module(self, spec: Any) -> Any:
        return stubs.StubModule(spec.name)

    def exec_module(self, module: Any) -> None:
        self._imports.loaded(module)


class VersionLoader(importlib.abc.Loader):
    """A module with a version, which only an installation writes."""

    def create_module(self, spec: Any) -> Any:
        return generated.VersionModule(spec.name)

    def exec_module(self, module: Any) -> None:
        return None


class AliasLoader(importlib.abc.Loader):
    """A module that Python 3 renamed."""

    def create_module(self, spec: Any) -> Any:
        module = types.ModuleType(spec.name)
        module.__dict__.update(
            {name: value for name, value in vars(importlib.import_module(python2.MODULES[spec.name])).items()
             if not name.startswith("__")}
        )  # fmt: skip
        return module

    def exec_module(self, module: Any) -> None:
        return None


class WrappedLoader(importlib.abc.Loader):
    """Loads a parser library and wraps it."""

    def __init__(self, imports: Imports, loader: Any) -> None:
        self._imports, self._loader = imports, loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        self._loader.exec_module(module)
        self._imports.loaded(module)


class RepositoryLoader(importlib.machinery.SourceFileLoader):
    """Loads a module of the repository in a check with stubs."""

    def __init__(self, imports: Imports, name: str, path: str) -> None:
        super().__init__(name, path)
        self._imports = imports

    def source_to_code(self, data: Any, path: Any, **options: Any) -> Any:  # type: ignore[override]
        return self._imports.compiled(super().source_to_code, data, str(path))

    def exec_module(self, module: Any) -> None:
        code = self.get_code(module.__name__)
        self._imports.execute(code, vars(module), str(self.path))
