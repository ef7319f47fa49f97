"""Imports inside a check: what is installed is real, what is the repository's is real, what is missing may be a stub.

A stub stands only for a third-party module: one that is well known, that the repository declares, or that its own code
imports while no module of the repository has that name. A module of the repository that fails to import is a finding.
Where an environment is given, nothing is a stub: what is missing there is missing, but for the libraries that read
command lines: to the repository's own code the parser kit gives them, and the answer says so.
"""

from __future__ import annotations

import ast
import builtins
import collections
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import itertools
import os
import re
import sys
import types
from collections.abc import Iterator
from typing import Any

from . import distributions, parsers, python2, refusals, stubs, tables
from .failures import clash
from .recorder import PARSERS
from .statements import Joined, bound, following, joins_stubs

ENTRIES = 50_000  # files and folders of a repository that are looked at, those nearest to its root
FAULTS = 200  # statements of one module that may fail on stubs
ALIASES = {
    "PIL": "pillow", "Bio": "biopython", "bs4": "beautifulsoup4", "cv2": "opencv_python", "dateutil": "python_dateutil",
    "git": "gitpython", "skimage": "scikit_image", "sklearn": "scikit_learn", "yaml": "pyyaml", "faiss": "faiss_cpu",
}  # fmt: skip
_SKIPPED = {".git", "node_modules", "__pycache__"}
_WORD = re.compile(r"[A-Za-z][\w.-]*")
_STAR = re.compile(r"^[ \t]*from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+\*", re.MULTILINE)
_WANTED = re.compile(r"cannot import name '(\w+)'")
_KEYWORD = re.compile(r"([\w.<>]+)\(\) got an unexpected keyword argument '(\w+)'")
_NETWORK = {"URLError", "gaierror", "ConnectionError", "MaxRetryError", "ConnectionRefusedError"}
_COMPILED = re.compile(r"\w\.(so|dylib|dll|pyd)\b")
_PYTHON = re.compile(r"""(?:requires-python|python_requires)\s*=\s*["']?[^"'\n]*?>=\s*(\d+)\.(\d+)""")
_DECLARING = re.compile(
    r"(?i)^(.*requirements?.*\.(txt|in)|setup\.(py|cfg)|pyproject\.toml|(environment|conda).*\.ya?ml|pipfile)$"
)


class ImportScope:
    """What is known of a repository before anything runs: its modules, what it declares, where its packages are."""

    def __init__(self, root: str, stubs_allowed: bool, kit: str = "") -> None:
        self.root = root.rstrip("/")
        self.kit = kit  # the folder of the parser kit, where it is the last resort of an environment
        self.stubs_allowed = stubs_allowed
        self.own: set[str] = set()
        self.declared: set[str] = set()
        self.installed: list[str] = []
        self.required: dict[str, str] = {}  # versions of libraries whose options are known; see tables.py
        self.python = (0, 0)  # the oldest Python that it declares to run under
        self.projects: set[str] = set()  # the names of its own packages, as they would be installed
        self.partial = False  # there is more than was looked at
        if not stubs_allowed:
            return
        with open(os.path.join(os.path.dirname(__file__), "known.txt"), encoding="utf-8") as file:
            self.known = set(file.read().split())
        for folder, folders, files in self._walked():
            if any(name.endswith(".py") for name in files):
                self.own.add(os.path.basename(folder))
                self.own.update(name[:-3] for name in files if name.endswith(".py"))
            for name in files:
                if _DECLARING.match(name):
                    self._declare(os.path.join(folder, name))
            if "setup.py" in files or "pyproject.toml" in files:
                self.installed += [folder, *([os.path.join(folder, "src")] if "src" in folders else [])]

    def _walked(self) -> Iterator[tuple[str, list[str], list[str]]]:
        """Each folder with its folders and files, from the root downwards, until there have been enough of them."""
        left, todo = ENTRIES, collections.deque([self.root])
        while todo and left > 0:
            folder = todo.popleft()
            try:
                with os.scandir(folder) as found:
                    entries = sorted(itertools.islice(found, left), key=lambda entry: entry.name)
            except OSError:
                continue
            left -= len(entries)
            files = [entry.name for entry in entries if not entry.is_dir()]
            if "pyvenv.cfg" in files:  # somebody's environment
                continue
            folders = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
            yield folder, folders, files
            todo += [f"{folder}/{name}" for name in folders if name not in _SKIPPED]
        self.partial = left <= 0

    def _declare(self, path: str) -> None:
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read(200_000)
        except OSError:
            return
        self.declared.update(word.lower().replace("-", "_") for word in _WORD.findall(text))
        if not path.endswith(".txt"):
            self.projects |= distributions.projects(text)
            if (needed := _PYTHON.search(text)) is not None:
                self.python = max(self.python, (int(needed[1]), int(needed[2])))
        self.required = {**tables.requirements(text), **self.required}

    def may_be_stub(self, name: str, by_repository: bool) -> bool:
        """Whether a missing top-level module is somebody else's."""
        if not self.stubs_allowed or name.startswith("_"):
            return False
        alias = ALIASES.get(name, name).lower()
        if name in self.own:
            return name in self.known and (alias in self.declared or not self._importable(name))
        return name in self.known or alias in self.declared or by_repository

    def _importable(self, name: str) -> bool:
        """Whether the repository's own module of that name is one that is imported by this name."""
        folders = (self.root, *self.installed)
        return any(os.path.exists(os.path.join(folder, name + end)) for folder in folders for end in ("", ".py"))


class Finder(importlib.abc.MetaPathFinder):
    """First in line: the repository's modules get a loader that goes on after a stub's fault, parsers are wrapped."""

    def __init__(self, imports: Imports) -> None:
        self._imports = imports

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        imports = self._imports
        waited = name in imports.waiting
        if not waited and not imports.ground.stubs_allowed:
            if imports.recorder.last is not None and "." not in name:
                self._settle(name)
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return imports.missing(name) if path is None or waited else None
        inside = (spec.origin or "").startswith(imports.recorder.root)
        if inside and type(spec.loader) is importlib.machinery.SourceFileLoader and imports.ground.stubs_allowed:
            spec.loader = RepositoryLoader(imports, spec.loader.name, str(spec.loader.path))
        elif waited:
            spec.loader = WrappedLoader(imports, spec.loader)
        elif not inside and "." not in name and name not in sys.stdlib_module_names:
            imports.recorder.settled()
        return spec

    def _settle(self, name: str) -> None:
        """After a parse, a library that is loaded only now means that the work begins."""
        if name in sys.stdlib_module_names:
            return
        spec = importlib.machinery.PathFinder.find_spec(name)
        if spec is not None and spec.origin and not spec.origin.startswith(self._imports.recorder.root):
            self._imports.recorder.settled()


class LastFinder(importlib.abc.MetaPathFinder):
    """Last in line: stubs, and modules that Python 3 has under another name."""

    def __init__(self, imports: Imports) -> None:
        self._imports = imports

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        return self._imports.missing(name)

    def find_distributions(self, context: Any) -> list[Any]:
        """What `importlib.metadata` asks for, last as well."""
        if not self._imports.ground.stubs_allowed:
            return []
        return distributions.found(context.name, self._imports.ground.own | self._imports.ground.projects)


class StubLoader(importlib.abc.Loader):
    def __init__(self, imports: Imports) -> None:
        self._imports = imports

    def create_module(self, spec: Any) -> Any:
        return stubs.StubModule(spec.name)

    def exec_module(self, module: Any) -> None:
        self._imports.loaded(module)


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
    """A parser library, wrapped as soon as it is there."""

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
    """A module of the repository, under stubs."""

    def __init__(self, imports: Imports, name: str, path: str) -> None:
        super().__init__(name, path)
        self._imports = imports

    def source_to_code(self, data: Any, path: Any, **options: Any) -> Any:  # type: ignore[override]
        return self._imports.compiled(super().source_to_code, data, str(path))

    def exec_module(self, module: Any) -> None:
        code = self.get_code(module.__name__)
        self._imports.execute(code, vars(module), str(self.path))


class Imports:
    """The import machinery of one process."""

    def __init__(self, recorder: Any, ground: ImportScope, strict_file: str = "") -> None:
        self.recorder, self.ground, self.strict_file = recorder, ground, strict_file
        self.waiting = parsers.by_module()
        self.sources: dict[str, str] = {}
        self.first_fault: BaseException | None = None
        self._faulted: dict[str, set[str]] = {}  # by file: what the statements that failed on stubs would have bound
        self._spaces: dict[str, Builtins] = {}
        stubs.watch(recorder, tables.Tables(ground.required, recorder.notes))

    def install(self) -> None:
        """Take over this process's imports, and wrap the parsers that are there already."""
        sys.meta_path.insert(0, Finder(self))
        if self.ground.stubs_allowed or self.ground.kit:
            sys.meta_path.append(LastFinder(self))
        for name in [name for name in self.waiting if name in sys.modules]:
            self.loaded(sys.modules[name])

    def loader(self, name: str, path: str) -> RepositoryLoader:
        """What loads a module of the repository from this file."""
        return RepositoryLoader(self, name, path)

    def loaded(self, module: Any) -> None:
        for parser in self.waiting.pop(module.__name__, ()):
            parser.install(module, self.recorder)

    def missing(self, name: str) -> Any:
        """A spec for a module that cannot be found, or None where its absence is a finding."""
        if not self.ground.stubs_allowed:
            return self._from_kit(name)
        top, _, rest = name.partition(".")
        if name in python2.MODULES:
            self.repaired(f"Python 2 module {name}")
            return importlib.machinery.ModuleSpec(name, AliasLoader())
        if rest:
            parent = sys.modules.get(name.rpartition(".")[0])
            if not isinstance(parent, stubs.StubModule):
                return self._by_place(name)
        elif not self.ground.may_be_stub(top, self._by_repository()):
            return None
        return importlib.machinery.ModuleSpec(name, StubLoader(self), is_package=True)

    def _by_place(self, name: str) -> Any:
        """A spec for a module of the repository whose package looks for it elsewhere by now.

        A package may take another one's path with its names, by a setting that is not known here (dgl's backends).
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
        """A spec for a parser library that the environment lacks, and for what it imports itself."""
        kit = self.ground.kit
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

    def _importer(self) -> str:
        """The file of the code that imports; empty where there is none."""
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None and _is_machinery(frame):
            frame = frame.f_back
        return frame.f_code.co_filename if frame is not None else ""

    # running the repository's own code

    def compiled(self, compile_: Any, data: Any, path: str) -> Any:
        """The code of a source file, repaired where it is Python 2."""
        try:
            code = compile_(data, path)
        except (SyntaxError, ValueError):
            if not self.ground.stubs_allowed:
                raise
            source = data if isinstance(data, str) else importlib.util.decode_source(bytes(data))
            source, repairs = python2.repair(source, path)
            for each in repairs:
                self.repaired(each.replace(self.recorder.root, ""))
            self.sources[path] = source
            return compile(source, path, "exec", dont_inherit=True)
        return code

    def _source(self, path: str) -> str:
        if path not in self.sources:
            with open(path, "rb") as file:
                self.sources[path] = importlib.util.decode_source(file.read())
        return self.sources[path]

    def execute(self, code: Any, space: dict[str, Any], path: str) -> None:
        """Run a module; where a statement fails on stubs, its names are stubs and the next one follows."""
        if not self.ground.stubs_allowed:
            exec(code, space)
            return
        space["__builtins__"] = self._spaces[path] = Builtins(self, str(space.get("__package__")), self._source(path))
        body: list[ast.stmt] | None = None
        joining: list[ast.stmt] = []
        for _ in range(FAULTS):
            try:
                exec(code, space)
                return
            except Exception as error:
                line = _line_in(error, path)
                if line == 0 or self.certain(error) or not self.tainted(error):
                    raise
                body = ast.parse(self._source(path)).body if body is None else body
                failed, rest = following(body, line)
                if failed is not None and joins_stubs(error) and failed not in joining:
                    joining.append(failed)  # once more, with the names of the stubs
                    body = [Joined().visit(failed), *rest]
                    code = compile(ast.Module(body, []), path, "exec", dont_inherit=True)
                    continue
                self.first_fault = self.first_fault or error
                names, body = ([] if failed is None else list(bound(failed))), rest
                self._faulted.setdefault(path, set()).update(names)
                for name in names:
                    space.setdefault(name, stubs.Stub(name))
                code = compile(ast.Module(body, []), path, "exec", dont_inherit=True)

    def certain(self, error: BaseException | None) -> bool:
        """Whether a name cannot be imported, or a call not be bound, whatever stubs stand for."""
        if isinstance(error, TypeError):
            return self._binds_nowhere(str(error))
        wanted = _WANTED.match(str(error)) if isinstance(error, ImportError) else None
        space = self._spaces.get(getattr(error, "path", None) or "")
        if wanted is None or space is None or wanted[1] in self._faulted.get(error.path, ()):  # type: ignore[union-attr]
            return False
        return wanted[1].startswith("_") or not space.from_stub()  # `import *` brings no name with an underscore

    def _binds_nowhere(self, message: str) -> bool:
        """Whether the repository's functions of this name are loaded, and none takes this keyword."""
        found = _KEYWORD.match(message)
        if found is None:
            return False
        functions = [
            value
            for module in list(sys.modules.values())
            if str(getattr(module, "__file__", "")).startswith(self.recorder.root)
            for value in list(vars(module).values())
            if isinstance(value, types.FunctionType) and value.__qualname__ == found[1]
        ]
        taken = [value.__code__ for value in functions if not hasattr(value, "__wrapped__")]
        return bool(taken) and not any(
            code.co_flags & inspect.CO_VARKEYWORDS
            or found[2] in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            for code in taken
        )

    def tainted(self, error: BaseException) -> bool:
        """Whether an exception is, for all that can be seen, one that the real module would not have led to."""
        if clash(error):
            return False
        if isinstance(error, NameError) and self.first_fault is not None:
            return True  # the statement that failed on stubs may be the one that defines it
        if any(map(self.through_stub, refusals.chain(error))):
            return True
        if type(error).__name__ == "PackageNotFoundError":
            return self.ground.stubs_allowed
        if isinstance(error, OSError) and type(error).__name__ in _NETWORK:
            return self.ground.stubs_allowed  # it fetches something before it parses
        if _COMPILED.search(str(error)) or type(error).__name__ == "UnpicklingError":
            return self.ground.stubs_allowed  # a part that has to be built first, or objects of a missing module
        if isinstance(error, SyntaxError) or not self.ground.stubs_allowed:
            return False
        if isinstance(error, SystemExit):
            return bool(self.recorder.tested > 0)
        if isinstance(error, ImportError):
            return False
        last = None
        for trace in refusals.steps(error):
            if trace.tb_frame.f_code.co_filename.startswith(self.recorder.root):
                last = trace
        if last is None:
            return False
        if self.recorder.tested and self._line(last).lstrip().startswith(("raise", "assert")):
            return True  # on purpose, and perhaps for what a stub said
        held = last.tb_frame.f_locals.values() if last.tb_frame.f_code.co_name != "<module>" else ()
        return any(stubs.is_stub(value) for value in held)

    def through_stub(self, error: BaseException) -> bool:
        """Whether a stub was at work where an exception was raised, or on a line of the repository that it passed."""
        if stubs.is_stub(error) or "Stub" in str(error) or "/nonexistent/" in str(error):
            return True
        if isinstance(error, (SyntaxError, SystemExit, ImportError)) or not self.ground.stubs_allowed:
            return False
        root = self.recorder.root
        return any(
            trace.tb_frame.f_code.co_filename == stubs.__file__
            or (trace.tb_frame.f_code.co_filename.startswith(root) and self._line_on_stubs(trace))
            for trace in refusals.steps(error)
        )

    def refuses(self, error: BaseException) -> bool:
        """Whether the program's own code refuses its words, and no stub was at work in that; see refusals.py."""
        if any(map(self.through_stub, refusals.chain(error))):
            return False
        words = [str(word) for word in sys.argv[1:]]
        return refusals.on_purpose(error, self.recorder.root) or (
            self.recorder.by_hand and refusals.names_words(error, self.recorder.root, words)
        )

    def _line(self, trace: types.TracebackType) -> str:
        try:
            lines = self._source(trace.tb_frame.f_code.co_filename).splitlines()
        except (OSError, UnicodeDecodeError, SyntaxError):
            return ""
        return lines[trace.tb_lineno - 1] if trace.tb_lineno <= len(lines) else ""

    def _line_on_stubs(self, trace: types.TracebackType) -> bool:
        frame = trace.tb_frame
        for word in set(_WORD.findall(self._line(trace).replace(".", " "))):
            value = frame.f_locals.get(word, frame.f_globals.get(word))
            if value is not None and stubs.is_stub(value):
                return True
        return False


class Builtins(dict):  # type: ignore[type-arg]  # cannot be subscripted as a base under Python 3.8
    """The builtins of one module: also those of Python 2, and whatever came with `import *` from a stub."""

    def __init__(self, imports: Imports, package: str, source: str) -> None:
        super().__init__(vars(builtins))
        self._imports, self._package = imports, package
        self._stars = _STAR.findall(source) if "*" in source else []

    def __missing__(self, name: str) -> Any:
        if name in python2.BUILTINS:
            self._imports.repaired(f"Python 2 builtin {name}")
            return python2.BUILTINS[name]
        if not name.startswith("__") and self.from_stub():
            self._imports.recorder.touched += 1
            return stubs.Stub(name)
        raise KeyError(name)

    def from_stub(self) -> bool:
        """Whether names may have come with `import *` from a stub."""
        for star in self._stars:
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
    """The line of the module itself on which an exception passed through; 0 where it did not."""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == path and code.co_name == "<module>":
            return trace.tb_lineno
        trace = trace.tb_next
    return 0
