"""Find figures and words in printed output by value, whatever stands around them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from mlbench.judging.outcome_spec import NUMBER, expression

_NUMBER = r"[-+]?(?:\d+(?:_\d{3})*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_TOKEN = re.compile(rf"(?<![\w.])(?P<number>{_NUMBER}|[-+]?(?:nan|inf(?:inity)?)\b)(?P<percent>\s?%)?", re.IGNORECASE)
_WHOLE = re.compile(rf"\s*(?:{_NUMBER}|[-+]?(?:nan|inf(?:inity)?))\s*%?\s*", re.IGNORECASE)
_ROW = re.compile(rf"[\s(\[]*{_NUMBER}(?:\s*[,x×;\s]\s*{_NUMBER})+[\s,)\]]*")
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_LONGEST = 2_000_000
_COARSEST = 0.05  # coarsest rounding, about two digits: 0.76 for 0.7639, not 0.8
_RELATIVE = 1e-5
_SOUGHT = 500
_MOST_DIGITS = 17


@dataclass(frozen=True)
class Number:
    """A number in a text: its value, and the unit of its last place (0 for an integer)."""

    value: float
    unit: float
    percent: bool = False

    @classmethod
    def read(cls, text: str, percent: bool = False) -> Number:
        """Parse a number; `percent` says that a percent sign follows it."""

        bare = text.strip().rstrip("%").strip().replace("_", "")
        mantissa, _, exponent = bare.lower().partition("e") if "inf" not in bare.lower() else (bare, "", "")
        decimals = len(mantissa.partition(".")[2])
        whole = "." not in mantissa and not exponent
        try:
            unit = 0.0 if whole else 10.0 ** (int(exponent or 0) - decimals)
        except OverflowError:
            unit = 0.0
        return cls(float(bare), unit, percent or text.strip().endswith("%"))

    def says(self, other: Number) -> int:
        """In how many digits this number equals another, also rounded or as a percentage; 0 if not."""
        if digits := self._says(other.value, other.unit):
            return digits
        if self.unit and (self.percent or (abs(other.value) <= 1 < abs(self.value))):
            return Number(self.value / 100, self.unit / 100)._says(other.value, other.unit)
        if other.percent:
            return Number(self.value * 100, self.unit * 100)._says(other.value, other.unit)
        return 0

    def _says(self, value: float, unit: float) -> int:
        if math.isnan(self.value) or math.isnan(value):
            return int(math.isnan(self.value) and math.isnan(value))
        coarser = max(self.unit, unit)
        if self.value == value:
            return _digits(value, coarser)
        if not unit or not self.unit or math.isinf(value) or math.isinf(self.value):
            return 0  # counts must be exact
        if coarser > max(unit, _COARSEST * abs(value)) * 1.001 and value != 0:
            return 0
        close = abs(self.value - value) <= max(0.501 * coarser, _RELATIVE * abs(value))
        return _digits(value, max(coarser, _RELATIVE * abs(value) if self.unit == unit else coarser)) if close else 0


def _digits(value: float, unit: float) -> int:
    """Significant digits of a value with a given unit in its last place; at least 1."""
    if value == 0 or math.isinf(value):
        return 1
    if not unit:
        return max(1, len(str(int(abs(value))).rstrip("0")))
    return min(_MOST_DIGITS, max(1, math.floor(math.log10(abs(value) / unit) + 1e-9) + 1))


class PrintedFigures:
    """The printed text of an execution, to search for figures and words."""

    def __init__(self, text: str) -> None:
        self.text = _ESCAPES.sub("", text[:_LONGEST])

    @cached_property
    def numbers(self) -> list[Number]:
        """The numbers in the text, in order."""

        return [Number.read(each["number"], bool(each["percent"])) for each in _TOKEN.finditer(self.text)]

    @cached_property
    def _distinct(self) -> set[Number]:
        return set(self.numbers)

    @cached_property
    def _plain(self) -> str:
        return plain(self.text)

    def says(self, figure: str, times: int = 1) -> int:
        """How many digits or letters of a figure, a row of figures, or words are found.

        0 if it is not there.

        Args:
            figure: a number, several numbers in order, or words.
            times: how often words must occur.
        """
        if is_number(figure):
            wanted = Number.read(figure)
            return max((each.says(wanted) for each in self._distinct), default=0)
        if _ROW.fullmatch(figure):
            return self._row([Number.read(number) for number in re.findall(_NUMBER, figure)])
        return len(figure) if self._plain.count(plain(figure)) >= times else 0

    def _row(self, row: Sequence[Number]) -> int:
        """Digits of a row whose numbers occur in this order, perhaps with others between them."""
        total, left = 0, iter(self.numbers)
        for wanted in row:
            digits = next((digits for each in left if (digits := each.says(wanted))), 0)
            if not digits:
                return 0
            total += digits
        return total


def is_number(figure: str) -> bool:
    """Whether a figure is a single number."""

    return _WHOLE.fullmatch(figure) is not None


def plain(text: str) -> str:
    """Lower-case words with single spaces."""
    return " ".join(text.casefold().split())


def figures(patterns: Sequence[str], printed: str) -> tuple[list[str], str]:
    """The contents of the patterns' groups, in order, and the lines without a match.

    All matches of the pattern `<number>` are one row, in which the order counts.
    """
    text = _ESCAPES.sub("", printed[:_LONGEST])
    found: list[str] = []
    taken: set[int] = set()
    for pattern in patterns:
        groups: list[str] = []
        for match in re.finditer(expression(pattern), text, re.MULTILINE):
            groups += [group for group in match.groups() if group and group.strip()]
            taken |= set(range(text.count("\n", 0, match.start()), text.count("\n", 0, match.end()) + 1))
        found += [", ".join(groups[:_SOUGHT])] if pattern == NUMBER and groups else groups
    rest = [line for number, line in enumerate(text.split("\n")) if number not in taken]
    return found[:_SOUGHT], "\n".join(rest)


def without(text: str, lines: str) -> str:
    """Drop the lines that also stand in another text, such as log lines."""
    drop = {line.strip() for line in lines.split("\n")}
    return "\n".join(line for line in _ESCAPES.sub("", text[:_LONGEST]).split("\n") if line.strip() not in drop)


def digits_of(figure: str, texts: Iterable[PrintedFigures], times: int = 1) -> int:
    """How many digits or letters of a figure are found in the best of some texts; 0 if in none.

    Args:
        figure: a number, several numbers in order, or words.
        texts: the texts to search.
        times: how often words must occur.
    """
    return max((text.says(figure, times) for text in texts), default=0)
