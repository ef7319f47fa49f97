"""Read the steps that an experiment's run kept, with the changes of each step in the files.

All of it is hostile. Lines are parsed, archives are read in memory up to a limit, and nothing is unpacked to disk.
"""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from pathlib import Path

from mlbench.evals.mlagentbench.problem import PROBLEMS, problems
from mlbench.evals.mlagentbench.snapshots import SnapshotStep as Kept
from mlbench.evals.mlagentbench.snapshots import Steps
from mlbench.evals.mlagentbench.step_recorder import TURN
from mlbench.evals.mlagentbench.workspace_diff import DiffPart, merged
from mlbench.records import RunError
from mlbench.results.trajectories import LONGEST, MOST, Trajectory, TrajectoryStep, bounded
from mlbench.truncate import head_and_tail

TEXTS = (".py", ".sh", ".txt", ".md", ".json", ".yaml", ".yml", ".toml", ".cfg", ".ini", ".log")
"""Files that are compared line by line; of others only the names are shown."""

_LARGEST_TEXT = 100_000  # bytes
_LARGEST_ARCHIVE = 16 << 20  # bytes, packed
_COMPARED = 5  # files of a step


def read_trace(folder: str, problem: str, longest: int = LONGEST) -> Trajectory:
    """Read the steps in a folder; empty if there are none or they cannot be read.

    Args:
        folder: where the run kept them.
        problem: name of the problem, for its starter.
        longest: characters kept of one entry.
    """
    path = Path(folder)
    if not folder or not path.is_dir():
        return Trajectory()
    try:
        kept = Steps(path).read()
        return bounded(list(_entries(path, kept, problem, longest)), MOST)
    except (RunError, OSError):
        return Trajectory()


def _entries(folder: Path, kept: Sequence[Kept], problem: str, longest: int) -> Iterator[TrajectoryStep]:
    files = _starter(problem)
    for step in kept:
        name, reply = f"{step.number} · {step.action}", head_and_tail(step.reply, longest)
        if step.action == TURN:
            yield TrajectoryStep("model", reply, name)
        else:
            if reply.strip():
                yield TrajectoryStep("model", reply)
            given = "\n".join(f"{name}: {text}" for name, text in step.inputs.items())
            yield TrajectoryStep("action", head_and_tail(given, longest), name)
        how = " · ".join(filter(None, [f"{step.seconds:.1f} s", step.error]))
        yield TrajectoryStep("seen", head_and_tail(step.observation, longest), how)
        if step.changed or step.removed:
            yield TrajectoryStep("changed", head_and_tail(_change(folder, step, files), longest), _names(step))


def _names(step: Kept) -> str:
    """The changed and removed files, at most six by name."""
    every = [*step.changed, *(f"{name} (removed)" for name in step.removed)]
    return ", ".join(every[:6]) + (f", and {len(every) - 6} more" if len(every) > 6 else "")


def _starter(problem: str) -> dict[str, str]:
    """The text files of a bundled problem's starter; empty for other problems."""
    if problem not in problems():
        return {}
    visible = PROBLEMS / problem / "visible"
    files = [file for file in visible.rglob("*") if file.suffix in TEXTS and file.is_file()]
    return {file.relative_to(visible).as_posix(): file.read_text(encoding="utf-8", errors="replace") for file in files}


def _change(folder: Path, step: Kept, files: dict[str, str]) -> str:
    """The differences in the texts that a step changed; updates `files`."""
    now = _texts(folder, step)
    differences = [_difference(path, files.get(path, ""), text) for path, text in sorted(now.items())[:_COMPARED]]
    files.update(now)
    for path in step.removed:
        files.pop(path, None)
    return "\n".join(filter(None, differences)) or "(no text that is compared)"


def _difference(path: str, before: str, after: str) -> str:
    lines = unified_diff(before.splitlines(), after.splitlines(), path, path, n=2, lineterm="")
    return "\n".join(lines)


def _texts(folder: Path, step: Kept) -> dict[str, str]:
    """The small texts in a step's archive; empty if the archive is missing or too large."""
    archive = folder / f"step-{step.number:03d}.tgz"
    wanted = frozenset(path for path in step.changed if path.endswith(TEXTS))
    if not wanted or not step.digest or not archive.is_file() or archive.stat().st_size > _LARGEST_ARCHIVE:
        return {}
    found = {}
    with tarfile.open(fileobj=io.BytesIO(merged([DiffPart(archive, wanted)]))) as tar:
        for member in tar:
            if member.isreg() and member.size <= _LARGEST_TEXT and (content := tar.extractfile(member)):
                found[member.name.removeprefix("./")] = content.read().decode("utf-8", "replace")
    return found
