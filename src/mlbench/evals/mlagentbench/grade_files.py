"""Grade submission files of the user, as the judge grades an agent's."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Sequence
from pathlib import Path

from mlbench.evals.mlagentbench.data import prepared
from mlbench.evals.mlagentbench.grading import Grade, grade
from mlbench.evals.mlagentbench.problem import ResearchProblem
from mlbench.records import UsageError

LARGEST = 100 << 20
"""Bytes of all files together, as for an agent's submission."""


async def graded_files(problem: ResearchProblem, files: Sequence[Path]) -> Grade:
    """Grade files. A single one counts as the problem's submission, whatever its name.

    Args:
        problem: the research problem.
        files: a folder, or files under the names of the submission.

    Raises:
        UsageError: a file is not there, or not one of the submission's.
        RunError: the grader fails.
        SandboxUnavailableError: the sandbox failed.
    """
    wanted = (problem.script,) if problem.measured and problem.measured.speed else problem.submission
    if len(files) == 1 and files[0].is_dir():
        found = {name: files[0] / name for name in wanted if (files[0] / name).is_file()}
        if problem.measured:  # the program may need more files
            found = {str(file.relative_to(files[0])): file for file in files[0].rglob("*") if file.is_file()}
    elif len(files) == 1 and len(wanted) == 1:
        found = {wanted[0]: files[0]}
    else:
        found = {file.name: file for file in files}
    for name, file in found.items():
        if not file.is_file():
            raise UsageError(f"{file}: there is no such file; {problem.name} wants {', '.join(wanted)}")
        if name not in wanted and not problem.measured:
            raise UsageError(f"{file} is no part of the submission; {problem.name} wants {', '.join(wanted)}")
    if sum(file.stat().st_size for file in found.values()) > LARGEST:
        largest = max(found, key=lambda name: found[name].stat().st_size)
        return Grade(None, f"{largest}: the submission is larger than {LARGEST >> 20} MiB")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, file in found.items():
            tar.add(file.resolve(), name)
    return await grade(problem, await prepared(problem), buffer.getvalue())
