"""Parse output files into comparable values. The bytes are hostile: nothing is unpickled.

JSON, JSON lines, NPY and NPZ are parsed. Other text is read as numbers and words. Other bytes are compared unchanged.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from typing import Any

import numpy as np

from mlbench.judging.text_content import TextContent

MOST_VALUES = 16 << 20
"""Most bytes of one unpacked array: a small archive can hold a very large one."""
_DEEPEST = 50


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
