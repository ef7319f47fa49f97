"""Settings that an answer may choose freely, because they do not change the result.

Their names (`free_settings.txt`) concern verbosity, workers, devices, and where logs and results go.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def is_free(name: str) -> bool:
    """Whether a destination is free by its meaning."""
    return _normal(name) in _names()["free"]


def is_output(name: str) -> bool:
    """Whether a destination says where output is written."""
    return _normal(name) in _names()["output"]


@cache
def _names() -> dict[str, frozenset[str]]:
    found: dict[str, list[str]] = {}
    section: list[str] = []
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = found.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            section += line.split()
    return {name: frozenset(words) for name, words in found.items()}


def _normal(name: str) -> str:
    """A name in lower case with underscores, without its sections."""
    return "_".join(word.lower() for word in _PARTS.findall(name.rpartition(".")[2]))
