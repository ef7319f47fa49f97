"""Record the steps of a run outside its sandbox, each with the changes in the workspace.

FOLDER/steps.jsonl      one line per finished step
FOLDER/step-007.tgz     what step 7 changed in the workspace, if anything
FOLDER/earlier-1/       an earlier attempt in the same folder
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from inspect_ai.util import StoreModel

from mlbench.evals.mlagentbench.claims import ClaimedNumber
from mlbench.evals.mlagentbench.workspace_diff import DiffPart, Increment, merged
from mlbench.records import RunError
from mlbench.sandbox.limits import MIB

LARGEST_RUN = 2048 * MIB
"""Bytes of archives kept of one run; what exceeds them is left out, and named."""

_LINES = "steps.jsonl"


class Progress(StoreModel):
    """State of the running sample.

    Attributes:
        folder: of its recorded steps; empty if they are not kept.
        seconds: sum over its steps.
        claim: the score that the agent handed in as a number.
    """

    folder: str = ""
    data: str = ""
    steps: int = 0
    seconds: float = 0.0
    claim: ClaimedNumber | None = None


@dataclass(frozen=True)
class SnapshotStep:
    """One finished step.

    Attributes:
        number: from 1.
        action: name of the tool.
        inputs: shortened.
        observation: as the agent saw it, shortened.
        error: its kind (`ActionFault`); empty if there was none.
        seconds: wall time of the action.
        files: number of files after the step, links included.
        changed, removed, left_out: as in `Increment`.
        digest: SHA-256 of the step's archive; empty if there is none.
        unkept: why this step cannot be restored.
        asked: digest of the action with its complete inputs.
        reply: the model's reply before it, shortened; empty if the step before has it.
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
    """The steps in a folder. An added step survives if this process is killed at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def begin(self) -> None:
        """Move an earlier attempt aside: a resumed run does its steps again, from the first."""
        self.folder.mkdir(parents=True, exist_ok=True)
        old = [*self.folder.glob(_LINES), *self.folder.glob("step-*.tgz")]
        if old:
            earlier = self.folder / f"earlier-{max(self._earlier(), default=0) + 1}"
            earlier.mkdir()
            for file in old:
                file.rename(earlier / file.name)

    def earlier(self) -> list[list[SnapshotStep]]:
        """Return the steps of each earlier attempt, the latest first.

        Raises:
            RunError: a file is not one of ours.
        """
        return [Steps(self.folder / f"earlier-{number}").read() for number in sorted(self._earlier(), reverse=True)]

    def add(self, step: SnapshotStep, increment: Increment) -> SnapshotStep:
        """Record a step. Return it with what is known of its files."""
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
        """Return the finished steps in order; a last line that was cut off is ignored.

        Raises:
            RunError: the file is not one of ours.
        """
        file = self.folder / _LINES
        lines = file.read_bytes().split(b"\n")[:-1] if file.is_file() else []
        try:
            return [_step(line) for line in lines]
        except (ValueError, TypeError, AttributeError) as error:
            raise RunError(f"{file}: a line is not a step: {error}") from error

    def restore(self, number: int) -> bytes:
        """Return an archive of the workspace's changes after a step, as `grading.grade` takes it.

        Step 0 is the start, before any action. The archive cannot express that a file of the starter was removed: it
        will be there again.

        Raises:
            RunError: there is no such step, it was not kept, or an archive is missing or has changed.
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
    """Count the errors by kind, most frequent first."""
    return dict(Counter(step.error for step in steps if step.error).most_common())


def _latest(steps: Sequence[SnapshotStep]) -> list[tuple[SnapshotStep, frozenset[str]]]:
    """Which step's archive holds the current version of each path."""
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
    fields = json.loads(line)
    for name, value in fields.items():
        if isinstance(value, list):
            fields[name] = tuple(value)
    return SnapshotStep(**fields)


def _written(file: Path, data: bytes, flags: int) -> None:
    fd = os.open(file, os.O_WRONLY | os.O_CREAT | flags, 0o644)
    with os.fdopen(fd, "wb") as opened:
        opened.write(data)
        opened.flush()
        os.fsync(opened.fileno())
