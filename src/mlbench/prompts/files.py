"""The settings `readme` and `code`: files in order, cut to the context (section 3).

`readme` is the Raw README of version 1 of the paper. Files are counted once per repository and tokenizer, and the
counts are cached. A cut context reads only the files that it shows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from mlbench.prompts.context import Context, ContextCut, ContextSelection, Document
from mlbench.prompts.disk_cache import kept
from mlbench.prompts.file_reader import Reader, written_files
from mlbench.prompts.tokens import Counter, counter
from mlbench.repositories.documents import readmes

Which = Literal["readmes", "files"]
_LISTS: dict[Which, Callable[[Path], list[str]]] = {"readmes": readmes, "files": written_files}


@dataclass(frozen=True)
class CountedFile:
    """A file's tokens, with the words around it, and its characters."""

    path: str
    tokens: int
    characters: int


@dataclass(frozen=True)
class FileCounts:
    """All files of one kind, in the order in which they are shown."""

    files: tuple[CountedFile, ...]
    notes: tuple[str, ...]


@lru_cache(maxsize=64)
def shown_files(repository: Path, which: Which, context: Context) -> ContextSelection:
    """The first files that fit into the context.

    Args:
        repository: its checkout.
        which: the kind of files.
        context: the budget and the token counter.
    """
    counting = counter(context.tokenizer)
    counts = counts_of(repository, which, counting)
    reader = Reader(repository)
    return packed(
        counts.files,
        (_trimmed(document) for document in reader.read(file.path for file in counts.files)),
        counting,
        context.budget,
        notes=counts.notes,
    )


def counts_of(repository: Path, which: Which, counting: Counter) -> FileCounts:
    """The token counts of all files of a kind, cached.

    Args:
        repository: its checkout.
        which: the kind of files.
        counting: the token counter.
    """

    def make(folder: Path) -> None:
        reader = Reader(repository)
        files = [_counted(_trimmed(document), counting) for document in reader.read(_LISTS[which](repository))]
        rows = [[file.path, file.tokens, file.characters] for file in files]
        (folder / "counts.json").write_text(json.dumps({"files": rows, "notes": reader.notes}))

    def load(folder: Path) -> FileCounts:
        content = json.loads((folder / "counts.json").read_text())
        return FileCounts(tuple(CountedFile(*row) for row in content["files"]), tuple(content["notes"]))

    return kept("counts", repository, [which, counting.name], make, load)


def packed(
    counts: Sequence[CountedFile],
    documents: Iterable[Document],
    counting: Counter,
    budget: int,
    how: str = "",
    notes: tuple[str, ...] = (),
) -> ContextSelection:
    """The first documents that fit, and the first lines of the next one.

    Args:
        counts: the counts of the documents.
        documents: read lazily, only as far as needed.
        counting: the token counter.
        budget: real tokens.
        how: what else the selection depends on, for the record.
        notes: files that could not be read.
    """
    left = counting.fits(budget)
    chosen: list[Document] = []
    used, partly = 0, ""
    for count, document in zip(counts, documents, strict=False):
        if used + count.tokens > left:
            part = beginning(document, left - used, counting)
            if part:
                chosen.append(part)
                used += _counted(part, counting).tokens
                partly = part.path
            break
        chosen.append(document)
        used += count.tokens
    cut = ContextCut(
        documents=len(chosen),
        of_documents=len(counts),
        tokens=used,
        of_tokens=sum(count.tokens for count in counts),
        characters=sum(len(document.text) for document in chosen),
        of_characters=sum(count.characters for count in counts),
        partly=partly,
    )
    return ContextSelection(tuple(chosen), cut, counting.name, how, notes)


def beginning(document: Document, budget: int, counting: Counter) -> Document | None:
    """The whole lines of a document that fit, or a part of its only line; None if nothing fits.

    Args:
        document: the document.
        budget: real tokens.
        counting: the token counter.
    """
    first = document.lines[0] if document.lines else 1

    def part(size: int) -> Document:
        text = document.text[:size]
        text = (text.rpartition("\n")[0] or text).rstrip()
        return Document(document.path, text, (first, first + text.count("\n")))

    fits, too_many = 0, len(document.text) + 1
    while too_many - fits > 1:
        middle = (fits + too_many) // 2
        if _counted(part(middle), counting).tokens <= budget:
            fits = middle
        else:
            too_many = middle
    found = part(fits)
    return found if found.text else None


def counted(documents: Iterable[Document], counting: Counter) -> list[CountedFile]:
    """The counts of documents, in their order."""
    return [_counted(document, counting) for document in documents]


def _counted(document: Document, counting: Counter) -> CountedFile:
    around = f'<document path="{document.path}" lines="0000-0000">\n\n</document>\n\n'
    return CountedFile(document.path, counting.count(document.text) + counting.count(around), len(document.text))


def _trimmed(document: Document) -> Document:
    return Document(document.path, document.text.rstrip(), document.lines)
