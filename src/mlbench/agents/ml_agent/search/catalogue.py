"""The search over repositories on disk: BM25 over names, descriptions, topics and READMEs. Needs no network.

Every README is a document of its own, under its repository's name, description and topics: a repository counts as much
as the one that fits best. Joined, the many READMEs of a large repository would drown each other.
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
"""Characters of the main README that are kept with what is found."""
_INDEXED = 20_000
"""Characters of one README that are searched: what it is about stands in front."""
_WORD = re.compile(r"[a-z]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WEIGHT = 3


@dataclass(frozen=True)
class RepositoryCatalogue:
    """Repositories on disk.

    Attributes:
        repositories: what can be found; each has a folder.
    """

    repositories: tuple[SearchResult, ...]

    def find(self, keywords: Sequence[str], count: int) -> list[SearchResult]:
        """The repositories with the best README each; those that share no word come last, in their order."""
        if not self.repositories:
            return []
        index, owner = self._index
        query = [word for keyword in keywords for word in _words(keyword)]
        best = [0.0] * len(self.repositories)
        for repository, score in zip(owner, index.scores(query), strict=False):  # without the empty ones
            best[repository] = max(best[repository], float(score))
        order = sorted(range(len(best)), key=lambda place: (-best[place], place))
        return [self.repositories[place] for place in order[:count]]

    def checkout(self, found: SearchResult) -> Path:
        if found.folder is None:
            raise RunError(f"{found.name} is not on disk")
        return found.folder

    @cached_property
    def _index(self) -> tuple[bm25.Index, list[int]]:
        """The index of all READMEs, and whose each is."""
        texts: list[list[str]] = []
        owner: list[int] = []
        for place, found in enumerate(self.repositories):
            assert found.folder is not None
            head = _words(" ".join([found.name, *found.topics, found.description])) * _WEIGHT
            pages = [page.text for page in Reader(found.folder).read(readmes(found.folder))] or [""]
            for page in pages:
                texts.append([*head, *_words(page[:_INDEXED])])
                owner.append(place)
        # as many empty ones: a word that half of all documents have would count for nothing, and there may be but two
        texts += [[]] * len(texts)
        return bm25.build(texts, range(1, len(texts) + 1), width=1), owner


def of_folders(named: Iterable[tuple[str, Path]], topics: dict[str, str] | None = None) -> RepositoryCatalogue:
    """The catalogue of these repositories, by name and folder."""
    return RepositoryCatalogue(tuple(_found(name, folder, (topics or {}).get(name, "")) for name, folder in named))


def of_catalogue() -> RepositoryCatalogue:
    """The real repositories that were fetched.

    Raises:
        RunError: one is no longer what is pinned.
    """
    entries = [catalogue.pinned(name) for name in catalogue.names()]
    here = [entry for entry in entries if is_here(entry)]
    domains = {entry.name: entry.domain for entry in here}
    return of_folders([(entry.name, verified(entry).folder) for entry in here], domains)


def of_folder(folder: Path) -> RepositoryCatalogue:
    """Every folder in this one is a repository.

    Raises:
        UsageError: there is no such folder, or none in it.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; one that holds checkouts is wanted")
    inside = sorted(each for each in folder.iterdir() if each.is_dir() and not each.is_symlink())
    inside = [each for each in inside if not each.name.startswith(".")]
    if not inside:
        raise UsageError(f"{folder}: holds no folder; one that holds checkouts is wanted, a folder each")
    return of_folders([(each.name, each.resolve()) for each in inside])


def _found(name: str, folder: Path, topic: str) -> SearchResult:
    main = next(iter(Reader(folder).read(readmes(folder)[:1])), None)
    text = main.text if main else ""
    topics = tuple(part.strip() for part in topic.split(",") if part.strip() not in ("", "unknown"))
    return SearchResult(name, _described(text), topics, text[:BEGINNING], folder)


def _described(readme: str) -> str:
    """The first paragraph of prose."""
    for block in re.split(r"\n\s*\n", readme[:BEGINNING]):
        text = " ".join(block.split())
        if re.match(r"[A-Za-z*_`]", text) and len(text.split()) > 5 and not text.startswith("```"):
            return text[:300]
    return ""


def _words(text: str) -> list[str]:
    """`LearningRate` and `learning-rate` are learning, rate; plurals are cut down."""
    found = _WORD.findall(_CAMEL.sub(" ", text).lower())
    return [word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in found]
