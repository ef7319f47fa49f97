"""Numbers that an option may be given instead of its own: attested ones, then usual ones of the same size.

A number keeps the type and sign of the one in the code, stays within its order of magnitude, and within a range that
the help text states.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from mlbench.records import OptionSchema
from mlbench.suite_builder.arguments.argument_kinds import Kind
from mlbench.suite_builder.arguments.help_text import allowed_range

MOST = 4
"""Values per argument."""
_STRIDE, _WIDEST = 32, 64
"""A number that is a multiple of the first, or a power of two, stays a multiple of what divides all of its like."""
_SIZES = frozenset({"image-size", "dimension", "length"})
_SMALLEST = 1e-6  # nobody tries a weight decay of 2e-09 because 1e-8 stands in the code
_COUNTED = frozenset({"epochs", "steps"})
_ATTESTED, _USUAL = 0.8, 0.7
"""How far a number may be from the code's, in factors of ten, if a page gives it to the option, and if none does."""
_LARGE_BATCH, _DOUBLED = 256, 0.31
"""From this size on, a batch is at most doubled or halved (in factors of ten): more seldom fits in memory."""


def number_of(word: str) -> float | None:
    try:
        found = float(word)
    except ValueError:
        return None
    return found if math.isfinite(found) and "_" not in word else None


def is_numeric(option: OptionSchema) -> bool:
    return option.type.lower().startswith(("int", "float"))


def numbers(option: OptionSchema, kind: Kind | None, text: str, given: Sequence[str], most: int = MOST) -> list[str]:
    """Numbers for an option, the code's own first.

    Args:
        option: its schema.
        kind: the table's entry, if any.
        text: the number in the code.
        given: numbers that pages give to the option, the most frequent first.
        most: so many at most; a caller that may refuse some asks for more than it takes.
    """
    value = _number(text)
    whole = _is_whole(option, text)
    low, high = _bounds(option, value, whole)
    usual = [word for word in (kind.values if kind else ()) if number_of(word) is not None]
    step = _step(value, given) if whole and (kind is None or kind.kind in _SIZES) else 1
    farthest = _DOUBLED if kind and kind.kind == "batch-size" and value >= _LARGE_BATCH else _USUAL
    reach = [word for word in usual if _distance(_number(word), value) <= farthest]
    is_known = kind is not None or not whole or value in (1, 2, 4) or value % 8 == 0  # no rate of 20000 Hz
    reach = [word for word in reach if _number(word) % step == 0]
    about = _round_about(value, whole, text) if value and is_known and len(reach) < MOST - 1 else []
    if value and step > 1:  # rounded to the grid
        about = [str(max(1, round(_number(word) / step)) * step) for word in about]
    if usual:  # no drop path rate of 0.95 because 0.5 stands in the code
        least, greatest = min(map(_number, usual)), max(map(_number, usual))
        about = [word for word in about if least <= _number(word) <= greatest]
    near = [*reach, *about]
    attested = [word for word in given if value == 0 or _distance(_number(word), value) <= _ATTESTED]
    near.sort(key=lambda word: _distance(_number(word), value))
    if value and whole and value >= 4 and math.log2(value).is_integer():
        near.sort(key=lambda word: not math.log2(max(_number(word), 1)).is_integer())  # stable: powers of two first
    wanted = [
        word
        for word in dict.fromkeys([*attested[: MOST - 1], *near])
        if low <= _number(word) <= high
        and (not whole or re.fullmatch(r"-?\d+", word))
        and (value == 0 or _number(word) * value >= 0)
    ]
    if kind is not None and kind.kind in _COUNTED:
        wanted = [word for word in wanted if _number(word) != 1]  # `1 epochs`
    chosen = _spelled_as(text, wanted)[:most]
    return [text, *(word for word in chosen if word != text)][:most]


def _step(value: float, given: Sequence[str]) -> int:
    """The largest power of two, at most 64, that divides a size and all others that pages give: 64 of 384 and 1024."""
    if value < 4 or not (math.log2(value).is_integer() or value % _STRIDE == 0):
        return 1
    attested = [int(value), *(int(number) for word in given if (number := _number(word)) and number == int(number))]
    return math.gcd(_WIDEST, *attested)


def _number(word: str) -> float:
    return number_of(word) or 0.0


def _is_whole(option: OptionSchema, text: str) -> bool:
    if option.type.lower().startswith("float"):
        return False
    default = isinstance(option.default, int) and not isinstance(option.default, bool)
    return option.type.lower().startswith("int") or default or re.fullmatch(r"-?\d+", text) is not None


def _bounds(option: OptionSchema, value: float, whole: bool) -> tuple[float, float]:
    """The range that the help text states, if it holds the number itself; else what its form implies."""
    stated = allowed_range(option.help)
    if stated and stated[0] <= value <= stated[1]:
        return stated
    if not whole and 0 <= value <= 1:
        return 0.0, 1.0
    return (1.0 if whole and value > 0 else -math.inf), math.inf


def _distance(number: float, anchor: float) -> float:
    """The distance in factors of ten; zero is far from everything."""
    return abs(math.log10(max(abs(number), 1e-9)) - math.log10(max(abs(anchor), 1e-9)))


def _round_about(value: float, whole: bool, text: str) -> list[str]:
    """Round numbers between the half and the double of a value; shares stay shares."""
    sign = -1 if value < 0 else 1
    size = abs(value)
    if size < _SMALLEST and not whole:
        return []
    if 0.05 <= size <= 1 and not whole and "e" not in text.lower():
        grid = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95]
        return [f"{sign * each:g}" for each in grid if size / 2 <= each <= size * 2 and each != size]
    if whole and size > 3 and math.log2(size).is_integer():
        return [str(sign * int(size * by)) for by in (0.5, 2)]
    if not whole and size < 0.05:
        scale = 10.0 ** math.floor(math.log10(size)) if size else 0.1
        found = [sign * part * scale for part in (0.2, 0.5, 1, 2, 5, 10) if size / 5 <= part * scale <= size * 5]
        return [f"{each:g}" for each in found if abs(each) != size]
    scale = 10.0 ** math.floor(math.log10(size)) if size else 1.0
    parts = (0.5, 0.6, 0.8, 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 15, 20)
    found = [sign * part * scale for part in parts if size / 2 <= part * scale <= size * 2 and part * scale != size]
    if whole:
        return [str(int(each)) for each in found if each == int(each) and each != 0]
    return [f"{each:g}" for each in found]


def _spelled_as(text: str, words: Sequence[str]) -> list[str]:
    """The words with a decimal point if the code has one: 3.0 beside 2.0."""
    if re.fullmatch(r"-?\d+\.0+", text):
        return [f"{word}.0" if re.fullmatch(r"-?\d+", word) else word for word in words]
    return list(words)
