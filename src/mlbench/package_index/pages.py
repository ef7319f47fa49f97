"""Project pages of a package index, in HTML and JSON: read from an index, written for the sandbox.

The formats are those of PEP 503 (HTML), 592 (yanked), 658 (core metadata), 691 (JSON) and 700 (sizes).
"""

from __future__ import annotations

import html
import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit

JSON_TYPE = "application/vnd.pypi.simple.v1+json"
HTML_TYPE = "text/html"

PROJECT = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?"
FILE = r"[A-Za-z0-9_][A-Za-z0-9._+!-]{0,240}(?:\.whl|\.tar\.gz|\.zip|\.tgz|\.tar\.bz2|\.tar\.xz)"
_SHA256 = re.compile(r"[0-9a-f]{64}")


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


def read(text: str, url: str, *, is_json: bool) -> tuple[IndexFile, ...]:
    """The wheels and source distributions that a page lists. Rows that cannot be read are left out.

    Args:
        text: of the page.
        url: of the page itself; links are relative to it.
        is_json: whether the text is JSON; otherwise it is HTML.

    Raises:
        ValueError: the text is not a project page.
    """
    files = _from_json(text, url) if is_json else _from_html(text, url)
    return tuple(file for file in files if file and is_file_name(file.name))


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


def _from_json(text: str, url: str) -> Iterator[IndexFile | None]:
    try:
        page = json.loads(text)
        rows = page["files"]
        if not isinstance(rows, list):
            raise TypeError
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ValueError("this is no JSON page of a package index (PEP 691)") from error
    for row in rows:
        if not isinstance(row, dict):
            continue
        hashes, metadata, yanked = row.get("hashes"), row.get("core-metadata", row.get("dist-info-metadata")), None
        if row.get("yanked"):
            yanked = row["yanked"] if isinstance(row["yanked"], str) else ""
        known = _sha256(metadata.get("sha256")) if isinstance(metadata, dict) else ""
        yield _file(
            row.get("filename"),
            row.get("url"),
            url,
            sha256=_sha256(hashes.get("sha256")) if isinstance(hashes, dict) else "",
            requires_python=_text(row.get("requires-python")),
            yanked=yanked,
            metadata=known if metadata else None,
            size=row["size"] if type(row.get("size")) is int and row["size"] >= 0 else None,
            uploaded=_text(row.get("upload-time")),
        )


def _from_html(text: str, url: str) -> Iterator[IndexFile | None]:
    links = _LinkParser()
    try:
        links.feed(text)
        links.close()
    except (AssertionError, ValueError) as error:  # Python's parser raises these for a malformed `<![`
        raise ValueError("this is no HTML page of a package index (PEP 503)") from error
    for link in links.found:
        href = link["href"]
        metadata = link.get("data-core-metadata", link.get("data-dist-info-metadata"))
        if metadata is not None:
            metadata = None if metadata == "false" else _sha256(metadata.removeprefix("sha256="))
        try:
            place, fragment = urldefrag(href)
            name = unquote(posixpath.basename(urlsplit(place).path))
        except ValueError:
            continue
        yield _file(
            name,
            place,
            urljoin(url, links.base) if links.base else url,
            sha256=_sha256(fragment.removeprefix("sha256=")),
            requires_python=_text(link.get("data-requires-python")),
            yanked=link.get("data-yanked"),
            metadata=metadata,
        )


class _LinkParser(HTMLParser):
    """Collects the attributes of every link of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.base = ""
        self.found: list[dict[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        marks = {name: value or "" for name, value in attrs}
        if tag == "base" and not self.base:
            self.base = marks.get("href", "")
        elif tag == "a" and "href" in marks:
            self.found.append(marks)


def _file(
    name: object,
    link: object,
    page: str,
    *,
    sha256: str,
    requires_python: str,
    yanked: str | None,
    metadata: str | None,
    size: int | None = None,
    uploaded: str = "",
) -> IndexFile | None:
    if not isinstance(name, str) or not isinstance(link, str):
        return None
    try:
        url = urldefrag(urljoin(page, link)).url
        urlsplit(url).port  # noqa: B018  # raises ValueError if it is no number
    except ValueError:
        return None
    return IndexFile(name, url, sha256, requires_python, yanked, metadata, size, uploaded)


def _sha256(value: object) -> str:
    text = value.lower() if isinstance(value, str) else ""
    return text if _SHA256.fullmatch(text) else ""


def _text(value: object) -> str:
    return value[:200] if isinstance(value, str) else ""
