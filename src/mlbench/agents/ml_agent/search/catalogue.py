"""Search repositories on disk by BM25 over names, descriptions, topics and READMEs.

Every README is one document, together with its repository's name, description and topics. A repository has the score
of its best document, because the many READMEs of a large repository would dilute each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mlbench.agents.ml_agent.search import SearchResult
from mlbench.prompts import bm25
from mlbench.prompts.file_reader import Reader
from mlbench.records import RunError, UsageError
from mlbench.repositories import catalogue
from mlbench.repositories.documents import readmes
from mlbench.repositories.fetch import is_here, verified

BEGINNING = 3000
"""Characters of the main README in a search result."""
_INDEXED = 20_000
"""Characters of one README that are searched; its subject is at the beginning."""
_WORD = re.compile(r"[a-z]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WEIGHT = 3


@dataclass(frozen=True)
class RepositoryCatalogue:
    """Repositories on disk.

    Attributes:
        repositories: what the search can return; each has a folder.
    """

    repositories: tuple[SearchResult, ...]

    def find(self, keywords: Sequence[str], count: int) -> list[SearchResult]:
        """Return repositories by their best README; those without a matching word come last."""
        if not self.repositories:
            return []
        index, owner = self._index
        query = [word for keyword in keywords for word in _words(keyword)]
        best = [0.0] * len(self.repositories)
        for repository, score in zip(owner, index.scores(query), strict=False):  # the empty documents have no owner
            best[repository] = max(best[repository], float(score))
        order = sorted(range(len(best)), key=lambda place: (-best[place], place))
        return [self.repositories[place] for place in order[:count]]

    def checkout(self, found: SearchResult) -> Path:
        """Return the folder of a repository on disk.

        Raises:
            RunError: it is not on disk.
        """
        if found.folder is None:
            raise RunError(f"{found.name} is not on disk; `mlbench repos fetch {found.name}` fetches it")
        return found.folder

    @cached_property
    def _index(self) -> tuple[bm25.Index, list[int]]:
        """The index of all READMEs, and for each one the position of its repository."""
        texts: list[list[str]] = []
        owner: list[int] = []
        for place, found in enumerate(self.repositories):
            assert found.folder is not None
            head = _words(" ".join([found.name, *found.topics, found.description])) * _WEIGHT
            pages = [page.text for page in Reader(found.folder).read(readmes(found.folder))] or [""]
            for page in pages:
                texts.append([*head, *_words(page[:_INDEXED])])
                owner.append(place)
        # as many empty documents: BM25 ignores a word that half of all documents have, and there may be only two
        texts += [[]] * len(texts)
        return bm25.build(texts, range(1, len(texts) + 1), width=1), owner


def of_folders(named: Iterable[tuple[str, Path]], topics: dict[str, str] | None = None) -> RepositoryCatalogue:
    """Return a catalogue of repositories by name and folder; `topics` has topics by name."""
    return RepositoryCatalogue(tuple(_found(name, folder, (topics or {}).get(name, "")) for name, folder in named))


def of_catalogue() -> RepositoryCatalogue:
    """Return a catalogue of the real repositories that have been fetched.

    Raises:
        RunError: a checkout differs from its pinned commit.
    """
    entries = [catalogue.pinned(name) for name in catalogue.names()]
    here = [entry for entry in entries if is_here(entry)]
    domains = {entry.name: entry.domain for entry in here}
    return of_folders([(entry.name, verified(entry).folder) for entry in here], domains)


def of_folder(folder: Path) -> RepositoryCatalogue:
    """Return a catalogue of all folders inside a folder.

    Raises:
        UsageError: the folder does not exist, or has no folder inside.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; name one whose subfolders are checkouts")
    inside = sorted(each for each in folder.iterdir() if each.is_dir() and not each.is_symlink())
    inside = [each for each in inside if not each.name.startswith(".")]
    if not inside:
        raise UsageError(f"{folder}: has no subfolders; name a folder whose subfolders are checkouts")
    return of_folders([(each.name, each.resolve()) for each in inside])


def _found(name: str, folder: Path, topic: str) -> SearchResult:
    main = next(iter(Reader(folder).read(readmes(folder)[:1])), None)
    text = main.text if main else ""
    topics = tuple(part.strip() for part in topic.split(",") if part.strip() not in ("", "unknown"))
    return SearchResult(name, _described(text), topics, text[:BEGINNING], folder)


def _described(readme: str) -> str:
    """Return the first paragraph of prose."""
    for block in re.split(r"\n\s*\n", readme[:BEGINNING]):
        text = " ".join(block.split())
        if re.match(r"[A-Za-z*_`]", text) and len(text.split()) > 5 and not text.startswith("```"):
            return text[:300]
    return ""


def _words(text: str) -> list[str]:
    """Split a text into lower-case words without plural endings; `LearningRate` is two words."""
    found = _WORD.findall(_CAMEL.sub(" ", text).lower())
    return [word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in found]
