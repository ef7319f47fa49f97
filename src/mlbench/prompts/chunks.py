"""The text that retrieval searches, its units (sentences or code), and their documents."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from mlbench.prompts import sentences
from mlbench.prompts.code_pieces import pieces_of
from mlbench.prompts.context import Document, Variant
from mlbench.prompts.file_reader import Reader, written_files
from mlbench.repositories.documents import LONGEST, documents, inner_files

WIDTH = 10
"""Sentences of a span (ML-Bench, section 3)."""
SENTENCES = 1000
"""The published code keeps this many sentences, from the front."""
_FIRST_LOOK = 200_000
_WORD = re.compile(r"[A-Za-z0-9]+|[^\W_]+")


@dataclass(frozen=True)
class TextPart:
    """The part of the text that one document takes, in bytes."""

    path: str
    begin: int
    end: int


@dataclass
class Corpus:
    """A text of several documents and its units.

    Attributes:
        begins, ends: of the units, in bytes of the text.
        limits: for each unit, one past the last unit that may share a span with it.
    """

    width: int = WIDTH
    text: bytearray = field(default_factory=bytearray)
    parts: list[TextPart] = field(default_factory=list)
    begins: array[int] = field(default_factory=lambda: array("q"))
    ends: array[int] = field(default_factory=lambda: array("q"))
    limits: list[int] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, document: Document, places: Iterable[slice]) -> None:
        """Add a document; no span crosses its ends."""
        base = len(self.text)
        self.text += document.text.encode("utf-8", "replace")
        self.parts.append(TextPart(document.path, base, len(self.text)))
        self.add_units(document.text, places, base)
        self.limits += [len(self.begins)] * (len(self.begins) - len(self.limits))

    def add_units(self, text: str, places: Iterable[slice], base: int) -> None:
        at, byte = 0, base
        for place in places:
            byte += len(text[at : place.start].encode("utf-8", "replace"))
            self.begins.append(byte)
            byte += len(text[place].encode("utf-8", "replace"))
            self.ends.append(byte)
            at = place.stop

    def units(self) -> Iterator[str]:
        for begin, end in zip(self.begins, self.ends, strict=True):
            yield self.text[begin:end].decode("utf-8", "replace")


def words_of(variant: Variant, text: str) -> list[str]:
    """Words for the ranking: split at white space as published; for code, parts of names."""
    return [word.lower() for word in _WORD.findall(text)] if variant == "code" else text.split()


def corpus_of(repository: Path, variant: Variant) -> Corpus:
    """The text that a variant searches (see `retrieval`), for a repository's checkout."""
    return _CORPORA[variant](Reader(repository))


def _paper(reader: Reader) -> Corpus:
    """The first thousand sentences of READMEs, then other files; each after its path.

    Reading stops after a thousand sentences. The published code reads in the order of the disk; here shallow files come
    before deep ones, then by name.
    """
    waiting = _published_files(reader)
    text, heads, wanted = "", list[tuple[Document, int]](), _FIRST_LOOK
    places: list[slice] = []
    while True:
        more, size = [], len(text)
        for document in waiting:
            head = f"\n=== {document.path} ===\n"
            heads.append((document, size + len(head)))
            more.append(f"{head}{document.text}\n")
            size += len(more[-1])
            if size >= wanted:
                break
        text += "".join(more)
        # the last sentence ended only because the text did: it is searched again
        start = places.pop().start if places else 0
        found = islice(sentences.split(text[start:]), SENTENCES + 1 - len(places))
        places += [slice(start + place.start, start + place.stop) for place in found]
        if len(places) > SENTENCES or size < wanted:
            break
        wanted = 2 * size
    corpus = Corpus(notes=reader.notes)
    corpus.text += text.encode("utf-8", "replace")
    at, byte = 0, 0
    for document, begin in heads:
        byte += len(text[at:begin].encode("utf-8", "replace"))
        end = byte + len(document.text.encode("utf-8", "replace"))
        corpus.parts.append(TextPart(document.path, byte, end))
        byte, at = end, begin + len(document.text)
    corpus.add_units(text, places[:SENTENCES], 0)
    corpus.limits = [len(corpus.begins)] * len(corpus.begins)
    return corpus


def _published_files(reader: Reader) -> Iterator[Document]:
    """Every file that is UTF-8, as it stands: those with README in their name first. Large ones are left out."""
    for path in sorted(
        inner_files(reader.repository, every=True), key=lambda path: "README" not in Path(path).name.upper()
    ):
        file = reader.repository / path
        try:
            if file.stat().st_size <= LONGEST:
                yield Document(path, file.read_text(encoding="utf-8"))
            else:
                reader.notes.append(f"{path}: larger than the {LONGEST / 1e6:.0f} MB that are read")
        except (OSError, UnicodeDecodeError):
            continue


def _sentences(paths: Callable[[Path], list[str]]) -> Callable[[Reader], Corpus]:
    def corpus_(reader: Reader) -> Corpus:
        corpus = Corpus(notes=reader.notes)
        for document in reader.read(paths(reader.repository)):
            corpus.add(document, sentences.split(document.text))
        return corpus

    return corpus_


def _pieces(reader: Reader) -> Corpus:
    corpus = Corpus(width=1, notes=reader.notes)
    for document in reader.read(written_files(reader.repository)):
        corpus.add(document, pieces_of(document))
    return corpus


_CORPORA: dict[Variant, Callable[[Reader], Corpus]] = {
    "paper": _paper,
    "documents": _sentences(documents),
    "repository": _sentences(written_files),
    "code": _pieces,
}
