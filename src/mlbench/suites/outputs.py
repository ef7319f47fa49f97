"""Answers made elsewhere: JSON Lines with `id`, `github_id` and `output`, a list of replies (the paper's format)."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlbench.records import UsageError
from mlbench.suites.selection import SelectionAttempt
from mlbench.suites.suite import Suite


@dataclass(frozen=True)
class Outputs:
    """The attempts of a file, in its order, and what could not be read, by line."""

    attempts: tuple[SelectionAttempt, ...]
    faults: tuple[str, ...]


def read_outputs(file: Path, suite: Suite) -> Outputs:
    """Read a file of answers. A malformed line is reported by its number and the rest is kept.

    Any number of attempts a row; a row may stand on several lines.

    Raises:
        UsageError: the file cannot be read or holds no answer at all.
    """
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as error:
        raise UsageError(f"{file}: cannot be read ({error.strerror})") from error
    attempts: list[SelectionAttempt] = []
    faults: list[str] = []
    seen: Counter[int] = Counter()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row, replies = _parse(line, suite)
        except ValueError as error:
            faults.append(f"{file}, line {number}: {error}")
            continue
        for reply in replies:
            seen[row] += 1
            attempts.append(SelectionAttempt(suite.row(row).sample, seen[row], reply))
    if not attempts:
        raise UsageError(faults[0] if faults else f"{file}: is empty; one JSON object a line: id, github_id, output")
    return Outputs(tuple(attempts), tuple(faults))


def _parse(line: bytes, suite: Suite) -> tuple[int, list[str]]:
    try:
        record: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON ({error})") from error
    if not isinstance(record, dict):
        raise ValueError(f"is a {type(record).__name__}, not an object")
    for field in ("id", "github_id", "output"):
        if field not in record:
            raise ValueError(f"has no `{field}`")
    row, github_id, output = record["id"], record["github_id"], record["output"]
    if type(row) is not int or type(github_id) is not int:
        raise ValueError("`id` and `github_id` must be whole numbers")
    if not isinstance(output, list) or not all(isinstance(reply, str) for reply in output):
        raise ValueError("`output` must be a list of texts")
    try:
        sample = suite.row(row).sample
    except UsageError as error:
        raise ValueError(str(error)) from error
    if sample.github_id != github_id:
        raise ValueError(f"row {row} of suite {suite.name} has github_id {sample.github_id}, not {github_id}")
    # half a surrogate pair is valid JSON, but no text that can be stored
    return row, [reply.encode("utf-8", errors="replace").decode() for reply in output]
