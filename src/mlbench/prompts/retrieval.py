"""The setting `retrieval`: spans most similar to the instruction, by BM25 (section 3).

The variants differ in what is searched:

- `paper`: as published: the first 1,000 sentences of the READMEs and then all other files that are UTF-8; spans of 10.
- `documents`: all READMEs and pages of documentation; a span is from one document.
- `repository`: every file that people wrote.
- `code`: functions and classes of Python, sections of Markdown, and pieces of the rest.

There is one index for each repository and variant, cached and mapped into memory.
"""

from __future__ import annotations

import json
import mmap
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from mlbench.prompts import bm25, sentences
from mlbench.prompts.chunks import TextPart, corpus_of, words_of
from mlbench.prompts.context import Context, ContextCut, ContextSelection, Document, Variant
from mlbench.prompts.disk_cache import kept
from mlbench.prompts.files import counted, packed
from mlbench.prompts.tokens import counter


@dataclass(frozen=True)
class Retriever:
    """An index with its text.

    Attributes:
        text: the text of all documents, mapped into memory.
        begins, ends: (n,) of the units, in bytes.
    """

    variant: Variant
    index: bm25.Index
    text: mmap.mmap | bytes
    parts: tuple[TextPart, ...]
    begins: bm25.Array
    ends: bm25.Array
    characters: int
    notes: tuple[str, ...]

    def best(self, query: str, count: int = 1) -> list[Document]:
        """The best spans with their paths and lines; a span over two files gives two documents."""
        windows = self.index.best(words_of(self.variant, query), count)
        return [document for window in windows for document in self.documents(window)]

    def documents(self, window: int) -> list[Document]:
        """The documents that a window covers."""
        begin, end = int(self.begins[window]), int(self.ends[self.index.last[window]])
        found = []
        first = max(0, bisect_right(self.parts, begin, key=lambda part: part.begin) - 1)
        for part in self.parts[first:]:
            if part.begin >= end:
                break
            piece = slice(max(begin, part.begin), min(end, part.end))
            text = self._decoded(piece)
            if text.strip():
                skipped = len(text) - len(text.lstrip("\n"))
                line = 1 + self.text[part.begin : piece.start].count(b"\n") + skipped
                text = text.strip("\n")
                lines = (line, line + text.count("\n"))
                found.append(
                    Document(part.path, self._joined(window, piece) if self.variant == "paper" else text, lines)
                )
        return found

    def _joined(self, window: int, piece: slice) -> str:
        """The words of a window's sentences inside a piece, joined as the published code does: by single spaces."""
        units = range(window, int(self.index.last[window]) + 1)
        places = (slice(max(int(self.begins[n]), piece.start), min(int(self.ends[n]), piece.stop)) for n in units)
        return " ".join(word for place in places if place.start < place.stop for word in self._decoded(place).split())

    def _decoded(self, piece: slice) -> str:
        return self.text[piece].decode("utf-8", "replace")


def retrieve(query: str, repository: Path, context: Context) -> ContextSelection:
    """The best spans, cut to the context.

    Args:
        query: the instruction.
        repository: its checkout.
        context: budget, variant and number of spans.
    """
    retriever = retriever_of(repository, context.retrieval)
    found, counting = retriever.best(query, context.spans), counter(context.tokenizer)
    packing = packed(counted(found, counting), found, counting, context.budget, notes=retriever.notes)
    assert packing.cut
    cut = ContextCut(
        documents=packing.cut.documents,
        of_documents=len(retriever.parts),
        tokens=packing.cut.tokens,
        of_tokens=None,
        characters=packing.cut.characters,
        of_characters=retriever.characters,
        partly=packing.cut.partly,
    )
    how = retriever.variant if retriever.variant == "code" else f"{retriever.variant}, sentences by {sentences.NAME}"
    return ContextSelection(packing.documents, cut, counting.name, how, retriever.notes)


@lru_cache(maxsize=64)
def retriever_of(repository: Path, variant: Variant) -> Retriever:
    """The retriever of a repository; its index is built if the cache has none."""

    def make(folder: Path) -> None:
        corpus = corpus_of(repository, variant)
        units = (words_of(variant, unit) for unit in corpus.units())
        bm25.build(units, corpus.limits, corpus.width).save(folder)
        np.save(folder / "begins.npy", np.asarray(corpus.begins, dtype=np.int64))
        np.save(folder / "ends.npy", np.asarray(corpus.ends, dtype=np.int64))
        (folder / "text.bin").write_bytes(corpus.text)
        parts = [[part.path, part.begin, part.end] for part in corpus.parts]
        characters = sum(len(corpus.text[part.begin : part.end].decode("utf-8", "replace")) for part in corpus.parts)
        about = {"parts": parts, "characters": characters, "notes": corpus.notes}
        (folder / "about.json").write_text(json.dumps(about))

    def load(folder: Path) -> Retriever:
        about = json.loads((folder / "about.json").read_text())
        with (folder / "text.bin").open("rb") as file:
            empty = (folder / "text.bin").stat().st_size == 0  # an empty file cannot be mapped
            text = b"" if empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return Retriever(
            variant,
            bm25.load(folder),
            text,
            tuple(TextPart(*part) for part in about["parts"]),
            np.load(folder / "begins.npy", mmap_mode="r"),
            np.load(folder / "ends.npy", mmap_mode="r"),
            about["characters"],
            tuple(about["notes"]),
        )

    return kept("retrieval", repository, [variant, sentences.NAME], make, load)
