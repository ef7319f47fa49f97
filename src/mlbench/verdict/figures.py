"""Figures and words in what programs print: found by value, whatever stands around them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

_NUMBER = r"[-+]?(?:\d+(?:_\d{3})*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_TOKEN = re.compile(rf"(?<![\w.])(?P<number>{_NUMBER}|[-+]?(?:nan|inf(?:inity)?)\b)(?P<percent>\s?%)?", re.IGNORECASE)
_WHOLE = re.compile(rf"\s*(?:{_NUMBER}|[-+]?(?:nan|inf(?:inity)?))\s*%?\s*", re.IGNORECASE)
_ROW = re.compile(rf"[\s(\[]*{_NUMBER}(?:\s*[,x×;\s]\s*{_NUMBER})+[\s,)\]]*")
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_LONGEST = 2_000_000
_COARSEST = 0.05  # a rounded figure says the reference's to two digits or so: 0.76 for 0.7639, not 0.8
_RELATIVE = 1e-5
_SOUGHT = 500


@dataclass(frozen=True)
class Number:
    """A number as it stands in a text: its value, and the worth of a unit in its last place (0 of an integer)."""

    value: float
    unit: float
    percent: bool = False

    @classmethod
    def read(cls, text: str, percent: bool = False) -> Number:
        bare = text.strip().rstrip("%").strip().replace("_", "")
        mantissa, _, exponent = bare.lower().partition("e") if "inf" not in bare.lower() else (bare, "", "")
        decimals = len(mantissa.partition(".")[2])
        whole = "." not in mantissa and not exponent
        try:
            unit = 0.0 if whole else 10.0 ** (int(exponent or 0) - decimals)
        except OverflowError:
            unit = 0.0
        return cls(float(bare), unit, percent or text.strip().endswith("%"))

    def says(self, other: Number) -> bool:
        """Whether this number, perhaps rounded, says what another does; also as a share for percents."""
        if self._says(other.value, other.unit):
            return True
        if self.percent or (abs(other.value) <= 1 < abs(self.value)):
            return Number(self.value / 100, self.unit / 100)._says(other.value, other.unit) and bool(self.unit)
        return other.percent and Number(self.value * 100, self.unit * 100)._says(other.value, other.unit)

    def _says(self, value: float, unit: float) -> bool:
        if math.isnan(self.value) or math.isnan(value):
            return math.isnan(self.value) and math.isnan(value)
        if self.value == value:
            return True
        if not unit or math.isinf(value) or math.isinf(self.value):
            return False  # a count is exact
        coarser = max(self.unit or 1.0, unit)
        if coarser > max(unit, _COARSEST * abs(value)) * 1.001 and value != 0:
            return False
        return abs(self.value - value) <= max(0.501 * coarser, _RELATIVE * abs(value))


class Printed:
    """The text that an execution has printed, to be searched for figures and words."""

    def __init__(self, text: str) -> None:
        self.text = _ESCAPES.sub("", text[:_LONGEST])

    @cached_property
    def numbers(self) -> list[Number]:
        return [Number.read(each["number"], bool(each["percent"])) for each in _TOKEN.finditer(self.text)]

    @cached_property
    def _distinct(self) -> set[Number]:
        return set(self.numbers)

    @cached_property
    def _plain(self) -> str:
        return plain(self.text)

    def says(self, figure: str) -> bool:
        """Whether a figure, a row of figures such as a shape, or words stand in it."""
        if is_number(figure):
            wanted = Number.read(figure)
            return any(each.says(wanted) for each in self._distinct)
        if _ROW.fullmatch(figure):
            row = [float(number) for number in re.findall(_NUMBER, figure)]
            values = [number.value for number in self.numbers]
            return any(values[at : at + len(row)] == row for at in range(len(values) - len(row) + 1))
        return plain(figure) in self._plain


def is_number(figure: str) -> bool:
    return _WHOLE.fullmatch(figure) is not None


def plain(text: str) -> str:
    """Words without their case and the space between them."""
    return " ".join(text.casefold().split())


def figures(patterns: Sequence[str], printed: str) -> list[str]:
    """What stands in the groups of the patterns, in order; what is not there is left out."""
    text = _ESCAPES.sub("", printed[:_LONGEST])
    found: list[str] = []
    for pattern in patterns:
        for match in re.finditer(pattern, text, re.MULTILINE):
            found += [group for group in match.groups() if group and group.strip()]
    return found[:_SOUGHT]


def unsaid(wanted: Iterable[str], texts: Sequence[Printed]) -> list[str]:
    """Those of the wanted figures that stand in none of the texts, each once."""
    return [figure for figure in dict.fromkeys(wanted) if not any(text.says(figure) for text in texts)]
