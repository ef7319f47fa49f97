"""Parse output files into comparable values. The bytes are hostile: nothing is unpickled.

JSON, JSON lines, NPY and NPZ are parsed. Other text is read as numbers and words. Other bytes are compared unchanged.
"""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

MOST_VALUES = 16 << 20
"""Most bytes of one unpacked array: a small archive can hold a very large one."""
_DEEPEST = 50
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf)\b", re.IGNORECASE)
_TOKENS = re.compile(rf"{_NUMBER.pattern}|[A-Za-z_]+|[^\sA-Za-z_]", re.IGNORECASE)


class Unreadable(Exception):
    """A file is not of the format that its name says; the message says why."""


def read(path: str, content: bytes) -> Any:
    """Parse a file into JSON-like values and arrays; `bytes` if it is no text.

    Args:
        path: the file's name decides on the format.
        content: its bytes.

    Raises:
        Unreadable: it is damaged, nested too deeply, or too large once unpacked.
    """
    suffix = path.rpartition(".")[2].lower()
    try:
        if suffix == "json":
            return _json(content)
        if suffix in ("jsonl", "ndjson"):
            return [_json(line) for line in content.splitlines() if line.strip()]
        if suffix == "npz":
            return _npz(content)
        if suffix == "npy":
            return _npy(io.BytesIO(content), len(content))
    except Unreadable:
        raise
    except (ValueError, OSError, EOFError, KeyError, RecursionError, zipfile.BadZipFile, NotImplementedError) as error:
        raise Unreadable(f"is no {suffix.upper()}: {str(error)[:100]}") from error
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return content
    return content if "\0" in text else TextContent(text)


class TextContent:
    """A text as its numbers and words."""

    def __init__(self, text: str) -> None:
        self.tokens = _TOKENS.findall(text)
        self.lines = text.splitlines()

    def without(self, columns: Sequence[str]) -> TextContent:
        """Drop columns of a table by the names in its first line."""
        names = self.lines[0].split(",") if self.lines else []
        left_out = {column for column, name in enumerate(names) if name.strip() in columns}
        if not left_out:
            return self
        kept = [",".join(c for p, c in enumerate(line.split(",")) if p not in left_out) for line in self.lines]
        return TextContent("\n".join(kept))


def _json(content: bytes) -> Any:
    value = json.loads(content)
    _depth(value)
    return value


def _depth(value: Any, depth: int = 0) -> None:
    if depth > _DEEPEST:
        raise Unreadable("is nested too deeply")
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _depth(each, depth + 1)


def _npz(content: bytes) -> dict[str, object]:
    found: dict[str, object] = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        left = MOST_VALUES
        for info in archive.infolist():
            if info.file_size > left:
                raise Unreadable(f"holds more than {MOST_VALUES} bytes")
            left -= info.file_size
            with archive.open(info) as member:
                data = member.read(info.file_size + 1)
            found[info.filename.removesuffix(".npy")] = _npy(io.BytesIO(data), len(data))
    return found


def _npy(file: io.BytesIO, size: int) -> Any:
    version = np.lib.format.read_magic(file)
    reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = reader(file)
    if dtype.hasobject:
        raise Unreadable("holds pickled objects, which are not opened")
    if math.prod(shape) * dtype.itemsize > min(MOST_VALUES, size):
        raise Unreadable("says that it holds more than there is")
    file.seek(0)
    return np.load(file, allow_pickle=False)


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
                _is_number(one) and _is_number(other) and close(float(one), float(other), rtol, atol)
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


def _is_number(token: str) -> bool:
    return _NUMBER.fullmatch(token) is not None


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _short(value: Any) -> str:
    return f"{len(value)} bytes" if isinstance(value, bytes) else repr(value)[:80]
