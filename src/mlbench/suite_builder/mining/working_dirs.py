"""Finds the folders in which a command or snippet of a page may run, the most likely first."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path, PurePosixPath

from mlbench.interface_check.checker import CheckTarget
from mlbench.interface_check.entry_points import entry_points
from mlbench.records import RepositoryCall
from mlbench.repositories.documents import inner_files, readable_text
from mlbench.sandbox.jail import WORKSPACE
from mlbench.suite_builder.mining.commands import SHELLS, commands, started
from mlbench.suite_builder.mining.placeholders import filled
from mlbench.suite_builder.types import CodeBlock

MOST_FOLDERS = 4
_HERE = r"(?:\$PWD|\$\{PWD\}|\$\(pwd\)|`pwd`|\.)"
_PYTHONPATH = re.compile(rf"\bPYTHONPATH=[\"']?(?:\$\{{?PYTHONPATH\}}?:)?{_HERE}(/[\w./-]*)?(?=[:\"'\s]|$)", re.M)


def installed(repository: Path) -> str:
    """The folder that an installation, or a documented `PYTHONPATH`, puts on Python's path: `.`, `src`, `python`."""
    files = frozenset(inner_files(repository))
    if documented := _documented_path(repository):
        return documented
    roots = [root for root in entry_points(repository).roots if root != "."]
    projects = [posixpath.dirname(file) for file in files if posixpath.basename(file) in ("setup.py", "pyproject.toml")]
    roots += sorted({root for root in projects if root and root.count("/") == 0})
    if any(re.fullmatch(r"[^/]+/__init__\.py", file) for file in files):
        roots = [root for root in roots if root == "src"]
    held = {root: _modules(root, files) for root in roots}
    return max(held, key=lambda root: held[root]) if any(held.values()) else "."


def _documented_path(repository: Path) -> str:
    """The folder that a README adds to `PYTHONPATH`; empty if it adds none, or one that is not there."""
    for name in ("README.md", "README.rst", "README.txt", "README"):
        file = repository / name
        text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
        for found in _PYTHONPATH.finditer(text):
            folder = posixpath.normpath(f"./{found[1] or ''}")
            if not folder.startswith("..") and (repository / folder).is_dir():
                return folder
    return ""


def _modules(root: str, files: frozenset[str]) -> int:
    """The number of files in a folder's packages."""
    packages = tuple(
        file.removesuffix("__init__.py") for file in files if re.match(rf"{re.escape(root)}/\w+/__init__\.py$", file)
    )
    return sum(file.startswith(packages) and file.endswith(".py") for file in files) if packages else 0


def roots_of(subject: CheckTarget) -> tuple[str, ...]:
    """The folders of the repository that a check has on Python's path, from its root."""
    path = subject.env.get("PYTHONPATH", "").split(":")
    return tuple(posixpath.relpath(each, WORKSPACE) for each in path if f"{each}/".startswith(f"{WORKSPACE}/"))


def named_first(folders: Iterable[str], prose: str) -> list[str]:
    """The folders, those first that the prose of the section names: "Cd to 'train/code', run the following"."""
    return sorted(folders, key=lambda each: not re.search(rf"(?<![\w./-])/?{re.escape(each)}/?(?![\w/-])", prose))


class WorkingDirs:
    """The files of a repository, listed once.

    Args:
        roots: folders whose modules are importable wherever code runs.
    """

    def __init__(self, repository: Path, roots: tuple[str, ...] = ()) -> None:
        self.repository = repository
        self.declared = entry_points(repository)
        self.roots = tuple(dict.fromkeys((*roots, *self.declared.roots)))
        self.files = frozenset(inner_files(repository))
        self.folders = frozenset(parent.as_posix() for file in self.files for parent in PurePosixPath(file).parents)
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._home: dict[str, str] = {}
        for file in sorted(self.files):
            self._by_name[posixpath.basename(file)].append(file)

    def of_command(self, page: str, folder: str, words: tuple[str, ...]) -> list[str]:
        """Folders in which a command would find its program, if it is the repository's.

        Args:
            page: the page's path.
            folder: where earlier `cd`s lead; empty if there are none.
            words: the command's words.
        """
        begins = self._begins(page, folder)
        found = started(words)
        if found is None:
            return begins[:1]
        name = found.name
        if found.run == "module":
            top = name.partition(".")[0]
            beside = [each for each in begins if self._holds_module(each, top)]
            anywhere = self.declared.file_of(self.repository, name) is not None
            return (beside or (["."] if anywhere else []))[:MOST_FOLDERS]
        if found.run == "code":
            return ["."]
        if found.run == "program" and "/" not in name and not name.endswith((".sh", ".py")):
            known = name in self.declared.functions or name in self.declared.scripts
            return list(dict.fromkeys([*(begins if folder else ()), ".", *begins]))[:2] if known else []
        there = self._where(begins, name)
        if page in self._home and not folder:
            there.sort(key=lambda each: each != self._home[page])  # stable
        meant = found.run == "file" or posixpath.basename(words[0]) in SHELLS  # else a file's name in a list of files
        return (there or self._holders(page, name) or (begins[:1] if meant else []))[:MOST_FOLDERS]

    def learn(self, found: Iterable[CodeBlock]) -> None:
        """Learn from which folder each page starts its programs, by those that only one folder has.

        A page in `segment/` that starts `segment/predict.py` means the root's `train.py`, not its own.
        """
        votes: dict[str, Counter[str]] = defaultdict(Counter)
        for block in found:
            for command in commands(filled(block.code).code) if block.language == "shell" else ():
                program = started(command.words) if not command.folder else None
                there = self._where(self._begins(block.page, ""), program.name) if program else []
                if len(there) == 1:
                    votes[block.page][there[0]] += 1
        self._home = {page: each.most_common(1)[0][0] for page, each in votes.items()}

    def is_guess(self, page: str, folder: str) -> bool:
        """Whether a folder was found only by the name of a program in it: it is not above the page, which has no `cd`.

        Args:
            page: the page's path.
            folder: where a command of it was tried.
        """
        if folder in self._begins(page, ""):
            return False
        text = readable_text(self.repository / page)
        return bool(text) and re.search(rf"\bcd\s+\S*\b{re.escape(posixpath.basename(folder))}\b", text) is None

    def is_setting(self, name: str) -> bool:
        """Whether the code defines a setting of this name in capitals: `_C.OUTPUT_DIR = "."` for `OUTPUT_DIR runs`."""
        if not re.fullmatch(r"[A-Z][A-Z_]+", name):
            return False
        defined = re.compile(rf"^\s*_*(?:C|cfg|config)\.{name}\s*=", re.M)
        files = [self.repository / file for file in self.files if file.endswith(".py")]
        return any(defined.search(readable_text(each)) for each in files)

    def _where(self, begins: Sequence[str], name: str) -> list[str]:
        return [each for each in begins if posixpath.normpath(posixpath.join(each, name)) in self.files]

    def has_program(self, page: str, words: tuple[str, ...], folder: str = "") -> bool:
        """Whether a command starts a file, module or declared program that is in the repository."""
        found = started(words)
        if found is None or found.run == "code" or not self.of_command(page, folder, words):
            return False
        by_name = found.run == "module" or (found.run == "program" and "/" not in found.name)
        return by_name or bool(self._by_name.get(posixpath.basename(found.name)))

    def of_python(self, page: str, modules: set[str], texts: Collection[str] = ()) -> list[str]:
        """Folders from which Python would import its modules; none if none are the repository's.

        Args:
            page: the page's path.
            modules: the modules that the code imports.
            texts: the code's texts; one of them may be a path from the page's folder.
        """
        begins = self._begins(page, "")
        if any(self._leads_there(begins[0], each) and not self._leads_there(".", each) for each in texts):
            begins = begins[:1]  # where a notebook runs
        beside = [each for each in begins if any(self._holds_module(each, name) for name in modules)]
        if beside:
            return beside[:2]
        roots = [*self.roots, *self.declared.packages.values()]
        packaged = any(name in self.declared.packages for name in modules)
        return begins[-1:] if packaged or any(self._holds_module(r, name) for r in roots for name in modules) else []

    def _leads_there(self, folder: str, path: str) -> bool:
        return "/" in path and posixpath.normpath(posixpath.join(folder, path)) in self.files | self.folders

    def program_of(self, call: RepositoryCall, folder: str) -> str:
        """The file that defines a called function; empty if it is not found."""
        parts = call.function.split(".")
        for count in range(len(parts) - 1, 0, -1):
            for root in (folder, *self.roots):
                path = posixpath.normpath(posixpath.join(root, *parts[:count]))
                for file in (f"{path}.py", f"{path}/__init__.py"):
                    if file in self.files:
                        return file
        return ""

    def _begins(self, page: str, folder: str) -> list[str]:
        """The page's folder, the root, and folders between; after the `cd`s, if they lead anywhere."""
        base = PurePosixPath(page).parent
        starts = list(dict.fromkeys([base.as_posix(), ".", *(parent.as_posix() for parent in base.parents)]))
        if not folder or folder.startswith(("/", "~", "$")):
            return starts
        moved = [posixpath.normpath(posixpath.join(start, folder)) for start in starts]
        rest = posixpath.normpath(posixpath.join(*[*folder.split("/")[1:], "."]))  # the first was the clone's own name
        moved += [posixpath.normpath(posixpath.join(start, rest)) for start in starts]
        return [each for each in dict.fromkeys(moved) if each in self.folders] or starts

    def _holders(self, page: str, name: str) -> list[str]:
        """A few other folders from which this path leads to a file; near the page first."""
        tail = posixpath.normpath(name).lstrip("./")
        found = [file for file in self._by_name[posixpath.basename(tail)] if f"/{file}".endswith(f"/{tail}")]
        base = PurePosixPath(page).parent.as_posix()
        near = [file for file in found if file.startswith(f"{base}/")] or found
        if len(near) > MOST_FOLDERS:
            return []  # ambiguous
        return [posixpath.normpath(file[: len(file) - len(tail)] or ".") for file in near]

    def _holds_module(self, folder: str, name: str) -> bool:
        path = posixpath.normpath(posixpath.join(folder, name))
        return f"{path}.py" in self.files or (path in self.folders and path != ".")
