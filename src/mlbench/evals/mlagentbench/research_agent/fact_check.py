"""Find figures of a Fact Check that no observation contains. Pure."""

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
_SMALL = 100  # smaller whole numbers are mostly counts of folds, layers or steps, not results
_MOST = 10


@dataclass(frozen=True)
class _Figure:
    """A number as it was written, its value, and the value of one unit of its last digit."""

    text: str
    value: float
    digit: float

    def is_among(self, numbers: Sequence[float]) -> bool:
        """Whether one of these sorted numbers is this figure, rounded or truncated."""
        tolerance = self.digit * (1 + 1e-6)
        index = bisect_left(numbers, self.value - tolerance)
        return index < len(numbers) and numbers[index] <= self.value + tolerance


def unfounded(claims: str, seen: Iterable[str]) -> tuple[str, ...]:
    """Return the figures of a Fact Check that have no source, as they are written.

    Whole numbers below 100 and sentences that call themselves uncertain are left out.

    Args:
        claims: the text of the Fact Check.
        seen: the sources: observations, the problem's text, and what the agent wrote into files.
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
