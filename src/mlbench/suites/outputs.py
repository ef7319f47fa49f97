"""Reads answers made elsewhere, in the paper's format: `id`, `github_id` and a list `output`.

A line may also say what made its answers (`answered_by`); then all lines of the file say the same.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mlbench.records import UsageError
from mlbench.suites.answered_by import AnsweredBy
from mlbench.suites.selection import SelectionAttempt
from mlbench.suites.suite import Suite


@dataclass(frozen=True)
class Outputs:
    """The attempts of a file, in its order, and the faults of its malformed lines.

    Attributes:
        answered_by: what made the answers; None if the file does not say it.
    """

    attempts: tuple[SelectionAttempt, ...]
    faults: tuple[str, ...]
    answered_by: AnsweredBy | None = None


def read_outputs(file: Path, suite: Suite) -> Outputs:
    """Read a file of answers; malformed lines are reported and the others kept.

    A row may have any number of attempts, on one line or several.

    Args:
        file: the file of answers.
        suite: the suite that the rows are from.

    Raises:
        UsageError: the file cannot be read, holds no answer at all, or holds those of several models or settings.
    """
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as error:
        raise UsageError(f"{file}: cannot be read ({error.strerror})") from error
    attempts: list[SelectionAttempt] = []
    faults: list[str] = []
    seen: Counter[int] = Counter()
    makers: dict[AnsweredBy | None, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row, replies, maker = _parse(line, suite)
        except ValueError as error:
            faults.append(f"{file}, line {number}: {error}")
            continue
        makers.setdefault(maker, number)
        if len(makers) > 1:
            first = next(iter(makers.values()))
            raise UsageError(f"{file}: lines {first} and {number} differ in `answered_by`; write one file for each run")
        for reply in replies:
            seen[row] += 1
            attempts.append(SelectionAttempt(suite.row(row).sample, seen[row], reply))
    if not attempts:
        raise UsageError(faults[0] if faults else f"{file}: is empty; one JSON object a line: id, github_id, output")
    return Outputs(tuple(attempts), tuple(faults), next(iter(makers)))


def _parse(line: bytes, suite: Suite) -> tuple[int, list[str], AnsweredBy | None]:
    """The row's id, the replies of one line, and what made them.

    Raises:
        ValueError: the line is malformed; the message says how.
    """
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
    # a lone surrogate is valid JSON but cannot be encoded as UTF-8
    return row, [reply.encode("utf-8", errors="replace").decode() for reply in output], _maker(record)


def _maker(record: Mapping[str, object]) -> AnsweredBy | None:
    """What made the answers of a line.

    Raises:
        ValueError: `answered_by` is malformed; the message says how.
    """
    if record.get("answered_by") is None:
        return None
    try:
        return AnsweredBy.model_validate(record["answered_by"])
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(map(str, ("answered_by", *fault["loc"])))
        raise ValueError(f"`{where}`: {fault['msg'].lower()}") from error
