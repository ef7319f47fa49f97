"""The words that instructions may use: those that the documentation of many ML projects uses in its prose.

`lexicon.txt` lists lower-case words that occur outside of code in at least two of 36 repositories' documentation,
without abbreviations. Words with a capital, and words that the repository's own prose uses, count as well.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from importlib.resources import files

_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
_PIECES = re.compile(r"[a-z]{2,}|\d+")
_PROSE = re.compile(r"(?<![\w/.\\_=$:#@`-])[a-z]{4,}(?![\w/\\_=@(`-]|\.\w|:\w)")
_ENDINGS = (("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"), ("er", "e"))
_OFTEN = 3
"""This many uses in the repository's prose make a word known."""


@cache
def words() -> frozenset[str]:
    return frozenset(files(__package__).joinpath("lexicon.txt").read_text(encoding="utf-8").split())


def prose_words(text: str) -> frozenset[str]:
    """The lower-case words that a text uses several times in its prose."""
    plain = re.sub(r"(?ms)^\s*```.*?(?:^\s*```|\Z)|`[^`\n]*`|\S+://\S+", " ", text)
    counts: dict[str, int] = {}
    for word in _PROSE.findall(plain):
        counts[word] = counts.get(word, 0) + 1
    return frozenset(word for word, count in counts.items() if count >= _OFTEN)


def is_word(word: str, more: Collection[str] = ()) -> bool:
    """Whether a lower-case word is English or a term of the field, also with an ending.

    Args:
        word: without punctuation.
        more: further words, such as those of the repository's prose.
    """
    if word in words() or word in more:
        return True
    stems = [word.removesuffix(end) + stem for end, stem in _ENDINGS if word.endswith(end) and len(word) > len(end) + 2]
    return any(stem in words() or stem in more for stem in stems)


def unknown(text: str, more: Collection[str] = ()) -> list[str]:
    """The lower-case words of a text that nobody knows; names and symbols with capitals or digits do not count."""
    found = []
    for part in text.split():
        if re.search(r"[A-Z0-9_/\\.]", part.strip(".,;:?!'\"()")):
            continue
        words_in = [word for word in _WORD.findall(part) if len(word) > 1 and "'" not in word]
        found += [word for word in words_in if not is_word(word, more)]
    return found


def pieces(text: str) -> set[str]:
    """The words and numbers of a text or a name in lower case: those of `ViT-base_16` are vit, base and 16."""
    return {*_PIECES.findall(text.lower())}
