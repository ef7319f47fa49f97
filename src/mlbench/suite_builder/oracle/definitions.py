"""Finds the source lines that define an option, an API name or a value, where the documentation is silent."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from mlbench.repositories.documents import inner_files, text_of
from mlbench.suite_builder.oracle.appearance import nested_lines
from mlbench.suite_builder.oracle.needs import Need, NeedKind
from mlbench.suite_builder.oracle.spans import (
    FileSpan,
    definition_patterns,
    is_nested,
    positional_pattern,
    registered_pattern,
)
from mlbench.suite_builder.oracle.statements import SourceFile, read_source

_ENDINGS = (".py", ".yaml", ".yml", ".json", ".toml", ".cfg", ".ini", ".sh", ".gin")
_LARGEST = 400_000
_MOST_FILES = 4000
_SETTINGS = 40
"""The nearest settings files in which an option is looked for."""
_LABEL = 8
"""The most lines between a signature and its class for which the class is shown as well."""
_DOCSTRING = 30
"""The most lines of a docstring that are shown."""
_IMPORT = re.compile(r"(?m)^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+\(?([\w, \t]*)|import[ \t]+([\w., \t]+))")
_HEADER = re.compile(r"[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]")


class Definitions:
    """The definitions in one repository's source files."""

    def __init__(self, repository: Path) -> None:
        self._repository = repository
        self._sources: dict[str, SourceFile | None] = {}

    @cached_property
    def _paths(self) -> list[str]:
        found = [path for path in inner_files(self._repository) if path.endswith(_ENDINGS)]
        return found[:_MOST_FILES]

    @cached_property
    def modules(self) -> frozenset[str]:
        """The names of the modules and packages that no other package encloses."""
        python = {path for path in self._paths if path.endswith(".py")}
        found = set()
        for path in python:
            name, folder = path.removesuffix(".py"), posixpath.dirname(path)
            while folder and f"{folder}/__init__.py" in python:
                name, folder = folder, posixpath.dirname(folder)
            found |= {posixpath.basename(name), path.partition("/")[0].removesuffix(".py")}
        return frozenset(found)

    @cached_property
    def _there(self) -> frozenset[str]:
        return frozenset(self._paths)

    def is_common(self, program: str) -> bool:
        """Whether several files have the name of a program."""
        name = posixpath.basename(program)
        return sum(f"/{path}".endswith(f"/{name}") for path in self._paths) > 1

    def near(self, starts: Iterable[str]) -> list[str]:
        """Some files, then what they import of the repository, nearest first."""
        found = dict.fromkeys(path for path in starts if path in self._there or self._source(path))
        for path in (queue := list(found)):  # grows while it is read
            for other in self._imported(path):
                if other not in found:
                    found[other] = None
                    queue.append(other)
        return list(found)

    def of(self, need: Need, near: Sequence[str]) -> Iterator[FileSpan]:
        """The spans that define a need, the likeliest first.

        Args:
            need: what is looked for.
            near: the program's files and what they import, nearest first.
        """
        match need.kind:
            case NeedKind.OPTION if is_nested(need.word):
                yield from self._nested(need, near)
            case NeedKind.OPTION:
                yield from self._option(need, near)
            case NeedKind.POSITIONS if not need.count:
                yield from self._search([positional_pattern(need.word)], near)
            case NeedKind.NAME | NeedKind.KEYWORD | NeedKind.POSITIONS:
                yield from self._name(need, near)
            case NeedKind.MODULE:
                yield from self._module(need)
            case NeedKind.PROGRAM:
                yield from self._heads(path for path in near if f"/{path}".endswith(f"/{need.spellings[0]}"))
            case NeedKind.VALUE:
                yield from self._value(need, near)

    def _option(self, need: Need, near: Sequence[str]) -> Iterator[FileSpan]:
        quoted = [rf"""["']{re.escape(spelling)}["'/= ]""" for spelling in need.spellings if spelling.startswith("-")]
        yield from self._search(quoted, near)
        settings = [path for path in near if not path.endswith(".py")]
        python = [path for path in near if path.endswith(".py")]
        yield from self._search(definition_patterns(need, True), python)
        yield from self._search(definition_patterns(need, False), settings)
        others = self._by_distance(near)
        far = [path for path in others if not path.endswith(".py")]
        yield from self._search(definition_patterns(need, False), far[:_SETTINGS])
        python = [path for path in others if path.endswith(".py")]
        yield from self._search(quoted, python)
        yield from self._search(definition_patterns(need, True)[:1], python)

    def _nested(self, need: Need, near: Sequence[str]) -> Iterator[FileSpan]:
        """The lines of settings files that lead from the outermost section of a setting to it."""
        for path in [*near, *self._by_distance(near)]:
            source = None if path.endswith(".py") else self._source(path)
            found = nested_lines(need.word, path, source.text) if source else None
            if source and found:
                yield self._span(source, found[0] + 1, found[1] + 1)

    def _name(self, need: Need, near: Sequence[str]) -> Iterator[FileSpan]:
        files = [*self._of_function(need.function), *near]
        if need.kind is NeedKind.KEYWORD:
            yield from self._parameters(need, files)
            return
        pattern = rf"(?m)^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+{re.escape(need.spellings[0])}\b"
        for where in (files, self._by_distance(files)):
            for source, line in self._lines([pattern], [path for path in where if path.endswith(".py")]):
                yield self._span(source, *source.documented(line, _DOCSTRING))
        yield from self._search([rf"(?m)^{re.escape(need.word)}\s*(?::[^=\n]+)?=(?!=)"], files)
        yield from self._heads(path for path in self._paths if Path(path).stem == need.word)

    def _parameters(self, need: Need, files: Sequence[str]) -> Iterator[FileSpan]:
        """The signatures with a keyword: of the function itself, then of others that it may hand it to."""
        owner = re.sub(r"\([^()]*\)|\[[^\]]*\]", "", need.function).removesuffix(".__init__").rpartition(".")[2]
        header = rf"(?m)^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+{re.escape(owner or '_')}\b"
        word = re.compile(rf"\b{re.escape(need.word)}\b")
        python = [path for path in files if path.endswith(".py")]
        for source, line in self._lines([header], python):
            first, last = source.body(line)
            for begin, end in source.bounds:
                is_header = first <= begin <= last and _HEADER.match(source.lines[begin - 1])
                if is_header and word.search("\n".join(source.lines[begin - 1 : end])):
                    yield self._span(source, first if begin - first <= _LABEL else begin, end)
        for source, line in self._lines([rf"(?m)^[ \t]*def [^:]*\b{re.escape(need.word)}\b"], python):
            yield self._span(source, *source.statement(line))
        yield from self._search([rf"""["']{re.escape(need.word)}["']"""], python)
        far = [path for path in self._by_distance(files) if path.endswith(".py")]
        for source, line in self._lines([rf"(?m)^[ \t]*def [^:]*\b{re.escape(need.word)}\b"], far):
            yield self._span(source, *source.statement(line))

    def _module(self, need: Need) -> Iterator[FileSpan]:
        path = need.word.replace(".", "/")
        ends = (f"/{path}.py", f"/{path}/__init__.py")
        yield from self._heads(each for each in self._paths if f"/{each}".endswith(ends))

    def _value(self, need: Need, near: Sequence[str]) -> Iterator[FileSpan]:
        exact = posixpath.normpath(need.word)
        yield from self._heads([exact] if "/" in exact else [])
        yield from self._heads(path for path in self._paths if path.endswith(f"/{exact}"))
        spellings = [re.escape(spelling) for spelling in need.spellings]
        quoted = [rf"""["']{spelling}["']""" for spelling in spellings]
        yield from self._search(quoted, near)
        yield from self._search([rf"(?m)^[ \t]*(?:def|class)[ \t]+{spelling}\b" for spelling in spellings], near)
        yield from self._heads(path for path in self._paths if Path(path).stem in need.spellings)
        yield from self._search([registered_pattern(need.word)], [path for path in self._paths if path.endswith(".py")])
        yield from self._search([rf"(?m)^[ \t]*['\"]?{spelling}['\"]?\s*[:=]" for spelling in spellings], near)
        if len(need.word) > 3 and " " not in need.word:
            anywhere = [*quoted, *(rf"(?<!\w){spelling}(?!\w)" for spelling in spellings)]
            yield from self._search(anywhere, self._by_distance(near))

    def _search(self, patterns: Iterable[str], paths: Iterable[str]) -> Iterator[FileSpan]:
        for source, line in self._lines(patterns, paths):
            first, last = source.statement(line)
            yield self._span(source, first, max(last, source.decorated(first)))

    def _lines(self, patterns: Iterable[str], paths: Iterable[str]) -> Iterator[tuple[SourceFile, int]]:
        patterns = list(patterns)
        for path in paths:
            source = self._source(path)
            for pattern in patterns if source else ():
                for line in source.matches(pattern):  # type: ignore[union-attr]
                    yield source, line  # type: ignore[misc]

    def _heads(self, paths: Iterable[str]) -> Iterator[FileSpan]:
        """The first statements of files; what counts is the file's name."""
        for path in paths:
            source = self._source(path)
            if source and source.text.strip():
                filled = [at for at, text in enumerate(source.lines, 1) if text.strip()]
                line = next((at for at in filled if not source.lines[at - 1].startswith("#")), filled[0])
                yield self._span(source, line, source.statement(line)[1])

    def _span(self, source: SourceFile, first: int, last: int) -> FileSpan:
        return FileSpan(source.path, first, last, "".join(f"{line}\n" for line in source.lines[first - 1 : last]))

    def _source(self, path: str) -> SourceFile | None:
        if path not in self._sources:
            self._sources[path] = None
            file = self._repository / path
            if path.startswith(("/", "..")) or not file.resolve().is_relative_to(self._repository.resolve()):
                return None
            try:
                if file.is_file() and file.stat().st_size <= _LARGEST:
                    text = text_of(file)
                    self._sources[path] = None if "\0" in text or "\ufffd" in text[:2000] else read_source(path, text)
            except (OSError, ValueError):
                pass
        return self._sources[path]

    def _of_function(self, dotted: str) -> list[str]:
        """The files that a dotted name may be defined in: `a/b.py` of `a.b.C.method`, then shorter ones."""
        parts = [part for part in re.sub(r"\([^()]*\)|\[[^\]]*\]", "", dotted).split(".") if part]
        found: list[str] = []
        for count in range(len(parts), 0, -1):
            path = "/".join(parts[:count])
            found += [each for each in self._paths if f"/{each}".endswith((f"/{path}.py", f"/{path}/__init__.py"))]
        return found

    def _by_distance(self, near: Sequence[str]) -> list[str]:
        """The other files, those that share the most folders with the program first."""
        home = near[0].split("/")[:-1] if near else []
        done = set(near)

        def distance(path: str) -> tuple[int, str]:
            folders = path.split("/")[:-1]
            shared = len([1 for a, b in zip(home, folders, strict=False) if a == b])
            return len(home) + len(folders) - 2 * shared, path

        return sorted((path for path in self._paths if path not in done), key=distance)

    def _imported(self, path: str) -> Iterator[str]:
        source = self._source(path) if path.endswith(".py") else None
        folder = posixpath.dirname(path)
        for match in _IMPORT.finditer(source.text) if source else ():
            base, names, plain = match[1], match[2], match[3]
            modules = [each.split()[0] for each in plain.split(",") if each.strip()] if plain else [base]
            if names:
                modules += [
                    f"{base}{'' if base.endswith('.') else '.'}{name.split()[0]}"
                    for name in names.split(",")
                    if name.strip()
                ]
            for module in modules:
                yield from self._files_of_module(module, folder)

    def _files_of_module(self, module: str, folder: str) -> Iterator[str]:
        dots = len(module) - len(module.lstrip("."))
        inner = module.lstrip(".").replace(".", "/")
        if not inner:
            return
        if dots:
            bases = [posixpath.normpath(posixpath.join(folder, *[".."] * (dots - 1)))]
        else:
            parents = folder.split("/") if folder else []
            bases = ["/".join(parents[:count]) for count in range(len(parents), -1, -1)] + ["src", "python", "lib"]
        for base in bases:
            for ending in (".py", "/__init__.py"):
                path = posixpath.normpath(posixpath.join(base, inner + ending))
                if path in self._there:
                    yield path
                    return
