"""Kinds of text in a submission's metadata: one line, a line that is filled, a web address."""

from __future__ import annotations

import datetime
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, StringConstraints


def _web(url: str) -> str:
    """Accept an http or https address with a host, or nothing."""
    parts = urlsplit(url)  # a malformed address raises ValueError
    if url and (parts.scheme not in ("http", "https") or not parts.hostname):
        raise ValueError("is no http or https address")
    return url


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("holds control characters or line breaks")
    return text


def _filled(text: str) -> str:
    if not text:
        raise ValueError("is empty")
    return text


def _as_text(value: object) -> object:
    """YAML reads `version: 3` as a number and `name: 2026-01-01` as a date."""
    return str(value) if isinstance(value, int | float | datetime.date) and not isinstance(value, bool) else value


Line = Annotated[
    str,
    StringConstraints(strip_whitespace=True, max_length=200),
    AfterValidator(_printable),
    BeforeValidator(_as_text),
]
"""One line of at most 200 characters."""

Filled = Annotated[Line, AfterValidator(_filled)]

Web = Annotated[Line, AfterValidator(_web)]
