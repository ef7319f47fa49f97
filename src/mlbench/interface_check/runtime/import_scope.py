"""Read a repository's modules and declared dependencies before anything runs."""

from __future__ import annotations

import collections
import importlib.machinery
import itertools
import os
import re
import sys
from collections.abc import Iterator
from typing import Any

from . import distributions, generated, tables

ENTRIES = 50_000  # files and folders of a repository that are read, those nearest to its root

ALIASES = {
    "PIL": "pillow", "Bio": "biopython", "bs4": "beautifulsoup4", "cv2": "opencv_python", "dateutil": "python_dateutil",
    "git": "gitpython", "skimage": "scikit_image", "sklearn": "scikit_learn", "yaml": "pyyaml", "faiss": "faiss_cpu",
}  # fmt: skip

_SKIPPED = {".git", "node_modules", "__pycache__"}

_WORD = re.compile(r"[A-Za-z][\w.-]*")

_PYTHON = re.compile(r"""(?:requires-python|python_requires)\s*=\s*["']?[^"'\n]*?>=\s*(\d+)\.(\d+)""")

_NEEDED = re.compile(
    r"""(?m)(?:^[ \t]*(?:-[ \t]*)?|["'])([A-Za-z][\w.-]*)(?:\[[\w, -]*\])?[ \t]*"""
    r"""(?:(?:[<>!~=]=|[<>]|=[ \t]*["']?[\^~<>]|=(?=[\d*])|@[ \t]*\w+[+:]).*|;.*)$"""
)
"""A requirement with a version, a marker or an address, as a line of its own or in quotes."""

_DECLARING = re.compile(
    r"(?i)^(.*requirements?.*\.(txt|in)|setup\.(py|cfg)|pyproject\.toml|(environment|conda).*\.ya?ml|pipfile)$"
)

_INSTALLING = re.compile(
    r"(?i)^(?:readme|install(?:ation)?|get(?:ting)?[_-]?started|set[_-]?up|quick[_-]?start)\.(?:md|rst|txt)$"
)

_PIP = re.compile(r"(?m)\bpip3?[ \t]+install[ \t]+(.+)$")


def _holds_code(folder: str) -> bool:
    try:
        return any(name.endswith(".py") for name in os.listdir(folder))
    except OSError:
        return False


class ImportScope:
    """The modules of a repository, its declared dependencies, and the folders of its packages."""

    def __init__(self, root: str, stubs_allowed: bool, kit: str = "") -> None:
        self.root = root.rstrip("/")
        self.kit = kit  # the folder of the parser kit, if an environment may lack parser libraries
        self.stubs_allowed = stubs_allowed
        self.own: set[str] = set()
        self.declared: set[str] = set()
        self.needed: set[str] = set()  # the names of distributions that it certainly requires
        self.installed: list[str] = []
        self.required: dict[str, str] = {}  # the versions of libraries; see tables.py
        self.python = (0, 0)  # the oldest Python that it declares to support
        self.projects: set[str] = set()  # the names of its own distributions
        self.partial = False  # the repository has more files than were read
        if not stubs_allowed:
            return
        with open(os.path.join(os.path.dirname(__file__), "known.txt"), encoding="utf-8") as file:
            self.known = set(file.read().split())
        for folder, folders, files in self._walked():
            if any(name.endswith(".py") for name in files):
                self.own.add(os.path.basename(folder))
                self.own.update(name[:-3] for name in files if name.endswith(".py"))
            for name in files:
                listed = name.endswith(".txt") and os.path.basename(folder) in ("requirements", "reqs")
                if listed or _DECLARING.match(name):
                    self._declare(os.path.join(folder, name))
                elif _INSTALLING.match(name):
                    self._installed_by_hand(os.path.join(folder, name))
            if "setup.py" in files or "pyproject.toml" in files:
                self.installed += [folder, *([os.path.join(folder, "src")] if "src" in folders else [])]

    def _walked(self) -> Iterator[tuple[str, list[str], list[str]]]:
        """Yield each folder with its folders and files, from the root downwards, up to ENTRIES."""
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
            if "pyvenv.cfg" in files:  # a virtual environment
                continue
            folders = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
            yield folder, folders, files
            todo += [f"{folder}/{name}" for name in folders if name not in _SKIPPED]
        self.partial = left <= 0

    def _declare(self, path: str) -> None:
        text = generated.text_of(path)
        self.declared.update(word.lower().replace("-", "_") for word in _WORD.findall(text))
        bare = (
            [] if not path.endswith((".txt", ".in")) else [line.partition("#")[0].strip() for line in text.split("\n")]
        )
        names = [*_NEEDED.findall(text), *filter(_WORD.fullmatch, bare)]
        self.needed.update(distributions.plain(name) for name in names)
        if not path.endswith(".txt"):
            self.projects |= distributions.projects(text)
            if (needed := _PYTHON.search(text)) is not None:
                self.python = max(self.python, (int(needed[1]), int(needed[2])))
        self.required = {**tables.requirements(text), **self.required}

    def _installed_by_hand(self, path: str) -> None:
        """Take what a README says how to install, `pip install openvino`, as required."""
        for line in _PIP.findall(generated.text_of(path)):
            words = [word.strip("\"'`") for word in line.split("#")[0].split()]
            self.needed.update(distributions.plain(word) for word in words if _WORD.fullmatch(word))

    def may_be_stub(self, name: str, by_repository: bool) -> bool:
        """Whether a missing top-level module is a third-party one."""
        if not self.stubs_allowed or name.startswith("_"):
            return False
        alias = ALIASES.get(name, name).lower()
        if name in self.own:
            importable = self._importable(name)
            if name in self.known:
                return alias in self.declared or not importable
            return not importable and self._is_needed(alias, by_repository)
        return name in self.known or alias in self.declared or by_repository or self._is_needed(alias)

    def means_own_folder(self, name: str, spec: Any) -> bool:
        """Whether a folder without `__init__.py` is meant, and no library of its name, which it does not require."""
        alias = ALIASES.get(name, name).lower()
        if not self.stubs_allowed or "." in name or name not in self.own or alias in self.declared:
            return False
        folders = [str(folder) for folder in spec.submodule_search_locations or ()]
        return any(folder.startswith(f"{self.root}/") and _holds_code(folder) for folder in folders)

    def nearer(self, name: str, spec: Any) -> Any:
        """The spec of a folder without `__init__.py` that the program itself put on the path; None if there is none.

        A package of another project of the repository would hide it, which only counts if that project is installed.
        """
        if os.path.dirname(os.path.dirname(spec.origin)) not in self.installed or not spec.submodule_search_locations:
            return None
        found = importlib.machinery.PathFinder.find_spec(
            name, [each for each in sys.path if each not in self.installed]
        )
        own = found is not None and found.loader is None and self.means_own_folder(name, found)
        return found if own else None

    def _is_needed(self, alias: str, by_repository: bool = False) -> bool:
        """Whether a distribution that it requires has this module, by its name: `pyannote` of `pyannote-audio`.

        For the repository's own imports the end of a name is enough, as `reverb` of `dm-reverb`.
        """
        ends = (f"_{alias}",) if by_repository else ()
        return alias in self.needed or any(each.startswith(f"{alias}_") or each.endswith(ends) for each in self.needed)

    def _importable(self, name: str) -> bool:
        """Whether the repository's own module of this name can be imported by it."""
        folders = (self.root, *self.installed)
        return any(os.path.exists(os.path.join(folder, name + end)) for folder in folders for end in ("", ".py"))
