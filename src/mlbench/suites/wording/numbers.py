"""Numbers as people write them: other spellings of a value, and the numbers that a text mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache

_PLAIN = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORDS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "a hundred": 100, "one hundred": 100, "a thousand": 1000, "one thousand": 1000,
}  # fmt: skip
"""Not `one`: in "this one" it is no number."""
_PARTS = {
    "half a percent": Decimal("0.005"), "a tenth": Decimal("0.1"), "one tenth": Decimal("0.1"),
    "a fifth": Decimal("0.2"), "a quarter": Decimal("0.25"), "half": Decimal("0.5"),
}  # fmt: skip
_SUPERSCRIPT = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_BACK = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SMALL = Decimal("0.01")
_MILLION = 1_000_000
_BEFORE, _AFTER = r"(?<![\w.,/^~·×-])", r"(?![\w/]|\.\d|-\d)"
_NUMBERS = re.compile(
    rf"{_BEFORE}(?:"
    rf"(?P<base>\d+(?:\.\d+)?) ?[×·] ?10(?:\^(?P<power>-?\d+)|(?P<raised>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)){_AFTER}"
    rf"|10(?:\^(?P<only_power>-?\d+)|(?P<only_raised>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)){_AFTER}"
    rf"|(?P<percent>\d+(?:\.\d+)?) ?(?:%|per ?cent\b)"
    rf"|(?P<thousands>\d{{1,3}}(?:,\d{{3}})+){_AFTER}"
    rf"|(?P<kilo>\d+)k{_AFTER}"
    rf"|(?P<plain>-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?){_AFTER}"
    rf"|(?P<word>(?:{'|'.join(sorted((*_WORDS, *_PARTS), key=len, reverse=True))}))\b(?!-)"
    rf")|(?<![\w.,/])(?P<negative>-\d+(?:\.\d+)?){_AFTER}",
    re.I,
)


@dataclass(frozen=True)
class NumberMention:
    """A number in a text, and where it stands."""

    value: Decimal
    start: int
    end: int
    also: Decimal | None = None
    """What it may mean otherwise: an option in percent takes `0.5 percent` as 0.5."""

    @property
    def values(self) -> frozenset[Decimal]:
        """Every number that it may mean."""
        return frozenset((self.value,) if self.also is None else (self.value, self.also))


def is_number(text: str) -> bool:
    """Whether a value is a decimal number, as a command line has it."""
    return _PLAIN.fullmatch(text) is not None


@cache
def spellings(text: str, counted: bool) -> tuple[str, ...]:
    """The ways to write a value; its own spelling only if it is not a number.

    Args:
        text: the value.
        counted: whether a plural noun follows, so that `two` or `5,000` read well.
    """
    if not is_number(text):
        return (text,)
    value = Decimal(text)
    found = [text]
    if value == value.to_integral_value() and "." not in text and "e" not in text.lower():
        return (*found, *(_counts(int(value)) if counted else ()))
    if "e" in text.lower() and value == value.to_integral_value():
        found.append(f"{int(value):,}")
    elif 0 < value < _SMALL or ("e" in text.lower() and 0 < value < 1):
        _, digits, exponent = value.normalize().as_tuple()
        base, power = "".join(map(str, digits)), int(exponent) + len(digits) - 1
        base = base[0] + ("." + base[1:] if base[1:] else "")
        raised = f"10{str(power).translate(_SUPERSCRIPT)}"
        found += [f"{base}e{power}", format(value, "f"), raised if base == "1" else f"{base} × {raised}"]
        found += [f"10^{power}"] if base == "1" else []
    return tuple(dict.fromkeys(found))


def _counts(value: int) -> Iterator[str]:
    yield from (word for word, number in _WORDS.items() if number == value)
    if value >= 1000 and value % 100 == 0:
        yield f"{value:,}"
        if value % 1000 == 0 and value < _MILLION:
            yield f"{value // 1000}k"


@cache
def shares(text: str) -> tuple[str, ...]:
    """The ways to say a share before `of`: `20 %`, `a fifth`; its own spelling if it is none."""
    if not is_number(text) or not 0 < (value := Decimal(text)) < 1:
        return (text,)
    hundredths = format((value * 100).normalize(), "f")
    named = [word for word, part in _PARTS.items() if part == value]
    return (f"{hundredths} %", f"{hundredths}%", f"{hundredths} per cent", *named)


def numbers_in(text: str) -> Iterator[NumberMention]:
    """Every number that a text mentions, in digits, powers, percent or words.

    Digits inside names and paths (`v2-1_512.ckpt`, `768x768`) are not numbers.
    """
    for match in _NUMBERS.finditer(text):
        percent = match["percent"]
        yield NumberMention(_value(match), match.start(), match.end(), Decimal(percent) if percent else None)


def _value(match: re.Match[str]) -> Decimal:
    found = match.groupdict()
    if power := found["power"] or (found["raised"] or "").translate(_BACK):
        return Decimal(f"{found['base']}e{power}")
    if power := found["only_power"] or (found["only_raised"] or "").translate(_BACK):
        return Decimal(f"1e{power}")
    if found["percent"]:
        return Decimal(found["percent"]) / 100
    if found["thousands"]:
        return Decimal(found["thousands"].replace(",", ""))
    if found["kilo"]:
        return Decimal(found["kilo"]) * 1000
    if found["word"]:
        word = found["word"].lower()
        return Decimal(_WORDS[word]) if word in _WORDS else _PARTS[word]
    return Decimal(found["plain"] or found["negative"])
