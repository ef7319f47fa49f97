"""What a repository itself enumerates: files of a kind, names in its tables, values that its pages give to an option.

Files are read and parsed, never run.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property, partial
from pathlib import Path

from mlbench.construction.usages import Passed, option_values, passed_texts
from mlbench.repositories.documents import documents, inner_files, text_of
from mlbench.verdict.languages import parse_python

_TEXT = 2_000_000  # characters of a file that is looked at
_ALL = 60_000_000  # of all together
FEW = 2
_SIBLINGS = range(3, 150)
_TESTS = re.compile(r"(^|/)tests?(/|_|\.)|_test\.py$")


class Vocabulary:
    """Built once for a repository; every question reads only what it needs."""

    def __init__(self, repository: Path) -> None:
        self.repository = repository.resolve()
        self._groups: dict[str, list[list[str]]] = {}

    @cached_property
    def files(self) -> list[str]:
        return inner_files(self.repository)

    @cached_property
    def _pages(self) -> dict[str, str]:
        """The texts of all pages and shell scripts."""
        names = [*documents(self.repository), *(name for name in self.files if name.endswith(".sh"))]
        return dict(zip(names, self._texts(names), strict=False))

    @cached_property
    def _sources(self) -> dict[str, str]:
        names = [name for name in self.files if name.endswith(".py") and not _TESTS.search(name)]
        return dict(zip(names, self._texts(names), strict=False))

    def _texts(self, names: list[str]) -> Iterator[str]:
        left = _ALL
        for name in names:
            if left <= 0:
                return
            try:
                text = text_of(self.repository / name)[:_TEXT]
            except (OSError, ValueError):
                text = ""
            left -= len(text)
            yield text

    def given(self, program: str, options: tuple[str, ...]) -> list[str]:
        """The values that commands of pages and scripts give to an option of the program, the most frequent first."""
        found: Counter[str] = Counter()
        for page, text in self._pages.items():
            found.update(option_values(text, options, partial(self._is_program, program, page)))
        return [value for value, _ in found.most_common(20) if value]

    def _is_program(self, program: str, page: str, word: str) -> bool:
        """Whether a word of a page's command means the program: a path, a module, or a command of the package's name."""
        name = posixpath.normpath(word.strip("\"'$!"))
        if not name.endswith(".py"):
            parts = program.removesuffix(".py").split("/")
            if len(parts) > 1 and name in (parts[0], parts[-1]):
                return True
            name = f"{name.replace('.', '/')}.py"
        folders = [posixpath.dirname(page), *(str(each) for each in Path(page).parents), ""]
        there = [each for folder in folders if (each := posixpath.normpath(posixpath.join(folder, name))) in self._all]
        return there[0] == program if there else f"/{program}".endswith(f"/{name}")

    @cached_property
    def _all(self) -> frozenset[str]:
        return frozenset(self.files)

    def passed(self, passed: Passed) -> list[str]:
        """The texts that pages and code pass to a parameter, the most frequent first.

        Where the call's own page has another one, others are not looked at: elsewhere it may be for another purpose.
        """
        here = Counter(passed_texts(self._pages.get(passed.page, ""), passed))
        if len(here) < FEW:
            for text in [*self._pages.values(), *(self._sources.values() if passed.beside else ())]:
                if passed.function in text:
                    here.update(passed_texts(text, passed))
        return [value for value, _ in here.most_common(20)]

    def siblings(self, name: str) -> list[str]:
        """The names that stand beside this one in a table of the repository: the keys of a dict, a list of texts."""
        best: list[str] = []
        for file, text in self._sources.items():
            if f'"{name}"' in text or f"'{name}'" in text:
                if file not in self._groups:
                    self._groups[file] = list(_groups(text))
                for group in self._groups[file]:
                    if name in group and len(group) in _SIBLINGS and len(group) > len(best):
                        best = group
        return [other for other in best if other != name]

    def beside(self, path: str, folder: str) -> list[str]:
        """Files of the same ending in the same folder of the repository, as the code would write them.

        Args:
            folder: where the code runs, from the repository's root.
        """
        whole = (self.repository / folder / path).resolve()
        if not whole.is_relative_to(self.repository) or not whole.is_file():
            return []
        inside = whole.relative_to(self.repository)
        head = path[: len(path) - len(inside.name)]
        parent = "" if str(inside.parent) == "." else f"{inside.parent.as_posix()}/"
        others = [name for name in self.files if name.rpartition("/")[0] == parent.rstrip("/")]
        return [
            head + Path(name).name
            for name in others
            if Path(name).suffix == inside.suffix and name != inside.as_posix() and not Path(name).name.startswith("_")
        ]


def _groups(source: str) -> Iterator[list[str]]:
    _, tree = parse_python(source)
    for node in ast.walk(tree) if tree is not None else ():
        parts = (
            node.keys
            if isinstance(node, ast.Dict)
            else node.elts
            if isinstance(node, ast.List | ast.Tuple | ast.Set)
            else []
        )
        texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        if len(texts) == len(parts) and len(texts) in _SIBLINGS:
            yield texts
