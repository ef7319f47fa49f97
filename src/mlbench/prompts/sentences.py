"""Splits text into sentences, by NLTK's Punkt if its data are here, else by rules.

Nothing is downloaded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import chain

from mlbench.prompts.context import Sentences
from mlbench.records import UsageError

LONGEST = 2000
"""After this many characters the rules end a sentence at the next line end, because data and code may have no stop."""


@dataclass(frozen=True)
class Splitter:
    """Finds the sentences of a text, lazily and from the front.

    Attributes:
        name: for the record; splitters of the same name split alike.
        split: yields the spans of the sentences, in order.
    """

    name: str
    split: Callable[[str], Iterator[slice]]


@cache
def splitter(wanted: Sentences) -> Splitter:
    """The splitter `punkt`, `rules`, or `auto`: Punkt if its data are on this machine.

    Raises:
        UsageError: `punkt` is wanted and its data are not here, or the name is unknown.
    """
    if wanted == "rules":
        return Splitter("rules-1", split)
    try:
        return _punkt()
    except (ImportError, AttributeError, LookupError, OSError, ValueError) as error:
        if wanted == "auto":
            return splitter("rules")
        raise UsageError(
            f"Punkt is not to be had ({' '.join(str(error).split())[:160]}): pip install nltk, then"
            " python -m nltk.downloader punkt_tab; or take `rules`"
        ) from error


def _punkt() -> Splitter:
    nltk = import_module("nltk")
    tokenizer = import_module("nltk.tokenize.punkt").PunktTokenizer("english")  # searches only NLTK's own folders

    def places(text: str) -> Iterator[slice]:
        return (slice(first, last) for first, last in tokenizer.span_tokenize(text))

    return Splitter(f"punkt-nltk-{nltk.__version__}", places)


_SHORT = """
e.g i.e etc vs cf al fig figs eq eqs sec secs no nos vol pp p dr mr mrs ms prof st jr sr inc ltd co dept approx resp
ref refs tab ch ver v min max avg est ca viz
"""
_ABBREVIATIONS = frozenset(_SHORT.split())
_STOP = re.compile(r"""(?<![.!?])[.!?]++["'\u2019\u201d)\]*_`]*+(?=\s)""")
_WORD_BEFORE = re.compile(r"[^\s(\[{\"'`*_]*\Z")
_LIST_NUMBER = re.compile(r"^[ \t]*\d{1,3}\Z", re.MULTILINE)


def split(text: str) -> Iterator[slice]:
    """The sentences of a text, by rules.

    A sentence ends at `.`, `!` or `?` and closing quotes or brackets, before white space. It does not end inside a
    decimal or `model.fit`, after an abbreviation, an initial or a list number, nor before a small letter. Code and
    data without a stop end at the first line end after `LONGEST` characters.

    As with Punkt, headings, list items and fences end nothing. Rules that ended there made spans of a third of
    the length (docs/explanation/settings.md).
    """
    begin = 0
    for stop in chain(_STOP.finditer(text), (None,)):
        before = stop.start() if stop else len(text)
        while (line := text.find("\n", begin + LONGEST, before)) >= 0:
            yield from _stripped(text, begin, line)
            begin = line + 1
        if stop is None:
            yield from _stripped(text, begin, len(text))
        elif _stops(text, stop):
            yield from _stripped(text, begin, stop.end())
            begin = stop.end()


def _stops(text: str, stop: re.Match[str]) -> bool:
    after = text[stop.end() : stop.end() + 40].lstrip()
    if after[:1].islower():
        return False
    if not stop.group().startswith(".") or stop.group().startswith(".."):
        return True
    before = text[max(0, stop.start() - 40) : stop.start()]
    if _LIST_NUMBER.search(before):
        return False
    found = _WORD_BEFORE.search(before)
    word = found.group() if found else ""
    return not (word.lower() in _ABBREVIATIONS or (len(word) == 1 and word.isalpha() and word.isupper()))


def _stripped(text: str, begin: int, end: int) -> Iterator[slice]:
    """The piece without surrounding white space; nothing if only white space is left."""
    piece = text[begin:end]
    inner = piece.strip()
    if inner:
        first = begin + len(piece) - len(piece.lstrip())
        yield slice(first, first + len(inner))
