"""Whether a program reads an option that its parser accepts: programs that share a parser do not read all of it."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from mlbench.repositories.documents import inner_files, readable_text

_AFTER = 4
"""Lines of a place that reads a setting."""
MOST_FILES = 300
"""Files that a program may import before the question is left open."""
_WITH_OPTIONS = (".py", ".md", ".rst", ".txt", ".sh", ".ipynb", ".yaml", ".yml")
_LARGEST = 400_000
_SPELLED = re.compile(r"""(?<![\w-])--?[A-Za-z][\w-]*""")
_FIELD = re.compile(r"(?m)^(?: {4}|\t)(\w+)[ \t]*:[ \t]*[A-Za-z](?:[^\n]*[^,\n])?$")
"""A field of a class; a parameter on a line of its own ends in a comma, or stands further inside."""
_SETTINGS = r"(?:args|opts?|cfg|config|conf|params|hparams|flags|FLAGS|options|parser\.parse_args\(\))"
_WHOLE = re.compile(
    rf"\b(?:vars|asdict|dict|Namespace)\(\s*\**\s*(?:self\.)?{_SETTINGS}\b|\b{_SETTINGS}\.__dict__|\blocals\(\)"
    rf"|_get_kwargs|(?<!\w)\*\*\s*(?:self\.)?{_SETTINGS}\b"
)
"""Code that hands all settings on, so that no name tells which are read."""
_HANDED = re.compile(rf"(\w+)\(\s*(?:[^()]*,\s*)?(?:\w+\s*=\s*)?(?:self\.)?{_SETTINGS}\s*[,)]")
"""The function that is given all settings: a library's (timm's `create_optimizer(args, model)`) may read any."""
_DEFINED = re.compile(r"^\s*(?:async\s+)?(?:def|class)\s+(\w+)", re.M)
_DEFINES_OPTION = re.compile(r"\badd_argument\(|\bDEFINE_\w+\(|\bclick\.option\(")
_SHOWING = frozenset(["print", "str", "repr", "pprint", "pformat", "info", "debug", "log", "format", "len", "type"])
_SHOWING |= {"getattr", "setattr", "hasattr", "isinstance"}  # a copy under the same name has to be read as well


def is_read(repository: Path, program: str, name: str) -> bool:
    """Return whether a program, or what it imports of the repository, reads a setting of its parser.

    Args:
        repository: its checkout.
        program: the program's file, relative to the checkout.
        name: the setting's destination, as in `args.batch_size`.

    Returns:
        True also if nothing can be said: the settings are handed on as a whole, or a file cannot be read.
    """
    texts = [text for _, text in _reached(repository, program)]
    if not texts or not re.fullmatch(r"[A-Za-z_]\w*", name):
        return True
    reads = _reads(name)
    own = {found for text in texts for found in _DEFINED.findall(text)} | _SHOWING
    return any(reads.search(text) or _WHOLE.search(text) or not own.issuperset(_HANDED.findall(text)) for text in texts)


def is_shown(repository: Path, place: str, options: Iterable[str]) -> bool:
    """Return whether a file of the repository has an option, or a field that makes it: else only a library defines it.

    Args:
        repository: its checkout.
        place: the option's destination.
        options: its spellings.
    """
    spelled, fields = _shown(repository)
    return place in fields or not spelled.isdisjoint(options)


@lru_cache(maxsize=4)
def _shown(repository: Path) -> tuple[frozenset[str], frozenset[str]]:
    """The options that the files of a repository spell, and the annotated fields of its classes."""
    spelled, fields = set(), set()
    for path in filter(lambda path: path.endswith(_WITH_OPTIONS), inner_files(repository)):
        text = readable_text(repository / path)[:_LARGEST]
        spelled.update(_SPELLED.findall(text))
        if path.endswith(".py"):
            fields.update(_FIELD.findall(text))
    return frozenset(spelled), frozenset(fields)


def reads_of(repository: Path, program: str, name: str) -> list[tuple[str, str]]:
    """The places where a program, and what it imports of the repository, reads a setting: file, line and what follows.

    Those that read it of the settings (`args.name`) come first, then those in the program itself. Then the other lines
    that name it, each alone, but for the one that defines the option.

    Args:
        repository: its checkout.
        program: the program's file, relative to the checkout.
        name: the setting's destination.
    """
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        return []
    reads, word = _reads(name), re.compile(rf"\b{name}\b")
    texts = [(file, text.splitlines()) for file, text in _reached(repository, program)]
    found = [(file, lines, at) for file, lines in texts for at, line in enumerate(lines) if name in line]
    places = [(file, lines[at : at + _AFTER]) for file, lines, at in found if reads.search(lines[at])]
    others = [
        (file, [lines[at]])
        for file, lines, at in found
        if not reads.search(lines[at]) and word.search(lines[at]) and not _DEFINES_OPTION.search(lines[at])
    ]
    meant = re.compile(rf"\b{_SETTINGS}(?:\.{name}\b|\[['\"]{name}['\"]\])")
    places.sort(key=lambda place: (meant.search(place[1][0]) is None, place[0] != program))  # stable
    return list(dict.fromkeys((file, textwrap.dedent("\n".join(lines)).strip()) for file, lines in places + others))


def reached_files(repository: Path, program: str) -> frozenset[str]:
    """The program and the files that it imports of the repository; empty if they cannot be told."""
    return frozenset(file for file, _ in _reached(repository, program))


def is_only_stored(repository: Path, program: str, name: str) -> bool:
    """Whether a setting ends in an attribute that nothing reads: `self.size = size`, and no `self.size` elsewhere.

    Args:
        repository: its checkout.
        program: the program's file, relative to the checkout.
        name: the setting's destination.
    """
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        return False
    text = "\n".join(text for _, text in _reached(repository, program))
    rest, stored = re.subn(rf"\bself\.{name}\s*=\s*{name}\b(?![\w.(\[])", "", text)
    rest = re.sub(rf"\b{_SETTINGS}\.{name}\b|(?<![\w.]){name}\s*[=:](?!=)|[\"']--?[\w-]*[\"']", "", rest)
    rest = re.sub(r"\bdef\s+\w+\([^)]*\)", "", rest)
    return stored > 0 and re.search(rf"(?<!\w){name}\b", rest) is None


def _reads(name: str) -> re.Pattern[str]:
    """What reads an attribute or key of this name."""
    return re.compile(
        rf"\.{name}\b(?!\s*=(?!=))|\[\s*['\"]{name}['\"]\s*\]|\.(?:get|pop)\(\s*['\"]{name}['\"]"
        rf"|getattr\(\s*[^,()]+,\s*['\"]{name}['\"]"
    )


class _Module:
    """The source of a file by its parts: each function or class by name, and the rest under an empty name."""

    def __init__(self, file: Path) -> None:
        text = file.read_text(encoding="utf-8")
        self.parts: dict[str, list[ast.stmt]] = {"": []}
        for node in ast.parse(text).body:
            is_definition = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
            self.parts.setdefault(node.name if is_definition else "", []).append(node)  # type: ignore[attr-defined]
        self.lines = text.splitlines()

    def text(self, part: str) -> str:
        return "\n".join(
            line for node in self.parts[part] for line in self.lines[node.lineno - 1 : node.end_lineno or node.lineno]
        )


@lru_cache(maxsize=64)
def _reached(repository: Path, program: str) -> tuple[tuple[str, str], ...]:
    """The parts of files that a program can reach by name, each with its file.

    Empty if a file cannot be read, or they are many.
    """
    root, first = repository.resolve(), (repository / program).resolve()
    modules: dict[Path, _Module] = {}
    found: dict[tuple[Path, str], str] = {}
    todo: list[tuple[Path, str | None]] = [(first, None)]  # None: the whole file
    while todo:
        file, part = todo.pop()
        try:
            module = modules.get(file) or modules.setdefault(file, _Module(file))
        except (OSError, ValueError, SyntaxError, RecursionError):
            return ()
        if len(modules) > MOST_FILES:
            return ()
        for name in [*module.parts] if part is None else ["", part]:
            if name not in module.parts or (file, name) in found:
                continue
            found[file, name] = module.text(name)
            for node in module.parts[name]:
                used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
                todo += [(file, each) for each in used if each in module.parts]
                todo += _imported(node, file, root, (first.parent, root, root / "src"))
    return tuple((file.relative_to(root).as_posix(), text) for (file, _), text in found.items())


def _imported(node: ast.AST, file: Path, root: Path, folders: tuple[Path, ...]) -> Iterator[tuple[Path, str | None]]:
    """What the imports in a statement reach: files, each with the name that is taken from it, or as a whole."""
    for each in ast.walk(node):
        if isinstance(each, ast.Import):
            for alias in each.names:
                yield from ((place, None) for place in _files(alias.name, folders, root))
        elif isinstance(each, ast.ImportFrom):
            up = (file.parents[each.level - 1],) if 0 < each.level <= len(file.parents) else folders
            for alias in each.names:
                whole = f"{each.module or ''}.{alias.name}".strip(".")
                if modules := list(_files(whole, up, root, exact=True)):
                    yield from ((place, None) for place in modules)
                name = None if alias.name == "*" else alias.name
                yield from ((place, name) for place in _files(each.module or "", up, root))


def _files(name: str, folders: tuple[Path, ...], root: Path, *, exact: bool = False) -> Iterator[Path]:
    """The files of a module: its own, and unless `exact` those of the packages above it."""
    parts = name.split(".") if name else []
    for folder in folders:
        for end in range(len(parts) if exact else min(1, len(parts)), len(parts) + 1):
            base = folder.joinpath(*parts[:end])
            for file in (base.parent / f"{base.name}.py" if end else base / "__init__.py", base / "__init__.py"):
                if file.is_file() and file.resolve().is_relative_to(root):
                    yield file.resolve()
