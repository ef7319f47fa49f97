"""The Fact Check held against the trace: figures that it claims and that nobody has seen. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w]|\.\d)\s?%?")
_OPEN = re.compile(
    r"\bnot (?:yet |been |directly |been directly )*(?:confirmed|observed|known|verified|measured|checked)"
    r"|\bun(?:confirmed|known|verified)|\bguess|\bassum|\bexpect|\bhypothe|\bestimat|\bgoal|\btarget\b|\bplan|\bshould\b|\bmay\b|\bmight\b|\bcould\b",
    re.I,
)
_SMALL = 100  # whole numbers below are counts of folds, layers, steps: too many to be results, and easily seen
_MOST = 10


@dataclass(frozen=True)
class _Figure:
    """A number as it was written, its value, and the worth of its last digit."""

    text: str
    value: float
    digit: float

    def is_among(self, numbers: Sequence[float]) -> bool:
        """Whether it is one of these sorted numbers, rounded or cut to as many digits."""
        far = self.digit * (1 + 1e-6)
        place = bisect_left(numbers, self.value - far)
        return place < len(numbers) and numbers[place] <= self.value + far


def unfounded(claims: str, seen: Iterable[str]) -> tuple[str, ...]:
    """The figures of a Fact Check that stand in nothing that was seen, as they are written.

    Left out are whole numbers below 100 and sentences that say of themselves that they are open.

    Args:
        seen: observations, the problem's text, what was written into files.
    """
    figures = [
        figure
        for sentence in re.split(r"(?<=[;!?\n])|(?<=\.)(?=\s)", claims)
        if not _OPEN.search(sentence)
        for figure in _figures(sentence)
        if "." in figure.text or "%" in figure.text or "e" in figure.text.lower() or abs(figure.value) >= _SMALL
    ]
    if not figures:
        return ()
    values = {figure.value for text in seen for figure in _figures(text)}
    known = sorted(values | {100 * value for value in values if abs(value) <= 1})
    missing = [figure.text for figure in figures if not figure.is_among(known)]
    return tuple(dict.fromkeys(missing))[:_MOST]


def _figures(text: str) -> list[_Figure]:
    found = []
    for match in _NUMBER.finditer(text):
        written = match[0].strip().rstrip("%").strip().replace(",", "")
        digits, _, exponent = written.lower().partition("e")
        places = len(digits.partition(".")[2]) - (int(exponent[:4]) if exponent else 0)
        try:
            found.append(_Figure(match[0].strip(), float(written), 10.0**-places))
        except (ValueError, OverflowError):
            continue
    return found
