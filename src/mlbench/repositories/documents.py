"""The READMEs and documentation pages of a repository, as text with stable line numbers.

Recipes refer to lines of the text that `text_of` returns.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

Format = Literal["markdown", "rst", "notebook"]

FORMATS: dict[str, Format] = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdx": "markdown",
    ".rst": "rst",
    ".ipynb": "notebook",
}
_PLAIN = frozenset({"", ".txt"})  # README, README.txt: read as Markdown
_VENDORED = frozenset(
    {"node_modules", "site-packages", "third_party", "third-party", "vendor", "vendored", "__pycache__"}
)
LONGEST = 5_000_000
"""Largest file that is read, in bytes; larger ones are left out."""


def format_of(path: str) -> Format | None:
    """Return the format of a document by its path; None if it is not a document."""
    file = Path(path)
    if file.suffix.lower() in FORMATS:
        return FORMATS[file.suffix.lower()]
    return "markdown" if is_readme(path) and file.suffix.lower() in _PLAIN else None


def is_readme(path: str) -> bool:
    return Path(path).name.lower().startswith("readme")


def inner_files(repository: Path, every: bool = False) -> list[str]:
    """Return the paths of all files in the repository: shallow before deep, then by name.

    Links that lead out of the tree are left out. So are hidden folders and vendored code, or only git's own folder if
    `every` file is wanted.
    """
    root = repository.resolve()
    found: list[str] = []
    for where, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != ".git" and (every or _is_own(name))]
        for name in files:
            file = Path(where, name)
            if file.is_file() and file.resolve().is_relative_to(root):
                found.append(file.relative_to(root).as_posix())
    return sorted(found, key=lambda path: (path.count("/"), path))


def _is_own(folder: str) -> bool:
    return not folder.startswith(".") and folder.lower() not in _VENDORED


def documents(repository: Path) -> list[str]:
    """Return the paths of all READMEs, then of all documentation pages, each shallow before deep."""
    found = [path for path in inner_files(repository) if format_of(path)]
    return sorted(found, key=lambda path: not is_readme(path))  # stable


def readmes(repository: Path) -> list[str]:
    return [path for path in documents(repository) if is_readme(path)]


def text_of(file: Path) -> str:
    """Return a document's text with line feeds, with invalid UTF-8 replaced; notebooks become Markdown.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is larger than `LONGEST`, or is not a valid notebook.
    """
    if (size := file.stat().st_size) > LONGEST:
        raise ValueError(f"{size / 1e6:.1f} MB are more than the {LONGEST / 1e6:.0f} MB that are read")
    text = file.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return _notebook(text) if file.suffix.lower() == ".ipynb" else text


def readable_text(file: Path) -> str:
    """Return a document's text as `text_of` does; empty if it cannot be read."""
    try:
        return text_of(file)
    except (OSError, ValueError):
        return ""


def lines_of(text: str) -> list[str]:
    """Return the lines with their line feeds; no other character ends a line."""
    return io.StringIO(text).readlines()


def _notebook(text: str) -> str:
    """Return the cells in order, with code in fences and without outputs."""
    try:
        cells = json.loads(text)["cells"]
        parts = [_cell(cell) for cell in cells]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError("is not the JSON of a notebook") from error
    return "\n\n".join(part for part in parts if part) + "\n"


def _cell(cell: Mapping[str, Any]) -> str:
    source = cell["source"]
    text = (source if isinstance(source, str) else "".join(source)).strip("\n")
    if not text or cell["cell_type"] not in ("code", "markdown"):
        return ""
    if cell["cell_type"] == "markdown":
        return text
    fence = "````" if "```" in text else "```"
    return f"{fence}python\n{text}\n{fence}"
