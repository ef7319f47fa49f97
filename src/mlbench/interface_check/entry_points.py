"""Read what a repository declares: its console scripts, and the folders of its modules.

Read from `setup.py` (as a syntax tree, never run), `setup.cfg` and `pyproject.toml`.
"""

from __future__ import annotations

import ast
import configparser
import os
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from mlbench.shell.languages import parse_python

_LARGEST = 200_000
_DECLARING = ("setup.py", "setup.cfg", "pyproject.toml")
_TARGET = re.compile(r"\s*([\w.-]+)\s*=\s*([A-Za-z_][\w.]*)\s*(?::\s*([A-Za-z_][\w.]*))?\s*(?:\[.*\])?\s*")


@dataclass(frozen=True)
class EntryPoints:
    """The scripts and modules that an installation of a repository would provide.

    Attributes:
        functions: console script -> `module:function`.
        scripts: name of a script -> its path in the repository (`scripts=` of setuptools).
        roots: folders with importable modules, relative to the repository's root; `.` is the root itself.
        packages: top-level package -> its folder, if `package_dir` names it.
    """

    functions: dict[str, str] = field(default_factory=dict)
    scripts: dict[str, str] = field(default_factory=dict)
    roots: tuple[str, ...] = (".",)
    packages: dict[str, str] = field(default_factory=dict)

    def file_of(self, repository: Path, module: str, beside: tuple[str, ...] = ()) -> str | None:
        """Return the file that `python -m MODULE` runs, relative to the repository's root; None if there is none.

        Args:
            repository: the checkout.
            module: dotted name.
            beside: folders that are searched first, relative to the repository's root.
        """
        parts = module.split(".")
        if not all(part.isidentifier() for part in parts):
            return None
        places = [(Path(folder), parts) for folder in (*beside, *self.roots)]
        for count in range(1, len(parts) + 1):  # `esm.scripts: scripts` goes before `esm: esm`
            if (package := ".".join(parts[:count])) in self.packages:
                places.insert(len(beside), (Path(self.packages[package]), parts[count:]))
        for folder, names in places:
            path = folder.joinpath(*names)
            for file in (path / "__main__.py", path.with_name(f"{path.name}.py")) if names else (path / "__main__.py",):
                if os.path.isfile(repository / file):  # never raises, although a candidate's names may be too long
                    return file.as_posix()
        return None


@lru_cache(maxsize=64)
def entry_points(repository: Path) -> EntryPoints:
    """Read the declarations of a repository and of the projects in its folders. Unreadable parts are left out.

    The repository's own declarations precede those of its folders.
    """
    found = _project(repository)
    roots = list(found.roots)
    for folder in _projects_below(repository):
        inner = _project(repository / folder)
        for name, target in inner.functions.items():
            found.functions.setdefault(name, target)
        for name, path in inner.scripts.items():
            found.scripts.setdefault(name, f"{folder}/{path}")
        for name, path in inner.packages.items():
            found.packages.setdefault(name, Path(folder, path).as_posix())
        if inner.functions:
            roots += [Path(folder, root).as_posix() for root in inner.roots]
    return EntryPoints(found.functions, found.scripts, tuple(dict.fromkeys(roots)), found.packages)


def _projects_below(repository: Path) -> list[str]:
    """The folders of a repository that hold a project of their own."""
    try:
        folders = sorted(each.name for each in repository.iterdir() if each.is_dir() and not each.is_symlink())
    except OSError:
        return []
    return [
        name
        for name in folders
        if not name.startswith(".") and any((repository / name / file).is_file() for file in _DECLARING)
    ]


def _project(folder: Path) -> EntryPoints:
    """The declarations in one folder, with paths relative to it."""
    functions: dict[str, str] = {}
    scripts: dict[str, str] = {}
    package_dir: dict[str, str] = {}
    for found in (_setup_py(folder), _setup_cfg(folder), _pyproject(folder)):
        functions.update(found.functions)
        scripts.update(found.scripts)
        package_dir.update(found.packages)
    roots = ["."]
    top = package_dir.pop("", "")
    for inner in (top, "src"):
        clean = Path(inner).as_posix() if inner else ""
        if clean and clean not in roots and ".." not in Path(clean).parts and (folder / clean).is_dir():
            roots.append(clean)
    return EntryPoints(functions, scripts, tuple(roots), package_dir)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")[:_LARGEST]
    except OSError:
        return ""


def _parsed(lines: object) -> dict[str, str]:
    """Parse `name = module:function`, one per line or per element."""
    given = lines.splitlines() if isinstance(lines, str) else lines if isinstance(lines, list | tuple) else []
    matches = (_TARGET.fullmatch(line) for line in given if isinstance(line, str))
    return {match[1]: f"{match[2]}:{match[3] or 'main'}" for match in matches if match}


def _sections(text: str) -> configparser.ConfigParser | None:
    parser = configparser.ConfigParser(interpolation=None, strict=False, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    return parser


def _setup_cfg(repository: Path) -> EntryPoints:
    parser = _sections(_text(repository / "setup.cfg"))
    if parser is None:
        return EntryPoints()
    functions = {
        name: target
        for kind in ("console_scripts", "gui_scripts")
        for name, target in _parsed(parser.get("options.entry_points", kind, fallback="")).items()
    }
    folders = parser.get("options", "package_dir", fallback="").splitlines()
    pairs = [line.partition("=")[::2] for line in folders if "=" in line]
    scripts = [line.strip() for line in parser.get("options", "scripts", fallback="").splitlines() if line.strip()]
    return EntryPoints(functions, _by_name(scripts), (), {name.strip(): folder.strip() for name, folder in pairs})


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _pyproject(repository: Path) -> EntryPoints:
    try:
        data = tomllib.loads(_text(repository / "pyproject.toml"))
    except tomllib.TOMLDecodeError:
        return EntryPoints()
    functions: dict[str, str] = {}
    for keys in (("project", "scripts"), ("project", "gui-scripts"), ("tool", "poetry", "scripts")):
        table = _at(data, *keys)
        for name, target in table.items() if isinstance(table, dict) else ():
            written = target.get("reference", target.get("callable")) if isinstance(target, dict) else target
            functions.update(_parsed([f"{name}={written}"]))
    folders = _at(data, "tool", "setuptools", "package-dir")
    where = _at(data, "tool", "setuptools", "packages", "find", "where")
    packages = {str(name): str(folder) for name, folder in folders.items()} if isinstance(folders, dict) else {}
    roots = [str(each) for each in where] if isinstance(where, list) else []
    source = _at(data, "tool", "maturin", "python-source")
    roots = [source, *roots] if isinstance(source, str) else roots
    for each in _listed(_at(data, "tool", "poetry", "packages")):
        roots += [str(each["from"])] if isinstance(each, dict) and "from" in each else []
    for each in _listed(_at(data, "tool", "hatch", "build", "targets", "wheel", "packages")):
        roots += [Path(each).parent.as_posix()] if isinstance(each, str) and "/" in each else []
    if roots:
        packages.setdefault("", roots[0])
    scripts = _at(data, "tool", "setuptools", "script-files")
    return EntryPoints(functions, _by_name(_listed(scripts)), (), packages)


def _at(data: Any, *keys: str) -> Any:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _by_name(paths: object) -> dict[str, str]:
    given = [path for path in paths if isinstance(path, str)] if isinstance(paths, list | tuple) else []
    return {path.rpartition("/")[2]: Path(path).as_posix() for path in given if ".." not in Path(path).parts}


def _setup_py(repository: Path) -> EntryPoints:
    _, tree = parse_python(_text(repository / "setup.py"))
    if tree is None:
        return EntryPoints()
    names = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    } | _returned(tree)
    functions: dict[str, str] = {}
    scripts: dict[str, str] = {}
    packages: dict[str, str] = {}
    for keyword in _setup_keywords(tree, names):
        value = _literal(keyword.value, names)
        if keyword.arg == "entry_points":
            functions.update(_declared(value))
        elif keyword.arg == "scripts":
            scripts.update(_by_name(value))
        elif keyword.arg == "package_dir" and isinstance(value, dict):
            packages.update({str(name): str(folder) for name, folder in value.items() if isinstance(folder, str)})
    return EntryPoints(functions, scripts, (), packages)


def _setup_keywords(tree: ast.Module, names: dict[str, ast.expr]) -> Iterator[ast.keyword]:
    """The keywords of each call of `setup`, including those in `**NAME`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "setup":
            for keyword in node.keywords:
                mapping = _expression(keyword.value, names) if keyword.arg is None else None
                if isinstance(mapping, ast.Dict):
                    for key, value in zip(mapping.keys, mapping.values, strict=True):
                        if isinstance(key, ast.Constant) and isinstance(key.value, str):
                            yield ast.keyword(key.value, value)
                elif isinstance(mapping, ast.Call):
                    yield from mapping.keywords
                elif keyword.arg is not None:
                    yield keyword


def _expression(node: ast.expr, names: dict[str, ast.expr]) -> ast.expr:
    """What a name, or the call of a function without arguments, stands for."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.args and not node.keywords:
        node = names.get(f"{node.func.id}()", node)
    return names.get(node.id, node) if isinstance(node, ast.Name) else node


def _returned(tree: ast.Module) -> dict[str, ast.expr]:
    """By `NAME()`, what a function of the module returns last."""
    return {
        f"{node.name}()": each.value
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        for each in node.body
        if isinstance(each, ast.Return) and each.value is not None
    }


def _declared(value: object) -> dict[str, str]:
    """Parse `entry_points`, which is a dict of lists or the text of an ini file."""
    if isinstance(value, str):
        parser = _sections(value)
        value = {name: [f"{k}={v}" for k, v in parser[name].items()] for name in parser.sections()} if parser else {}
    if not isinstance(value, dict):
        return {}
    return {**_parsed(value.get("gui_scripts")), **_parsed(value.get("console_scripts"))}


def _literal(node: ast.expr, names: dict[str, ast.expr], depth: int = 0) -> object:
    """The value of an expression. Parts that are not literal are None."""
    if depth > 10:
        return None
    node = _expression(node, names)
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.List | ast.Tuple):
        return [_literal(element, names, depth + 1) for element in node.elts]
    if isinstance(node, ast.Dict):
        return {
            _literal(key, names, depth + 1): _literal(value, names, depth + 1)
            for key, value in zip(node.keys, node.values, strict=True)
            if isinstance(key, ast.Constant)
        }
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _literal(node.left, names, depth + 1), _literal(node.right, names, depth + 1)
        if isinstance(left, str) and isinstance(right, str):
            return left + right
        return [*(left if isinstance(left, list) else []), *(right if isinstance(right, list) else [])]
    return None
