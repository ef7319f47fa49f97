"""What a repository says of itself: its READMEs and pages of documentation, as text with stable lines.

A line of a document is a line of what `text_of` returns; recipes point to these.
"""

from __future__ import annotations

import io
import json
import os
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
"""Bytes of the longest file that is read; one that is longer is left out."""


def format_of(path: str) -> Format | None:
    """The format of a document by its path; None where it is no document."""
    file = Path(path)
    if file.suffix.lower() in FORMATS:
        return FORMATS[file.suffix.lower()]
    return "markdown" if is_readme(path) and file.suffix.lower() in _PLAIN else None


def is_readme(path: str) -> bool:
    return Path(path).name.lower().startswith("readme")


def inner_files(repository: Path) -> list[str]:
    """Every file in the repository by its path, in a stable order: shallow before deep, then by name.

    Left out are links that lead out of the tree, hidden folders, and folders of other people's code.
    """
    root = repository.resolve()
    found: list[str] = []
    for where, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".") and name.lower() not in _VENDORED]
        for name in files:
            file = Path(where, name)
            if file.is_file() and file.resolve().is_relative_to(root):
                found.append(file.relative_to(root).as_posix())
    return sorted(found, key=lambda path: (path.count("/"), path))


def documents(repository: Path) -> list[str]:
    """The paths of all READMEs and documentation pages: the READMEs first, each shallow before deep."""
    found = [path for path in inner_files(repository) if format_of(path)]
    return sorted(found, key=lambda path: not is_readme(path))  # stable


def readmes(repository: Path) -> list[str]:
    return [path for path in documents(repository) if is_readme(path)]


def text_of(file: Path) -> str:
    """A document's text: lines end with a line feed, bytes that are no UTF-8 are replaced, notebooks become Markdown.

    Raises:
        OSError: it cannot be read.
        ValueError: it is longer than `LONGEST` bytes, or a notebook that is not JSON of a notebook's form.
    """
    if (size := file.stat().st_size) > LONGEST:
        raise ValueError(f"{size / 1e6:.1f} MB are more than the {LONGEST / 1e6:.0f} MB that are read")
    text = file.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    return _notebook(text) if file.suffix.lower() == ".ipynb" else text


def lines_of(text: str) -> list[str]:
    """The lines with their line feeds; no other character ends one."""
    return io.StringIO(text).readlines()


def _notebook(text: str) -> str:
    """The cells in order: prose as it is, code in a fence; what the cells printed is left out."""
    try:
        cells = json.loads(text)["cells"]
        parts = [_cell(cell) for cell in cells]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError("is not the JSON of a notebook") from error
    return "\n\n".join(part for part in parts if part) + "\n"


def _cell(cell: dict[str, Any]) -> str:
    source = cell["source"]
    text = (source if isinstance(source, str) else "".join(source)).strip("\n")
    if not text or cell["cell_type"] not in ("code", "markdown"):
        return ""
    if cell["cell_type"] == "markdown":
        return text
    fence = "````" if "```" in text else "```"
    return f"{fence}python\n{text}\n{fence}"
