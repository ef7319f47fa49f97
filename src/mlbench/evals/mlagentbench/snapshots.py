"""The steps of a run, kept outside of its sandbox: what was done, what was seen, what changed; each can be restored.

FOLDER/steps.jsonl      a line for each finished step
FOLDER/step-007.tgz     what step 7 changed in the workspace, where it changed anything
FOLDER/earlier-1/       an attempt that was begun before in the same folder
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from inspect_ai.util import StoreModel

from mlbench.evals.mlagentbench.workspace_diff import DiffPart, Increment, merged
from mlbench.records import RunError
from mlbench.sandbox.limits import MIB

LARGEST_RUN = 2048 * MIB
"""Bytes of packed files that are kept of one run; what comes beyond is left out, and named."""

_LINES = "steps.jsonl"


class Progress(StoreModel):
    """The running sample: the folder of its steps (none: they are not kept), its data, how many, the final answer.

    Attributes:
        seconds: that its steps took.
    """

    folder: str = ""
    data: str = ""
    steps: int = 0
    seconds: float = 0.0
    answer: str = ""


@dataclass(frozen=True)
class SnapshotStep:
    """One finished step.

    Attributes:
        number: from 1.
        action: the tool's name. inputs: cut to what can be looked at.
        observation: as the agent saw it, which is the head and the tail where there was much.
        error: its kind (`actions.Fault`), empty where it went well.
        seconds: wall time of the action.
        files: how many were there afterwards, links included.
        changed, removed, left_out: as in `Increment`.
        digest: SHA-256 of the step's archive; empty where there is none.
        unkept: why this step cannot be restored.
        asked: digest of the action with its whole inputs.
        reply: what the model said before it, head and tail; empty where the step before has it.
    """

    number: int
    action: str
    inputs: dict[str, str] = field(default_factory=dict)
    observation: str = ""
    error: str = ""
    seconds: float = 0.0
    files: int = 0
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    digest: str = ""
    unkept: str = ""
    asked: str = ""
    reply: str = ""


class Steps:
    """The steps in a folder. What was added is there also if this process is killed in the next moment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def begin(self) -> None:
        """Make room for a new attempt: a run that is resumed does its steps again, from the first."""
        self.folder.mkdir(parents=True, exist_ok=True)
        old = [*self.folder.glob(_LINES), *self.folder.glob("step-*.tgz")]
        if old:
            earlier = self.folder / f"earlier-{max(self._earlier(), default=0) + 1}"
            earlier.mkdir()
            for file in old:
                file.rename(earlier / file.name)

    def earlier(self) -> list[list[SnapshotStep]]:
        """The steps of each attempt that was begun before, the latest first. Raises as `read`."""
        return [Steps(self.folder / f"earlier-{number}").read() for number in sorted(self._earlier(), reverse=True)]

    def add(self, step: SnapshotStep, increment: Increment) -> SnapshotStep:
        """Keep a step. Returns it with what is known of its files."""
        archive, left_out = increment.archive, increment.left_out
        if self._size() + len(archive) > LARGEST_RUN:
            archive, left_out = b"", increment.changed
        step = replace(
            step,
            files=increment.files,
            changed=increment.changed,
            removed=increment.removed,
            left_out=left_out,
            digest=hashlib.sha256(archive).hexdigest() if archive else "",
            unkept=increment.fault,
        )
        if archive:
            _written(self._archive(step.number), archive, os.O_TRUNC)
        # names and texts are hostile and may hold halves of surrogate pairs: JSON in ASCII can
        _written(self.folder / _LINES, json.dumps(asdict(step)).encode() + b"\n", os.O_APPEND)
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return step

    def read(self) -> list[SnapshotStep]:
        """The finished steps, in order; empty where there are none. The line that a kill cut short is not one.

        Raises:
            RunError: the file is not one of ours.
        """
        file = self.folder / _LINES
        lines = file.read_bytes().split(b"\n")[:-1] if file.is_file() else []
        try:
            return [_step(line) for line in lines]
        except (ValueError, TypeError) as error:
            raise RunError(f"{file}: a line is no step: {error}") from error

    def restore(self, number: int) -> bytes:
        """What differed, after a step, from the workspace that the agent got, as `grading.grade` takes it.

        Step 0 is the start, before any action. What came with the workspace and was removed cannot be said in an
        archive: it will be there again.

        Raises:
            RunError: there is no such step, or it was not kept; an archive is missing or has changed.
        """
        steps = self.read()
        if not 0 <= number <= len(steps):
            raise RunError(f"{self.folder}: there is no step {number}; there are {len(steps)}")
        if number and (why := steps[number - 1].unkept):
            raise RunError(f"{self.folder}: step {number} was not kept: {why}")
        parts = []
        for step, paths in _latest(steps[:number]):
            archive = self._archive(step.number)
            if not archive.is_file() or hashlib.sha256(archive.read_bytes()).hexdigest() != step.digest:
                raise RunError(f"{archive}: is missing, or is not what was written; the run cannot be restored")
            parts.append(DiffPart(archive, paths))
        return merged(parts)

    def _earlier(self) -> list[int]:
        return [int(folder.name.rpartition("-")[2]) for folder in self.folder.glob("earlier-*")]

    def _archive(self, number: int) -> Path:
        return self.folder / f"step-{number:03d}.tgz"

    def _size(self) -> int:
        return sum(file.stat().st_size for file in self.folder.glob("step-*.tgz"))


def errors_by_kind(steps: Sequence[SnapshotStep]) -> dict[str, int]:
    """How often each kind of error came, the most frequent first."""
    return dict(Counter(step.error for step in steps if step.error).most_common())


def _latest(steps: Sequence[SnapshotStep]) -> list[tuple[SnapshotStep, frozenset[str]]]:
    """Which paths have to be taken from which step: those that it was the last to change, and that are still there."""
    where: dict[str, SnapshotStep] = {}
    for step in steps:
        for path in step.removed:
            where.pop(path, None)
        where.update(dict.fromkeys(step.changed, step))
    found: defaultdict[int, set[str]] = defaultdict(set)
    for path, step in where.items():
        if step.digest:
            found[step.number].add(path)
    return [(step, frozenset(found[step.number])) for step in steps if step.number in found]


def _step(line: bytes) -> SnapshotStep:
    said: dict[str, Any] = json.loads(line)
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in said.items()}
    return SnapshotStep(**fields)


def _written(file: Path, data: bytes, flags: int) -> None:
    fd = os.open(file, os.O_WRONLY | os.O_CREAT | flags, 0o644)
    with os.fdopen(fd, "wb") as opened:
        opened.write(data)
        opened.flush()
        os.fsync(opened.fileno())
