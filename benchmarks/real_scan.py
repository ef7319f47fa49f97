"""Which programs of a repository parse a command line, found by reading: nothing is imported or run.

A program is a file that, when started, parses: in its own top-level statements or `__main__` block, or through
functions and classes that these name, followed within the repository. A file that Python 3 cannot parse is read after
a simple rewriting of its print statements, and counts by its text where that fails as well.
"""

from __future__ import annotations

import ast
import itertools
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

# calls (or decorators) that parse a command line; `main` and `run` only on the objects named
PARSE_CALLS = {
    "parse_args", "parse_known_args", "parse_intermixed_args", "parse_args_and_arch", "parse_args_into_dataclasses",
    "parse_known_intermixed_args", "docopt", "Fire", "LightningCLI", "parse_sys_argv", "OptionParser",
}  # fmt: skip
PARSE_OF = {
    "main": {"hydra"},
    "run": {"app", "typer", "tf.app", "absl.app", "tf.compat.v1.app", "tf1.app"},
    "command": {"click"},
    "group": {"click"},
    "cli": {"tyro"},
    "CLI": {"jsonargparse"},
    "parse": {"simple_parsing"},
    "from_cli": {"OmegaConf"},
}


@dataclass(frozen=True)
class Option:
    """One `add_argument` as it is written: its names, and what of type, choices and so on is a literal."""

    names: tuple[str, ...]
    type: str = ""
    choices: tuple[str, ...] = ()
    plain: bool = True  # takes exactly one value
    required: bool = False

    @property
    def good(self) -> str:
        """A value that should do."""
        return self.choices[0] if self.choices else {"int": "7", "float": "0.25", "": "text"}.get(self.type, "3")


@dataclass(frozen=True)
class Program:
    """A file that parses a command line when it is started. `by_hand`: it only reads `sys.argv`."""

    path: str
    by_hand: bool
    options: tuple[Option, ...] = ()


@dataclass
class _File:
    path: str
    tree: ast.Module
    guarded: bool = False
    started: list[ast.stmt] = field(default_factory=list)  # what runs when the file is started
    defined: dict[str, ast.AST] = field(default_factory=dict)
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)  # local name -> (file, name there or "")


def programs(root: Path) -> list[Program]:
    """The programs of a repository that read a command line, sorted by path; `setup.py` is none."""
    files = {}
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root).as_posix()
        if path.is_file() and path.name != "setup.py" and (tree := _tree(path)) is not None:
            files[relative] = _File(relative, tree)
    for file in files.values():
        _fill(file, files)
    found = []
    for file in files.values():
        reached = list(_reached(file, files))
        options = tuple(_options(file.tree)) or tuple(option for node in reached for option in _options(node))
        if any(_parses(node) for node in reached):
            found.append(Program(file.path, False, options))
        elif file.guarded and any(_reads_argv(node) for node in reached):
            found.append(Program(file.path, True))
    return found


def vectors(program: Program, thorough: bool = False) -> dict[str, tuple[str, ...]]:
    """Argument vectors that try a program: what each tries -> the words.

    Args:
        thorough: several of each kind, and other spellings.
    """
    options: dict[str, Option] = {}
    for option in program.options:
        before = options.get(option.names[-1])
        options[option.names[-1]] = replace(before, required=True) if before and option.required else option
    filled: list[str] = []
    for name, option in options.items():
        if option.required:
            filled += [name, option.good] if name.startswith("-") else [option.good]
    long = {name: option for name, option in options.items() if name.startswith("--") and option.plain}
    tries = {"empty": (), "filled": tuple(filled), "unknown": (*filled, "--no-such-option", "1")}

    def several(label: str, words: Iterable[tuple[str, ...]], limit: int) -> None:
        for n, more in enumerate(itertools.islice(words, limit if thorough else 1)):
            tries[f"{label} {n + 1}" if n else label] = (*filled, *more)

    several("bad int", ((name, "seven") for name, option in long.items() if option.type == "int"), 2)
    several("bad choice", ((name, "no-such-choice") for name, option in long.items() if option.choices), 2)
    several("good", ((name, option.good) for name, option in long.items()), 5)
    if thorough:
        numbers = [name for name, option in long.items() if option.type in ("int", "float")]
        several("joined", ((f"{name}={option.good}",) for name, option in reversed(long.items())), 2)
        several("abbreviated", ((name[:-1], options[name].good) for name in numbers), 2)
        several("ambiguous", ((name[:4], options[name].good) for name in numbers), 1)
        several("twice", ((name, "1", name, "2") for name in numbers), 1)
        several("negative", ((name, "-3") for name in numbers), 1)
        several("without value", ((name,) for name in long), 1)
        several("bad float", ((name, "1,5") for name, option in long.items() if option.type == "float"), 1)
        several("flag", ((name,) for name, option in options.items() if name[0] == "-" and not option.plain), 2)
        several("all", (tuple(w for name, o in long.items() for w in (name, o.good)),), 1)
        several("positional", (("leftover",),), 1)
        several("help", (("--help",),), 1)
    return tries


def _tree(path: Path) -> ast.Module | None:
    text = path.read_bytes().decode("utf-8", errors="replace").lstrip("\ufeff").expandtabs(8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for source in (text, _rewritten(text)):
            try:
                return ast.parse(source)
            except (SyntaxError, ValueError):
                continue
    return None


def _rewritten(text: str) -> str:
    """Python 2's print and except statements so that Python 3 reads them; what they mean is of no interest here."""
    text = re.sub(r"^(\s*)print\b(?!\s*\().*?(\\\n.*?)*$", r"\1pass", text, flags=re.MULTILINE)
    text = re.sub(r"^(\s*)print\s*\(.*\)\s*[%,].*$", r"\1pass", text, flags=re.MULTILINE)
    text = re.sub(r"\basync\s*=", "async_=", text)  # a keyword since 3.7
    return re.sub(r"^(\s*except\s+[^:\n]+?),\s*(\w+)\s*:", r"\1 as \2:", text, flags=re.MULTILINE)


def _fill(file: _File, files: dict[str, _File]) -> None:
    for statement in file.tree.body:
        if isinstance(statement, ast.If) and "__name__" in ast.dump(statement.test):
            file.guarded = True
            file.started += statement.body
        elif isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            file.defined[statement.name] = statement
        else:
            file.started.append(statement)
    for node in ast.walk(file.tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                base = "." * node.level + (node.module or "")
                if found := _find(file.path, base, files, alias.name):
                    file.imported[alias.asname or alias.name] = found
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if found := _find(file.path, alias.name, files, ""):
                    file.imported[alias.asname or alias.name.split(".")[-1]] = found


def _find(importer: str, module: str, files: dict[str, _File], name: str) -> tuple[str, str] | None:
    """The repository's file behind an import: beside the importer first, then in the folders above it."""
    folder = importer.split("/")[:-1]
    level = len(module) - len(module.lstrip("."))
    words = [word for word in module.lstrip(".").split(".") if word]
    bases = [folder[: len(folder) - level + 1]] if level else [folder[:n] for n in range(len(folder), -1, -1)]
    for base in bases:
        for tail, there in ((f"/{name}.py", ""), (".py", name), ("/__init__.py", name)):
            path = "/".join([*base, *words]).lstrip("/") + tail
            if path.lstrip("/") in files:
                return path.lstrip("/"), there
    return None


def _reached(file: _File, files: dict[str, _File]) -> Iterator[ast.AST]:
    """What a start of the file may run, by names: its statements, then functions and classes these mention."""
    todo: list[tuple[_File, ast.AST]] = [(file, statement) for statement in file.started]
    seen: set[int] = set()
    while todo:
        where, node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        for name in _mentions(node):
            target, there = where, name
            for _ in range(4):  # an `__init__` may hand a name on
                if there in target.defined:
                    todo.append((target, target.defined[there]))
                elif there in target.imported:
                    path, inside = target.imported[there]
                    target, there = files[path], inside
                    continue
                break


def _mentions(node: ast.AST) -> Iterable[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr


def _parses(node: ast.AST) -> bool:
    for part in ast.walk(node):
        called = part.func if isinstance(part, ast.Call) else None
        if isinstance(called, ast.Name) and called.id in PARSE_CALLS:
            return True
        if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "FLAGS":
            return True  # TensorFlow's flags parse at their first access
        if isinstance(part, ast.Call) and isinstance(called, ast.Attribute):
            if called.attr in PARSE_CALLS:
                return True
            if called.attr == "run" and not part.args and ast.unparse(called.value) == "app":
                continue  # another kind of app: absl's wants the function
            if ast.unparse(called.value) in PARSE_OF.get(called.attr, ()):
                return True
    return False


def _reads_argv(node: ast.AST) -> bool:
    return any(
        isinstance(part, ast.Attribute) and part.attr == "argv" and ast.unparse(part.value) == "sys"
        for part in ast.walk(node)
    )


def _options(node: ast.AST) -> Iterator[Option]:
    required = set()
    for part in ast.walk(node):
        if not isinstance(part, ast.Call):
            continue
        called = getattr(part.func, "attr", "")
        texts = [
            word.value for word in ast.walk(part) if isinstance(word, ast.Constant) and isinstance(word.value, str)
        ]
        if called in ("mark_flag_as_required", "mark_flags_as_required"):
            required.update(texts)
        words = {word.arg: word.value for word in part.keywords}
        first = [word.value for word in part.args if isinstance(word, ast.Constant) and isinstance(word.value, str)]
        if called in _FLAGS and first:
            yield Option((f"--{first[0]}",), _FLAGS[called], _texts(part.args[2:3]) if called == "DEFINE_enum" else ())
        if called not in ("add_argument", "add_option") or not first:
            continue
        optional = isinstance(many := words.get("nargs"), ast.Constant) and many.value in ("?", "*")
        wanted = isinstance(must := words.get("required"), ast.Constant) and must.value is True
        kind = words.get("type")
        yield Option(
            tuple(first),
            kind.id if isinstance(kind, ast.Name) else "other" if kind else "",
            _texts([words["choices"]]) if "choices" in words else (),
            not {"nargs", "action"} & set(words),
            wanted if first[0].startswith("-") else not optional,
        )
    for name in sorted(required):
        yield Option((f"--{name}",), required=True)


_FLAGS = {"DEFINE_integer": "int", "DEFINE_float": "float", "DEFINE_string": "", "DEFINE_enum": ""}


def _texts(nodes: Iterable[ast.AST]) -> tuple[str, ...]:
    """What a literal list or tuple holds, as texts."""
    found = (node.elts for node in nodes if isinstance(node, ast.List | ast.Tuple))
    return tuple(str(word.value) for words in found for word in words if isinstance(word, ast.Constant))
