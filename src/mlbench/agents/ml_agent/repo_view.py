"""A repository as the model sees it: tree, READMEs and files, cut to a number of tokens."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from mlbench.prompts.context import Document
from mlbench.prompts.file_reader import Reader
from mlbench.prompts.files import beginning, counted
from mlbench.prompts.tokens import Counter
from mlbench.repositories.documents import documents, inner_files, readmes

_MOST_OF_A_FOLDER = 30
_MOST_PAGES = 30


@dataclass(frozen=True)
class RepoView:
    """A checkout as the model sees it, without hidden and vendored folders."""

    folder: Path
    counting: Counter
    _reader: Reader = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_reader", Reader(self.folder))

    @cached_property
    def files(self) -> list[str]:
        """The paths of all files."""
        return inner_files(self.folder)

    @cached_property
    def readmes(self) -> list[str]:
        """The READMEs; if there are none, the first pages of documentation."""
        return readmes(self.folder) or documents(self.folder)[:_MOST_PAGES]

    def tree(self, budget: int) -> str:
        """Return one line per folder with its files, shallow folders first, within the budget."""
        folders: dict[str, list[str]] = {}
        for path in self.files:
            where = PurePosixPath(path)
            folders.setdefault(where.parent.as_posix(), []).append(where.name)
        lines = [f"{name}/: {_listed(names)}" for name, names in folders.items()]
        fitting = cut(Document("", "\n".join(lines)), budget, self.counting)
        shown = fitting.text.split("\n") if fitting else []
        left = len(lines) - len(shown)
        return "\n".join(shown + ([f"({left} more folder{'s' * (left > 1)})"] if left else []))

    def read(self, path: str, budget: int, first: int = 1, last: int = 0) -> Document | None:
        """Return lines of a file, cut to a number of tokens.

        Args:
            path: of the file, from the repository's root.
            budget: the most tokens.
            first: the first line, from 1.
            last: the last line; 0 for the end of the file.

        Returns:
            None if the repository has no such file, or no text in these lines.
        """
        if path not in self.files:
            return None
        document = self._reader.one(path)
        if document is None:
            return None
        lines = document.text.rstrip().split("\n")
        last = min(last or len(lines), len(lines))
        text = "\n".join(lines[first - 1 : last])
        return cut(Document(path, text, (first, last)), budget, self.counting) if text.strip() else None

    def nearest(self, path: str) -> list[str]:
        """Return the files that a wrong path may mean: with the same name, else with a similar path."""
        name = PurePosixPath(path).name
        same = [each for each in self.files if PurePosixPath(each).name == name]
        return (same or difflib.get_close_matches(path, self.files, n=5, cutoff=0.5))[:5]

    def inside(self, path: str) -> str:
        """Normalise a path that the model wrote: `./a//b` becomes `a/b`."""
        return PurePosixPath(path.removeprefix("/workspace/")).as_posix().removeprefix("./")


def cut(document: Document, budget: int, counting: Counter) -> Document | None:
    """Return the beginning of a document that fits; None if not one line fits.

    Args:
        document: the document to cut.
        budget: the most tokens.
        counting: counts tokens.
    """
    (measured,) = counted([document], counting)
    return document if measured.tokens <= budget else beginning(document, budget, counting)


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_OF_A_FOLDER
    return "  ".join(names[:_MOST_OF_A_FOLDER]) + (f"  ({more} more)" if more > 0 else "")
