"""Compute git's hash of a folder, to compare it with a pinned tree."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

FILE, PROGRAM, LINK, SUBMODULE, FOLDER = "100644", "100755", "120000", "160000", "40000"


@dataclass(frozen=True)
class TreeEntry:
    """An entry of a tree: its mode and the hash of its content (for a submodule: its commit)."""

    mode: str
    hash: str


def blob_hash(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def tree_hash(entries: Mapping[str, TreeEntry]) -> str:
    """Return git's hash of a tree.

    Args:
        entries: files, links and submodules by path, with `/`; folders follow from the paths.
    """
    here: dict[str, TreeEntry] = {}
    below: dict[str, dict[str, TreeEntry]] = {}
    for path, entry in entries.items():
        head, slash, rest = path.partition("/")
        if slash:
            below.setdefault(head, {})[rest] = entry
        else:
            here[head] = entry
    here |= {name: TreeEntry(FOLDER, tree_hash(inner)) for name, inner in below.items()}
    lines = sorted((_order(name, entry), name, entry) for name, entry in here.items())
    content = b"".join(
        entry.mode.encode() + b" " + os.fsencode(name) + b"\0" + bytes.fromhex(entry.hash) for _, name, entry in lines
    )
    return hashlib.sha1(b"tree %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _order(name: str, entry: TreeEntry) -> bytes:
    """Git sorts a folder as if its name ended with a slash."""
    return os.fsencode(name) + (b"/" if entry.mode == FOLDER else b"")


def entries_of(folder: Path) -> dict[str, TreeEntry]:
    """Return every file and link in a folder, as git sees them."""
    found = {}
    for at, folders, files in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(at, name))]
        for name in (*files, *links):
            path = os.path.join(at, name)
            if os.path.islink(path):
                entry = TreeEntry(LINK, blob_hash(os.fsencode(os.readlink(path))))
            else:
                mode = PROGRAM if os.stat(path).st_mode & 0o100 else FILE
                entry = TreeEntry(mode, blob_hash(Path(path).read_bytes()))
            found[os.path.relpath(path, folder)] = entry
    return found
