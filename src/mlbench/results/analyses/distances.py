"""How different texts are: edit distance, and how many of their n-grams are new."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence

_WORD = re.compile(r"\w+|[^\w\s]")


def words(text: str) -> list[str]:
    """Words and single marks, as written: `lr=0.1` is `lr`, `=`, `0`, `.`, `1`."""
    return _WORD.findall(text)


def edit_distance(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """The least number of items to insert, delete or replace (Levenshtein), of texts or of lists of words.

    A column of the table is one whole number (Myers 1999, in Hyyrö's form of 2003), so that two texts of 300
    characters cost a third of a millisecond without a library.
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
    """Share of different ones among all n-grams (distinct-n); 0.0 where there are none."""
    grams = [tuple(text[i : i + n]) for text in texts for i in range(len(text) - n + 1)]
    return len(set(grams)) / len(grams) if grams else 0.0
