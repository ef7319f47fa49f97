"""Shorten long texts: keep the head and the tail, and say how much was left out."""

from __future__ import annotations


def head_and_tail(text: str, limit: int) -> str:
    """Shorten a text to about `limit` characters.

    A longer text keeps its first and its last half of the limit. A line between them counts the characters that were
    left out; it is not part of the limit.
    """
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[{len(text) - 2 * half:,} characters left out]\n{text[-half:]}"
