"""Read project pages of a package index, in HTML (PEP 503) and JSON (PEP 691). Their content is not trusted."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from mlbench.package_index.pages import IndexFile, is_file_name

_SHA256 = re.compile(r"[0-9a-f]{64}")


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
