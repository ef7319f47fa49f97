"""Project pages of a package index: the files they list, and the pages written for the sandbox in HTML and JSON.

The formats are those of PEP 503 (HTML), 592 (yanked), 658 (core metadata), 691 (JSON) and 700 (sizes).
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

JSON_TYPE = "application/vnd.pypi.simple.v1+json"
HTML_TYPE = "text/html"

PROJECT = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?"
FILE = r"[A-Za-z0-9_][A-Za-z0-9._+!-]{0,240}(?:\.whl|\.tar\.gz|\.zip|\.tgz|\.tar\.bz2|\.tar\.xz)"


@dataclass(frozen=True)
class IndexFile:
    """One file of a project, as a page lists it.

    Attributes:
        url: absolute, without a fragment.
        sha256: empty if the page does not give it.
        requires_python: version specifier, such as `>=3.8`; empty if there is none.
        yanked: the reason, maybe empty; None if it is not yanked.
        metadata: sha256 of its core metadata file (PEP 658); empty if the hash is not known; None if there is no
            such file.
        size: in bytes; None if the page does not give it.
        uploaded: time as the page writes it (ISO 8601), or empty.
    """

    name: str
    url: str
    sha256: str = ""
    requires_python: str = ""
    yanked: str | None = None
    metadata: str | None = None
    size: int | None = None
    uploaded: str = ""


def normalised(project: str) -> str:
    """A project's name in the form that PEP 503 uses to compare names."""
    return re.sub(r"[-_.]+", "-", project).lower()


def project_of(file: str) -> str:
    """The normalised name of the project that a wheel or source distribution belongs to."""
    if file.endswith(".whl"):
        return normalised(file.partition("-")[0])
    return normalised(re.sub(r"-[^-]*$", "", file))


def is_file_name(name: str) -> bool:
    """Whether this is the name of a wheel or source distribution, without any path."""
    return re.fullmatch(FILE, name) is not None


def as_json(project: str, files: Iterable[IndexFile]) -> str:
    """A JSON page (PEP 691) whose links lead to `/files/PROJECT/`."""
    rows = []
    for file in files:
        row: dict[str, Any] = {"filename": file.name, "url": _own_link(project, file), "hashes": {}}
        row |= {"hashes": {"sha256": file.sha256}} if file.sha256 else {}
        row |= {"requires-python": file.requires_python} if file.requires_python else {}
        row |= {"yanked": file.yanked or True} if file.yanked is not None else {}
        if file.metadata is not None:
            row["core-metadata"] = {"sha256": file.metadata} if file.metadata else True
        row |= {"size": file.size} if file.size is not None else {}
        row |= {"upload-time": file.uploaded} if file.uploaded else {}
        rows.append(row)
    return json.dumps({"meta": {"api-version": "1.0"}, "name": project, "files": rows})


def as_html(project: str, files: Iterable[IndexFile]) -> str:
    """An HTML page (PEP 503) with the same content, for clients that do not read JSON."""
    lines = ["<!DOCTYPE html>", '<meta name="pypi:repository-version" content="1.0">', f"<title>{project}</title>"]
    for file in files:
        marks = {"href": _own_link(project, file) + (f"#sha256={file.sha256}" if file.sha256 else "")}
        marks |= {"data-requires-python": file.requires_python} if file.requires_python else {}
        marks |= {"data-yanked": file.yanked} if file.yanked is not None else {}
        if file.metadata is not None:
            marks["data-core-metadata"] = f"sha256={file.metadata}" if file.metadata else "true"
        written = " ".join(f'{name}="{html.escape(value)}"' for name, value in marks.items())
        lines.append(f"<a {written}>{html.escape(file.name)}</a><br>")
    return "\n".join(lines) + "\n"


def _own_link(project: str, file: IndexFile) -> str:
    return f"/files/{project}/{quote(file.name)}"
