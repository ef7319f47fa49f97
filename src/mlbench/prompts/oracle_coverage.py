"""Measures how much of the published oracle segment a model is shown (the paper's table 17).

Texts are compared within one document, with each run of white space as one space: the segment as a whole, and line by
line. Lines without a letter or digit (fences, rules) do not count.
"""

from __future__ import annotations

from functools import lru_cache

from mlbench.prompts.context import Document, Survival


def survival(segment: str, documents: tuple[Document, ...]) -> Survival:
    """How much of a segment is in some documents."""
    texts = _normal(documents)
    whole = " ".join(segment.split())
    if any(whole in text for text in texts):
        return Survival(True, 1.0)
    lines = [" ".join(line.split()) for line in segment.splitlines() if any(map(str.isalnum, line))]
    found = sum(any(line in text for text in texts) for line in lines)
    return Survival(False, found / len(lines) if lines else 0.0)


@lru_cache(maxsize=32)
def _normal(documents: tuple[Document, ...]) -> tuple[str, ...]:
    return tuple(" ".join(document.text.split()) for document in documents)
