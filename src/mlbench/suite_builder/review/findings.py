"""Reads the findings on rows and the builder's decisions from a suite's folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILES = ("references.jsonl", "quality.jsonl")
_LONGEST = 100_000_000


@dataclass(frozen=True)
class Remark:
    """A decision of a step, or a finding on a row.

    Attributes:
        source: the file's name without its ending: `references`, `tasks`.
        subject: what it is about: `train-arma.learning_rate`, `row 12`.
    """

    source: str
    subject: str
    kept: bool
    words: str


def row_findings(folder: Path) -> dict[int, list[Remark]]:
    """The findings on rows, by the row's `id`; empty if none were written yet."""
    found: dict[int, list[Remark]] = {}
    for name in FILES:
        for line in _objects(folder / name):
            row = line.get("id", line.get("row"))
            if isinstance(row, int):
                kept = line.get("passed", line.get("kept")) is True
                unbound = line.get("unbound") or ()
                words = _words(line.get("reason"), line.get("evidence") or line.get("why"))
                if isinstance(unbound, list) and unbound:
                    words += f"; unbound: {', '.join(map(str, unbound))}"
                found.setdefault(row, []).append(Remark(Path(name).stem, f"row {row}", kept, words))
    return found


def decisions(folder: Path) -> dict[str, list[Remark]]:
    """The steps' decisions by the first word of their subject: a task's name or a page."""
    found: dict[str, list[Remark]] = {}
    for file in sorted((folder / "steps").glob("*.jsonl")):
        for line in _objects(file):
            subject = str(line.get("subject", ""))
            remark = Remark(file.stem, subject, line.get("kept") is True, _words(line.get("reason"), line.get("why")))
            found.setdefault(subject, []).append(remark)
    return found


def concerning(found: dict[str, list[Remark]], repository: str, task: str) -> list[Remark]:
    """The remarks on a task and on its arguments, rows and templates.

    Args:
        found: remarks by subject.
        repository: the task's repository.
        task: the task's name.
    """
    names = (task, f"{repository}/{task}")
    return [
        remark
        for subject, remarks in found.items()
        if any(
            subject == name or subject.startswith((f"{name}.", f"{name}:", f"{name}/", f"{name} ")) for name in names
        )
        for remark in remarks
    ]


def _words(*parts: Any) -> str:
    return ": ".join(str(part) for part in parts if part)


def _objects(file: Path) -> Iterator[dict[str, object]]:
    """The JSON objects of a file; other lines are ignored, and an unreadable file is empty."""
    try:
        if file.is_symlink() or file.stat().st_size > _LONGEST:
            return
        lines = file.read_bytes().split(b"\n")
    except OSError:
        return
    for line in lines:
        try:
            value = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value
