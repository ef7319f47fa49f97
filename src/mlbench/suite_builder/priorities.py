"""What a person wants first: the list in the file `builder.md` of a suite's folder."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from mlbench.records import UsageError
from mlbench.suite_builder.output_dir import PRIORITIES

LONGEST = 100_000
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ x]\]\s+)?`?([^`\s][^`]*?)`?\s*$")
_PARTS = re.compile(r"[^a-z0-9.]+")


@dataclass(frozen=True)
class Priorities:
    """Names of tasks, programs and options, the most wanted first. Dashes, underscores and case do not count."""

    names: tuple[str, ...] = ()

    def rank(self, *texts: str) -> int:
        """The position of the first name that occurs in one of the texts; the number of names if none does."""
        spoken = [f" {plain(text)} " for text in texts]
        found = (at for at, name in enumerate(self.names) if any(f" {name} " in text for text in spoken))
        return next(found, len(self.names))


NO_PRIORITIES = Priorities()


def plain(text: str) -> str:
    """The words of a name or command: `--learning_rate` is `learning rate`, `tools/train.py` is `tools train.py`."""
    return _PARTS.sub(" ", text.lower()).strip()


def read_priorities(folder: Path) -> Priorities:
    """The list in a suite's folder: each item of a Markdown list is one name. Empty if there is no file.

    Raises:
        UsageError: the file cannot be read, or is too long.
    """
    file = folder / PRIORITIES
    if not file.exists():
        return Priorities()
    try:
        if file.stat().st_size > LONGEST:
            raise UsageError(f"{file}: longer than {LONGEST:,} characters; it is a list of names")
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from error
    names = [plain(match[1]) for line in lines if (match := _ITEM.match(line))]
    return Priorities(tuple(dict.fromkeys(name for name in names if name)))
