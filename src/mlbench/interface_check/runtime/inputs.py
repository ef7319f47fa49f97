"""Digests of the files and folders that a configuration names. Equal digests mean the same input.

Only regular files in the given folders are read; links are followed. Bytes, files and names are limited: an input
beyond a limit has no digest, and is compared by its path.
"""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False  # importing `typing` costs every watched interpreter some milliseconds
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

LARGEST = 4 * 1024 * 1024
"""Maximum size of a file or folder with a digest, in bytes."""
MOST_FILES = 200
MOST_NAMES = 64
PLACES = ("/workspace", "/home", "/tmp", "/dev/shm")
"""The folders of a jail that can hold a candidate's files."""
CHANGED_LATER = "changed after the start"
"""Replaces the digest of an input that the text changed after its program had started."""
_LONGEST_NAME = 1000
_FOLDER = "folder "


def digests(values: Iterable[Any], folder: str, places: Iterable[str] = PLACES) -> dict[str, str]:
    """Return the digest of each file or folder that values name, by the name as written.

    Args:
        values: JSON values from `values.encode`.
        folder: the folder for relative names.
        places: the folders that may be read.
    """
    roots = tuple(os.path.realpath(place) + "/" for place in places)
    names = dict.fromkeys(name for value in values for name in texts(value))
    found = {}
    for name in list(names)[:MOST_NAMES]:
        try:
            path = os.path.realpath(os.path.join(folder, name))
            digest = _digest(path) if f"{path}/".startswith(roots) else ""
        except (OSError, ValueError):  # missing, unreadable, or no valid file name
            continue
        if digest:
            found[name] = digest
    return found


def texts(value: Any) -> Iterator[str]:
    """Yield every text in an encoded value that may name a file."""
    if isinstance(value, str):
        if 0 < len(value) <= _LONGEST_NAME and "\0" not in value and "\n" not in value:
            yield value
    elif isinstance(value, list):
        for each in value[:MOST_NAMES]:
            yield from texts(each)
    elif isinstance(value, dict):
        kind = value.get("!")
        for each in [value.get("value")] if kind in ("path", "file") else value.values() if kind is None else ():
            yield from texts(each)


def is_folder(digest: str) -> bool:
    """Whether a digest belongs to a folder."""
    return digest.startswith(_FOLDER)


def _digest(path: str) -> str:
    """Digest a file's bytes, or the names and bytes of a folder's files; empty if too large or missing."""
    import hashlib  # imported here, because few programs need it

    mode = os.stat(path).st_mode
    if stat.S_ISREG(mode):
        content = _content(path, LARGEST)
        return "" if content is None else hashlib.sha256(content).hexdigest()
    if not stat.S_ISDIR(mode):
        return ""
    left, count, whole = LARGEST, 0, hashlib.sha256()
    for at, folders, files in os.walk(path):
        folders.sort()
        for name in sorted(files):
            count += 1
            file = os.path.join(at, name)
            content = _content(file, left) if count <= MOST_FILES and not os.path.islink(file) else None
            if content is None:
                return ""
            left -= len(content)
            whole.update(f"{os.path.relpath(file, path)}\0{len(content)}\0".encode(errors="surrogateescape") + content)
        if len(folders) > MOST_FILES:
            return ""
    return f"{_FOLDER}{whole.hexdigest()}" if count else ""


def _content(path: str, most: int) -> bytes | None:
    """Read a regular file; None if it is another kind or larger. Never waits for a FIFO or a device."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode) or about.st_size > most:
            return None
        with os.fdopen(os.dup(handle), "rb") as file:
            content = file.read(most + 1)
        return content if len(content) <= most else None
    finally:
        os.close(handle)
