"""Modules of a repository that only its installation makes or brings: version files, compiled extensions, clones."""

from __future__ import annotations

import fnmatch
import os
import re
import types
from typing import Any

SOURCES = (".pyx", ".pyx.in", ".py.in", ".c", ".cc", ".cpp", ".cu", ".rs")
"""Endings of files beside a module's place from which it is compiled or filled in."""
BUILD_FILES = ("setup.py", "setup.cfg", "pyproject.toml", "meson.build", "CMakeLists.txt", "Cargo.toml", ".gitignore")
MESSAGES = "_pb2"
"""The end of the names of modules that protobuf writes."""
VERSION = "0.0.0"
DOCUMENTS = ("README.md", "README.rst", "README.txt", "README", "INSTALL.md", "docs/INSTALL.md")
"""Files beside or above a package whose commands bring what it lacks: `git clone URL/NAME`, `cp -r CLONE/NAME .`"""
_BRINGS = r"^[ \t]*(?:[$>#][ \t]+)?(?:git[ \t]+clone|cp|mv|ln|wget|curl|unzip|tar)[ \t](?:.*[\s/])?"
_VERSION_FILE = re.compile(r"_*version_*|.+_version|version_.+")
_LARGEST, _MOST_FOLDERS = 200_000, 40


def made_by(name: str, folder: str, root: str, *, documents: bool) -> str:
    """Return the file of the repository that says that its installation makes a module; empty if there is none.

    Args:
        name: the module's dotted name.
        folder: the folder of its package.
        root: the repository's folder, with a slash at its end.
        documents: whether commands of the documentation count. They do for the repository's own imports. An answer
            that imports what it never brought is wrong.
    """
    stem = name.rpartition(".")[2]
    # a build of `torch.utils.ffi`
    if stem.startswith("_") and "_ext" in folder[len(root) :].split("/"):
        return folder
    if stem == "_ext" and (file := _builder(folder)):
        return file
    beside = [f"{stem}{ending}" for ending in SOURCES]
    beside += [f"{stem.removesuffix(MESSAGES)}.proto"] if stem.endswith(MESSAGES) else []
    for file in beside:
        if os.path.isfile(os.path.join(folder, file)):
            return os.path.join(folder, file)
    at = folder
    while f"{at}/".startswith(root):
        for file in (os.path.join(at, each) for each in BUILD_FILES):
            if _names(file, name, os.path.relpath(os.path.join(folder, f"{stem}.py"), at)):
                return file
        at = os.path.dirname(at)
    return brought_by(stem, folder, root) if documents else ""


def _builder(folder: str) -> str:
    """The script of a package that makes its `_ext` by `torch.utils.ffi`: `build.py`, `build_double.py`."""
    files = sorted(fnmatch.filter(os.listdir(folder), "build*.py")) if os.path.isdir(folder) else []
    paths = (os.path.join(folder, file) for file in files)
    return next((path for path in paths if "create_extension(" in text_of(path)), "")


def brought_by(name: str, folder: str, root: str) -> str:
    """Return the document whose commands bring a module or package; empty if there is none.

    Args:
        name: its last name.
        folder: where it is missing: documents in it and above it count, and those of the repository's own subfolders.
        root: the repository's folder, with a slash at its end.
    """
    brings = re.compile(rf"{_BRINGS}{re.escape(name)}(?:\.git|\.py|/)?(?:\s|$)", re.MULTILINE)
    at = folder
    while f"{at}/".startswith(root):
        for file in (os.path.join(at, each) for each in DOCUMENTS):
            if brings.search(text_of(file)):
                return file
        at = os.path.dirname(at)
    return next((file for file in _beside(root) if brings.search(text_of(file))), "")


def _beside(root: str) -> list[str]:
    """The READMEs of the repository's own subfolders."""
    try:
        folders = sorted(each.path for each in os.scandir(root) if each.is_dir() and not each.name.startswith("."))
    except OSError:
        return []
    return [os.path.join(each, name) for each in folders[:_MOST_FOLDERS] for name in DOCUMENTS if "/" not in name]


def _names(file: str, name: str, path: str) -> bool:
    """Whether a build file names a module, or its path from the build file's folder."""
    text = text_of(file)
    base = os.path.basename(path)
    if file.endswith(".gitignore"):
        patterns = [line.strip().lstrip("/") for line in text.split("\n")]
        return any(fnmatch.fnmatch(path, each) or each == base for each in patterns if each.endswith(".py"))
    if file.endswith("Cargo.toml"):
        return re.search(rf"(?m)^name\s*=\s*\"{re.escape(name.rpartition('.')[2])}\"", text) is not None
    wanted = [rf"[\"'/]{re.escape(base)}[\"']", rf"(?<![\w/]){re.escape(path)}\b"]
    wanted += [rf"(?i:add_(?:module|library))\(\s*{re.escape(name.rpartition('.')[2])}\s"]  # CMake
    return re.search("|".join(wanted), text) is not None or _is_extension(text, name)


def _is_extension(text: str, name: str) -> bool:
    """Whether a setup file that compiles modules names one: whole, or its package and its own name apart."""
    package, _, stem = name.rpartition(".")
    quoted = [re.search(rf"[\"']{re.escape(each)}[\"']", text) for each in (name, package, stem)]
    compiles = "Extension" in text or "ext_modules" in text
    added = re.search(rf"add_extension\(\s*[\"']{re.escape(stem)}[\"']", text)  # in a package's own setup file
    return (compiles and bool(quoted[0] or (quoted[1] and quoted[2]))) or added is not None


def text_of(file: str) -> str:
    """The beginning of a file; empty if it cannot be read."""
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            return opened.read(_LARGEST)
    except OSError:
        return ""


def is_version(name: str) -> bool:
    """Whether a module with this name holds a version."""
    return _VERSION_FILE.fullmatch(name.rpartition(".")[2]) is not None


class VersionModule(types.ModuleType):
    """A module with the version and the commit of a repository, as an installation writes it."""

    def __getattr__(self, name: str) -> Any:
        if name in ("__path__", "__all__", "__wrapped__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return (0, 0, 0) if "tuple" in name or "info" in name.lower() else VERSION
