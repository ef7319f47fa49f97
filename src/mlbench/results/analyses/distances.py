"""Measure how different texts are: edit distance, and the share of distinct n-grams."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence

_WORD = re.compile(r"\w+|[^\w\s]")


def words(text: str) -> list[str]:
    """Split a text into words and single marks: `lr=0.1` is `lr`, `=`, `0`, `.`, `1`."""
    return _WORD.findall(text)


def edit_distance(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """Return the Levenshtein distance of two texts or two lists of words.

    Bit-parallel: one integer is a column of the table (Myers 1999, in Hyyrö's form of 2003).
    """
    if not one or not other:
        return max(len(one), len(other))
    places: dict[Hashable, int] = {}
    for i, item in enumerate(one):
        places[item] = places.get(item, 0) | 1 << i
    last, whole = 1 << (len(one) - 1), (1 << len(one)) - 1
    up, down, distance = whole, 0, len(one)  # bits: a cell is one more, or one less, than the one above it
    for item in other:
        here = places.get(item, 0)
        diagonal = (((here & up) + up) ^ up) | here | down
        more, less = down | (whole & ~(diagonal | up)), up & diagonal
        if more & last:
            distance += 1
        elif less & last:
            distance -= 1
        more, less = (more << 1 | 1) & whole, (less << 1) & whole
        up, down = less | (whole & ~(diagonal | more)), more & diagonal
    return distance


def distinct(texts: Sequence[Sequence[Hashable]], n: int) -> float:
    """Return the share of distinct n-grams among all (distinct-n); 0.0 if there are none."""
    grams = [tuple(text[i : i + n]) for text in texts for i in range(len(text) - n + 1)]
    return len(set(grams)) / len(grams) if grams else 0.0
