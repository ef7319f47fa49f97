"""Compare the parsed contents of two output files: numbers within a tolerance, everything else exactly."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mlbench.judging.text_content import TextContent, is_number


def differences(
    expected: Any, found: Any, volatile: Sequence[str], rtol: float, atol: float, where: str = ""
) -> Iterator[str]:
    """Where two contents differ, in words; nothing if they are equal within the tolerance.

    Args:
        expected, found: contents from `read`.
        volatile: names of keys, columns or arrays that are not compared.
        rtol, atol: relative and absolute tolerance of numbers.
        where: prefix of each line.
    """
    if isinstance(expected, TextContent) and isinstance(found, TextContent):
        ours, theirs = expected.without(volatile).tokens, found.without(volatile).tokens
        if len(ours) != len(theirs):
            yield f"{where or 'text'}: {len(theirs)} words and numbers, expected {len(ours)}"
            return
        for one, other in zip(ours, theirs, strict=True):
            if one != other and not (
                is_number(one) and is_number(other) and close(float(one), float(other), rtol, atol)
            ):
                yield f"{where or 'text'}: {other[:80]!r}, expected {one[:80]!r}"
                return
        return
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        names = [name for name in expected if name not in volatile]
        if missing := [name for name in names if name not in found]:
            yield f"{where}lacks {', '.join(missing[:5])}"
        for name in names:
            if name in found:
                yield from differences(expected[name], found[name], volatile, rtol, atol, f"{where}{name}: ")
        return
    if isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            yield f"{where}{len(found)} entries, expected {len(expected)}"
            return
        for index, (one, other) in enumerate(zip(expected, found, strict=True)):
            yield from differences(one, other, volatile, rtol, atol, f"{where}[{index}] ")
        return
    if isinstance(expected, np.ndarray) and isinstance(found, np.ndarray):
        yield from _of_arrays(expected, found, rtol, atol, where)
        return
    if _number(expected) and _number(found):
        if not close(float(expected), float(found), rtol, atol):
            yield f"{where}{found!r}, expected {expected!r}"
        return
    if type(expected) is not type(found) or expected != found:
        yield f"{where}{_short(found)}, expected {_short(expected)}"


def close(expected: float, found: float, rtol: float, atol: float) -> bool:
    """Whether two numbers are equal within a tolerance.

    NaN equals NaN, and infinity equals infinity.

    Args:
        expected, found: the numbers.
        rtol: tolerance relative to `expected`.
        atol: absolute tolerance.
    """
    if math.isnan(expected) or math.isnan(found):
        return math.isnan(expected) and math.isnan(found)
    return expected == found or abs(expected - found) <= atol + rtol * abs(expected)


def _of_arrays(expected: Any, found: Any, rtol: float, atol: float, where: str) -> Iterator[str]:
    if expected.shape != found.shape:
        yield f"{where}shape {found.shape}, expected {expected.shape}"
        return
    if expected.dtype.kind in "fciub" and found.dtype.kind in "fciub":
        with np.errstate(all="ignore"):
            equal = np.isclose(found, expected, rtol=rtol, atol=atol, equal_nan=True)
        if not equal.all():
            yield f"{where}{int((~equal).sum())} of {equal.size} numbers differ"
    elif expected.dtype != found.dtype or not np.array_equal(expected, found):
        yield f"{where}other contents"


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _short(value: Any) -> str:
    return f"{len(value)} bytes" if isinstance(value, bytes) else repr(value)[:80]
