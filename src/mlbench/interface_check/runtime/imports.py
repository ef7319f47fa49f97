"""The import machinery of a check: installed modules and the repository's are real, missing ones may be stubs.

A stub replaces only a third-party module: one that is well known, that the repository declares, or that its own code
imports although no module of the repository has that name. A failed import of a repository module is a finding.
With an environment there are no stubs. Only a missing library that parses command lines comes from the parser kit, for
the repository's own code, and the answer notes it.
"""

from __future__ import annotations

import ast
import builtins
import importlib.abc
import importlib.machinery
import importlib.util
import os
import re
import sys
import types
from functools import partial
from typing import Any

from . import (
    built_archives,
    documented_env,
    generated,
    module_names,
    older_libraries,
    other_pythons,
    parsers,
    python2,
    stub_arguments,
    stubs,
    tables,
)
from .finders import AliasLoader, Finder, LastFinder, RepositoryLoader, StubLoader, VersionLoader, WrappedLoader
from .import_scope import ImportScope
from .recorder import PARSERS
from .statements import Joined, bound, following, joins_stubs
from .taint import Taint

FAULTS = 200  # statements of one module that may fail because of stubs
_PARSERS = re.compile(r"/(?:click|hydra|jsonargparse|omegaconf|simple_parsing|typer)/")
_STAR = re.compile(r"^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+\*", re.MULTILINE)


class Imports:
    """The import machinery of one process."""

    def __init__(self, recorder: Any, scope: ImportScope, strict_file: str = "") -> None:
        self.recorder, self.scope, self.strict_file = recorder, scope, strict_file
        self.waiting = parsers.by_module()
        self.taint = Taint(recorder, scope)
        stubs.watch(recorder, tables.Tables(scope.required, recorder.notes))

    def install(self) -> None:
        """Install the finders in this process, and wrap the parser libraries that are already loaded."""
        sys.meta_path.insert(0, Finder(self))
        if self.scope.stubs_allowed or self.scope.kit:
            sys.meta_path.append(LastFinder(self))
            stubs.mix_metaclasses()
        if self.scope.stubs_allowed:
            other_pythons.install(self.repaired, self._by_repository, self.scope.python)
            for name in older_libraries.MODULES:
                self.waiting.setdefault(name, []).append(older_libraries)
            stub_arguments.install()
        documented_env.install(self.recorder, self._by_repository)
        built_archives.install(self.recorder, self._by_repository)
        for name in [name for name in self.waiting if name in sys.modules]:
            self.loaded(sys.modules[name])

    def loader(self, name: str, path: str) -> RepositoryLoader:
        """Return a loader for a module of the repository from this file."""
        return RepositoryLoader(self, name, path)

    def loaded(self, module: Any) -> None:
        for parser in self.waiting.pop(module.__name__, ()):
            parser.install(module, self.recorder)

    def missing(self, name: str) -> Any:
        """Return a spec for a module that cannot be found; None if its absence is a finding."""
        top, _, rest = name.partition(".")
        if rest and (spec := self._generated(name)) is not None:
            return spec
        if not self.scope.stubs_allowed:
            return self._from_kit(name)
        if name in python2.MODULES:
            self.repaired(f"Python 2 module {name}")
            return importlib.machinery.ModuleSpec(name, AliasLoader())
        if rest:
            parent = sys.modules.get(name.rpartition(".")[0])
            if not isinstance(parent, stubs.StubModule):
                return self._by_place(name)
            if self._importer() == stubs.answer and module_names.lacks(parent.__name__, name.rpartition(".")[2]):
                return None
        elif self._by_parser() or not (self.scope.may_be_stub(top, self._by_repository()) or self._brought(top)):
            return None
        return importlib.machinery.ModuleSpec(name, StubLoader(self), is_package=True)

    def _brought(self, name: str) -> bool:
        """Whether the documentation beside the program has the user bring a package: `ln -s ../detection/ops ./`."""
        folder = os.path.abspath(sys.path[0] if sys.path and sys.path[0] else ".")
        by = self._by_repository() and generated.brought_by(name, folder, self.recorder.root)
        if by:
            self.recorder.note(f"{name} is missing: the documentation brings it ({by[len(self.recorder.root) :]})")
        return bool(by)

    def _generated(self, name: str) -> Any:
        """Return a spec for a module of the repository that its installation makes."""
        for folder in getattr(sys.modules.get(name.rpartition(".")[0]), "__path__", ()):
            inside = str(folder).startswith(self.recorder.root)
            by = inside and generated.made_by(name, str(folder), self.recorder.root, documents=self._by_repository())
            if by:
                self.recorder.note(f"{name} is missing: the installation makes it ({by[len(self.recorder.root) :]})")
                loader = VersionLoader() if generated.is_version(name) else StubLoader(self)
                return importlib.machinery.ModuleSpec(name, loader, is_package=isinstance(loader, StubLoader))
        return None

    def _by_place(self, name: str) -> Any:
        """Return a spec for a module of the repository that its package no longer finds.

        A package may take the path of another one, by a setting that is not known here (dgl's backends).
        """
        top, *parts = name.split(".")
        for folder in getattr(sys.modules.get(top), "__path__", ()):
            place = os.path.join(str(folder), *parts)
            is_package = os.path.isfile(os.path.join(place, "__init__.py"))
            file = os.path.join(place, "__init__.py") if is_package else place + ".py"
            if place.startswith(self.recorder.root) and os.path.isfile(file):
                self.recorder.note(f"{name} is found by where it stands, not by its package")
                inside = [place] if is_package else None
                loader = RepositoryLoader(self, name, file)
                return importlib.util.spec_from_file_location(
                    name, file, loader=loader, submodule_search_locations=inside
                )
        return None

    def _from_kit(self, name: str) -> Any:
        """Return a spec for a parser library that the environment lacks, and for its own imports."""
        kit = self.scope.kit
        if not kit or "." in name:
            return None
        by_kit = self._importer().startswith(kit + "/")
        if not by_kit and not (name in PARSERS and self._by_repository()):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, [kit])
        if spec is None or spec.loader is None:
            return None
        if not by_kit:
            self.recorder.note(f"{name} is missing in the environment: the version of the check stands in for it")
        if name in self.waiting:
            spec.loader = WrappedLoader(self, spec.loader)
        return spec

    def repaired(self, what: str) -> None:
        if what not in self.recorder.repairs:
            self.recorder.repairs.append(what)

    def _by_repository(self) -> bool:
        file = self._importer()
        return file.startswith(self.recorder.root) and file != self.strict_file

    def _by_parser(self) -> bool:
        """Whether a parser library asks for something that it can do without: `attr` by omegaconf."""
        file = self._importer()
        return _PARSERS.search(file) is not None and not file.startswith(self.recorder.root)

    def _importer(self) -> str:
        """The file of the importing code; empty if there is none."""
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None and _is_machinery(frame):
            frame = frame.f_back
        return frame.f_code.co_filename if frame is not None else ""

    # running the repository's own code

    def compiled(self, compile_: Any, data: Any, path: str) -> Any:
        """Compile a source file, after repairs if it is Python 2."""
        try:
            code = compile_(data, path)
        except (SyntaxError, ValueError):
            if not self.scope.stubs_allowed:
                raise
            source = data if isinstance(data, str) else importlib.util.decode_source(bytes(data))
            source, repairs = python2.repair(source, path)
            for each in repairs:
                self.repaired(each.replace(self.recorder.root, ""))
            self.taint.sources[path] = source
            return compile(source, path, "exec", dont_inherit=True)
        return code

    def _starred(self, space: dict[str, Any], known: Builtins, name: str) -> Any:
        """Give the repository's code a name that `import *` may have brought to a module. An answer's gets none."""
        places = [os.path.join(str(folder), name) for folder in space.get("__path__", ())]
        is_module = any(os.path.exists(place) or os.path.exists(f"{place}.py") for place in places)
        if name.startswith("_") or is_module or not known.brings_names() or not self._by_repository():
            raise AttributeError(f"module {space.get('__name__')!r} has no attribute {name!r}")
        self.recorder.touched += 1
        return stubs.Stub(name)

    def execute(self, code: Any, space: dict[str, Any], path: str) -> None:
        """Run a module. If a statement fails because of stubs, its names become stubs and the next one runs."""
        if not self.scope.stubs_allowed:
            exec(code, space)
            return
        known = Builtins(self, str(space.get("__package__")), self.taint.source(path))
        space["__builtins__"] = self.taint.star_imports[path] = known
        if known.stars and "__getattr__" not in space:
            space["__getattr__"] = partial(self._starred, space, known)
        body: list[ast.stmt] | None = None
        joining: list[ast.stmt] = []
        for _ in range(FAULTS):
            try:
                exec(code, space)
                return
            except Exception as error:
                line = _line_in(error, path)
                if line == 0 or self.taint.certain(error) or not self.taint.tainted(error):
                    raise
                body = ast.parse(self.taint.source(path)).body if body is None else body
                failed, rest = following(body, line)
                if failed is not None and joins_stubs(error) and failed not in joining:
                    joining.append(failed)  # once more, with the names of the stubs
                    body = [Joined().visit(failed), *rest]
                    code = compile(ast.Module(body, []), path, "exec", dont_inherit=True)
                    continue
                names, body = ([] if failed is None else list(bound(failed))), rest
                self.taint.record(error, path, names)
                for name in names:
                    space.setdefault(name, stubs.Stub(name))
                code = compile(ast.Module(body, []), path, "exec", dont_inherit=True)


class Builtins(dict):  # type: ignore[type-arg]  # cannot be subscripted as a base under Python 3.8
    """The builtins of one module, with those of Python 2 and the names of an `import *` from a stub."""

    def __init__(self, imports: Imports, package: str, source: str) -> None:
        super().__init__(vars(builtins))
        self._imports, self._package = imports, package
        self.stars: list[str] = _STAR.findall(source) if "*" in source else []

    def __missing__(self, name: str) -> Any:
        if name in python2.BUILTINS:
            self._imports.repaired(f"Python 2 builtin {name}")
            return python2.BUILTINS[name]
        if not name.startswith("__") and self.from_stub():
            self._imports.recorder.touched += 1
            return stubs.Stub(name)
        raise KeyError(name)

    def brings_names(self) -> bool:
        """Whether the module may have names that are not seen here: those of a stub, or of protobuf's messages."""
        return any(star.endswith(generated.MESSAGES) for star in self.stars) or self.from_stub()

    def from_stub(self) -> bool:
        """Whether names may come from `import *` of a stub."""
        for star in self.stars:
            try:
                module = sys.modules.get(importlib.util.resolve_name(star, self._package))
            except (ImportError, ValueError):
                continue
            if isinstance(module, stubs.StubModule):
                return True
            inner = getattr(module, "__builtins__", None)
            if isinstance(inner, Builtins) and inner is not self and inner.from_stub():
                return True
        return False


def _is_machinery(frame: types.FrameType) -> bool:
    return "importlib" in frame.f_code.co_filename or frame.f_globals.get("__package__") == __package__


def _line_in(error: BaseException, path: str) -> int:
    """The module's own line that an exception passed through; 0 if there is none."""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == path and code.co_name == "<module>":
            return trace.tb_lineno
        trace = trace.tb_next
    return 0
