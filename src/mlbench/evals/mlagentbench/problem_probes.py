"""Probe a problem's data and grader in a jail: leaks of labels, bad submissions, data that change."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlbench.evals.mlagentbench.data import CODE, LIBRARY, Prepared, made, packages_of
from mlbench.evals.mlagentbench.grading import HIDDEN
from mlbench.evals.mlagentbench.problem import ResearchProblem
from mlbench.evals.mlagentbench.timed_run import JUDGING, measure
from mlbench.records import RunError
from mlbench.sandbox.jail import Jail, Mounts
from mlbench.sandbox.limits import MIB, Limits
from mlbench.sandbox.submission import packed_folder

RUNTIME = Path(__file__).parent / "check_runtime"
_SEARCH = ("label_leaks.py", "column_match.py", "comparable_column.py", "data_columns.py")
_VISIBLE, _SECONDS, _NEAR = "/opt/visible", 600, 1e-9
_LIMITS = Limits(seconds=_SECONDS, memory=6144 * MIB, written=1024 * MIB)
ProbeRow = dict[str, Any]
"""What a grader says of one form of a submission."""

_UNPACK = 'mkdir -p "$1" && exec /bin/tar --extract --gzip --file=- --no-same-owner --directory "$1"'


@dataclass(frozen=True)
class ProblemFinding:
    """One check: what it is about, whether it passed, the numbers as text, and the place of the fault."""

    what: str
    good: bool
    detail: str
    where: str = ""


async def data_findings(problem: ResearchProblem, data: Prepared) -> AsyncIterator[ProblemFinding]:
    """Check that data are the same when made again, others for another seed, and that no label can be seen."""
    again = _sums(await made(problem))
    kept = {name: found for name, found in _sums(packed_folder(data.workspace.parent)).items() if name in again}
    other = sorted(name for name in again if again[name] != kept.get(name))
    yield ProblemFinding(
        "the same data when made again", not other, ", ".join(other[:5]) or f"{len(again)} files", "hidden/prepare.py"
    )
    if problem.data == "lite":
        further = _sums(await made(problem.model_copy(update={"data_seed": problem.data_seed + 1})))
        secret = [name for name in again if name.startswith("hidden/")]
        changed = any(again[name] != further.get(name) for name in secret)
        yield ProblemFinding("another seed makes other answers", changed, f"{len(secret)} files", "hidden/prepare.py")
    submitted = () if problem.measured else problem.submission
    given = [name for name in submitted if (data.workspace / name).exists()]
    yield ProblemFinding("no submission is there before the work", not given, ", ".join(given), "task.yaml")
    for name in problem.read_only:
        if not (data.workspace / name).is_file():
            yield ProblemFinding("read-only files", False, f"read_only: {name} is not in the workspace", "task.yaml")
    yield await _leaks(problem, data)


def _sums(archive: bytes) -> dict[str, str]:
    """SHA-256 of each file of an archive."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        files = [(each, tar.extractfile(each)) for each in tar if each.isfile()]
        return {each.name.removeprefix("./"): hashlib.sha256(file.read()).hexdigest() for each, file in files if file}


async def _leaks(problem: ResearchProblem, data: Prepared) -> ProblemFinding:
    """Search what the agent and its program see for the labels."""
    shown = tuple((RUNTIME / name, f"{LIBRARY}/{name}") for name in _SEARCH)
    shown = (*shown, (data.hidden, HIDDEN), (data.workspace, _VISIBLE))
    jail = await Jail.start(Mounts(data.workspace, packages_of(problem), shown=shown), _LIMITS)
    inputs = problem.measured.inputs if problem.measured else ()
    try:
        command = ["python", "-s", f"{LIBRARY}/label_leaks.py", _VISIBLE, HIDDEN, *inputs]
        done, _ = await jail.run(
            command, env={"PYTHONPATH": LIBRARY, "OPENBLAS_NUM_THREADS": "1"}, cwd="/opt", seconds=_SECONDS
        )
    finally:
        await jail.close()
    what = "no labels in what the agent sees"
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return ProblemFinding(what, False, f"the search fails: {done.stderr.strip()[-200:]}")
    leaks = [f"{seen} tells hidden/{label}: {how}" for label, seen, how in found["leaks"]]
    unread = (
        f"not searched, of unknown form: {', '.join(found['unread'][:5])}"
        if found["unread"]
        else "searched by id and by place"
    )
    return ProblemFinding(what, not leaks, "; ".join(leaks[:3]) or unread, "hidden/prepare.py")


async def grader_findings(problem: ResearchProblem, data: Prepared, solved: bytes) -> AsyncIterator[ProblemFinding]:
    """Check a grader on the perfect, the permuted and some thirty bad submissions.

    Args:
        problem: the research problem.
        data: its data.
        solved: packed workspace of the reference, whose outputs are the good submission if speed is measured.

    Raises:
        SandboxUnavailableError: the sandbox failed.
    """
    speed = problem.measured is not None and problem.measured.speed
    ends = {}
    for name in ("perfect", "permuted"):
        folder = data.hidden / name
        if folder.is_dir():
            ends[name] = packed_folder(folder)
        elif not speed:
            yield ProblemFinding(f"a {name} submission", False, f"it writes no hidden/{name}/", "hidden/prepare.py")
    good, permuted = ends.get("perfect", solved), ends.get("permuted", b"")
    if problem.measured:
        runs = [await measure(problem, problem.measured, data, each) if each else None for each in (good, permuted)]
        for run in runs:
            if run and run.invalid:
                yield ProblemFinding("the good submission runs", False, run.invalid)
                return
        good, permuted = (run.output if run else b"" for run in runs)
    found = await _probed(problem, data, good, permuted)
    judged = [each for row in found for each in _judged(problem, row)]
    bad = [each for each in judged if not each.good]
    for each in bad:
        yield each
    if not found or not any(row["kind"] == "refused" for row in found):
        yield ProblemFinding("bad submissions", False, "none could be tried: there is no good submission to spoil")
    elif not bad:
        refused = sum(row["kind"] == "refused" for row in found)
        yield ProblemFinding(
            "bad submissions", True, f"{refused} are refused in a line, {len(found) - refused} judged rightly"
        )


async def _probed(problem: ResearchProblem, data: Prepared, good: bytes, permuted: bytes) -> list[ProbeRow]:
    """What the grader says of each form of a submission, and which files it opened."""
    if not good:
        return []
    own = (
        (problem.grading, CODE),
        (data.hidden, HIDDEN),
        (JUDGING / "mlbench_grading.py", f"{LIBRARY}/mlbench_grading.py"),
    )
    tools = tuple((RUNTIME / name, f"{LIBRARY}/{name}") for name in ("probe_grader.py", "bad_forms.py"))
    jail = await Jail.start(Mounts(data.workspace, packages_of(problem), shown=(*own, *tools)), _LIMITS)
    try:
        for place, archive in (("/tmp/good", good), ("/tmp/permuted", permuted)):
            if archive:
                await jail.run(
                    ["/bin/sh", "-c", _UNPACK, "unpack", place], stdin=archive, env={"PATH": "/usr/bin:/bin"}
                )
        files = problem.measured.outputs if problem.measured else problem.submission
        command = [
            "python",
            "-s",
            f"{LIBRARY}/probe_grader.py",
            f"{CODE}/grade.py",
            HIDDEN,
            "/tmp/good",
            "/tmp/permuted",
            *files,
        ]
        env = {"PYTHONPATH": LIBRARY, "OPENBLAS_NUM_THREADS": "1"}
        done, out = await jail.run(command, env=env, cwd="/opt", seconds=_SECONDS, keep=None)
        if done.exit_code:
            raise RunError(f"{problem.grading}/grade.py cannot be tried: {done.stderr.strip()[-300:]}")
        return [json.loads(line) for line in out.decode().splitlines()]
    finally:
        await jail.close()


def _judged(problem: ResearchProblem, row: ProbeRow) -> Iterator[ProblemFinding]:
    """The findings of one form of a submission."""
    kind, case, file = row["kind"], f"{row['file']} with {row['case']}" if row["file"] else row["case"], row["file"]
    grader = "hidden/grade.py"
    what = f"the grader on {case}"
    if "crash" in row:
        line = f":{row['line']}" if row.get("line") else ""
        yield ProblemFinding(what, False, f"crashes: {row['crash']}; raise Invalid with a line instead", grader + line)
        return
    if row.get("ran"):
        yield ProblemFinding(what, False, "runs code of the submission: never unpickle, import or evaluate it", grader)
    if kind == "good":
        for name, line in row["reads"].items():
            if name not in problem.read_only:
                detail = (
                    f"reads {name} of the workspace, which an agent can write: put it into hidden/, or into read_only"
                )
                yield ProblemFinding("the grader reads the submission only", False, detail, f"{grader}:{line}")
    speed = problem.measured is not None and problem.measured.speed
    score, perfect = row.get("score"), problem.metric.perfect
    best = score is not None and perfect is not None and abs(score - perfect) < _NEAR
    if kind == "refused" and score is not None:
        yield ProblemFinding(what, False, f"scores {score:g}; it has to be refused with Invalid", grader)
    elif kind == "refused" and file and file not in row["invalid"]:
        yield ProblemFinding(what, False, f"does not name the file: {row['invalid'][:100]!r}", grader)
    elif kind == "worse" and (best or (speed and score is not None)):
        yield ProblemFinding(what, False, f"scores {score:g}, as if it were right: not every prediction counts", grader)
    elif kind in ("good", "same") and (score is None or (perfect is not None and not best)):
        found = row.get("invalid") or f"{score:g}"
        yield ProblemFinding(
            what, False, f"{found[:150]}; wanted is the score of the perfect submission, {perfect}", grader
        )
