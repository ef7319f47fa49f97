"""Judge the predictions of a submission again, and hold its claims against what comes out."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from mlbench import __version__
from mlbench.records import Policy, UsageError
from mlbench.results.leaderboard.check_record import CheckOutcome, CheckRecord, ClaimDifference
from mlbench.results.leaderboard.figures import JudgedFigures, StoredFigure, judged_figures
from mlbench.results.leaderboard.metadata import SubmissionMetadata
from mlbench.results.leaderboard.predictions import (
    PredictionFaults,
    answers_by_row,
    complete,
    predictions_text,
    rows_of,
    suite_of,
)
from mlbench.results.leaderboard.submission import LOGS, PREDICTIONS, BoardSubmission
from mlbench.results.load_log import read_run
from mlbench.results.models import AttemptRecord, RunRecord
from mlbench.results.report_data import policies_of
from mlbench.suites.suite import Suite

Judge = Callable[[Path, str, Policy], Path]
"""Judges a file of answers to a suite under a policy, and returns the log."""

_SAME = 1e-9
_LARGEST_LOG = 2**30
_INSTRUCTION = "<instruction>"


def check_submission(
    submission: BoardSubmission, judge: Judge, policy: Policy | None = None
) -> tuple[CheckRecord, Path | None]:
    """Judge a submission again; return what came out, and the log of the judging.

    Args:
        submission: the submission.
        judge: judges a file of answers.
        policy: the policy to judge by; None for `strict`, or `interface` if the suite's rows cannot be run.
    """
    metadata = submission.metadata
    record = CheckRecord(
        submission=submission.name,
        outcome=CheckOutcome.NOT_JUDGED,
        digests=submission.digests,
        mlbench=__version__,
        date=datetime.now(UTC).date(),
    )
    try:
        suite = suite_of(metadata)
        rows = rows_of(metadata, suite)
    except UsageError as error:
        return record.model_copy(update={"reason": str(error)}), None
    if metadata.agent:
        why = "an agent's work is judged in its sandbox; its run.sh alone is not enough"
        return record.model_copy(update={"reason": why, "differences": tuple(_of_logs(submission))}), None
    policy = policy or (Policy.STRICT if suite.executable else Policy.INTERFACE)
    log, faults = _judged_again(submission, suite, rows, judge, policy)
    run = as_submitted(read_run(log), metadata)
    policies = [policy] if policy is Policy.INTERFACE else policies_of([run])
    judged = judged_figures(run, policies)
    differences = (*_differences(submission, judged), *_of_logs(submission))
    done = {
        "outcome": CheckOutcome.DIFFERS if differences else CheckOutcome.REJUDGED,
        "reason": "" if submission.claimed else "no results.json: nothing was claimed",
        "policies": tuple(policies),
        "faults": faults,
        "differences": differences,
        "judged": judged,
    }
    return record.model_copy(update=done), log


def _judged_again(
    submission: BoardSubmission, suite: Suite, rows: Sequence[int], judge: Judge, policy: Policy
) -> tuple[Path, PredictionFaults]:
    with tempfile.TemporaryDirectory(prefix="mlbench-check-") as folder:
        completed = Path(folder) / PREDICTIONS
        faults = complete(submission.predictions, suite, rows, submission.metadata.k, completed)
        return judge(completed, suite.name, policy), faults


def as_submitted(run: RunRecord, metadata: SubmissionMetadata) -> RunRecord:
    """Return a re-judged run under the names of its submission.

    Judging does not know the documents that the model was shown, so the prompts keep only the instruction.
    """
    return replace(
        run,
        model=metadata.model or metadata.name,
        split=metadata.split,
        setting=metadata.setting,
        each=metadata.k,
        attempts=tuple(_without_documents(attempt) for attempt in run.attempts),
    )


def _without_documents(attempt: AttemptRecord) -> AttemptRecord:
    at = attempt.prompt.rfind(_INSTRUCTION)
    return replace(attempt, system="", prompt=attempt.prompt[at:] if at >= 0 else "")


def _differences(submission: BoardSubmission, judged: JudgedFigures) -> Iterator[ClaimDifference]:
    claimed = submission.claimed
    if claimed is None:
        return
    if claimed.predictions != submission.digests[PREDICTIONS]:
        yield ClaimDifference(what="predictions.jsonl is not the file that results.json was made from")
    yield from _of_figures(claimed.judged.figures, judged.figures)
    for policy, rows in judged.passed.items():
        if (said := claimed.judged.passed.get(policy)) is None:
            continue
        other = tuple(row for row in sorted({*rows, *said}) if said.get(row) != rows.get(row))
        if other:
            what = f"{policy.value}: other verdicts at {len(other)} row{'s' * (len(other) != 1)}"
            yield ClaimDifference(what=what, rows=other)


def _of_figures(claimed: Sequence[StoredFigure], judged: Sequence[StoredFigure]) -> Iterator[ClaimDifference]:
    """Compare each claimed figure with the re-judged one; policies that were not judged again are left out."""
    found = {figure.key: figure for figure in judged}
    policies = {figure.policy for figure in judged}
    for figure in claimed:
        if figure.policy not in policies:
            continue
        again = found.get(figure.key)
        if again is None or not _equal(figure, again):
            yield ClaimDifference(
                what=figure.label,
                claimed=figure.value,
                judged=again.value if again else None,
                claimed_n=figure.n,
                judged_n=again.n if again else None,
            )


def _equal(one: StoredFigure, other: StoredFigure) -> bool:
    if one.n != other.n or one.total != other.total or (one.value is None) != (other.value is None):
        return False
    return one.value is None or other.value is None or abs(one.value - other.value) < _SAME


def _of_logs(submission: BoardSubmission) -> Iterator[ClaimDifference]:
    """Hold the submission's own logs against its predictions and its claimed figures."""
    folder = submission.folder / LOGS
    kept = answers_by_row(submission.predictions.read_text(encoding="utf-8", errors="replace"))
    for file in sorted(folder.glob("*.eval")) if folder.is_dir() and not folder.is_symlink() else ():
        if file.is_symlink():
            yield ClaimDifference(what=f"{LOGS}/{file.name} is a link")
            continue
        try:
            _refuse_too_large(file)
            run = read_run(file)
            logged = answers_by_row(predictions_text([run]))
            measured = judged_figures(run, policies_of([run])).figures
        except (UsageError, ValueError, TypeError, AttributeError, OverflowError, KeyError) as error:
            yield ClaimDifference(what=f"{LOGS}/{file.name} cannot be read: {' '.join(str(error).split())[:200]}")
            continue
        if strange := [row for row, given in logged.items() if not set(given) <= set(kept.get(row, ()))]:
            what = f"{LOGS}/{file.name}: other answers than in {PREDICTIONS}"
            yield ClaimDifference(what=what, rows=tuple(strange))
        if submission.claimed and run.each == submission.metadata.k:  # not one of several logs
            for each in _of_figures(submission.claimed.judged.figures, measured):
                yield each.model_copy(update={"what": f"{LOGS}/{file.name}: {each.what}"})


def _refuse_too_large(file: Path) -> None:
    """Refuse a log that would fill the memory.

    Raises:
        UsageError: the file, or what it holds unpacked, is too large, or it is no archive.
    """
    try:
        with ZipFile(file) as archive:
            size = max(file.stat().st_size, sum(each.file_size for each in archive.infolist()))
    except (BadZipFile, OSError) as error:
        raise UsageError(f"{file.name}: not a log ({error})") from error
    if size > _LARGEST_LOG:
        raise UsageError(f"{file.name}: {size} bytes; at most {_LARGEST_LOG} are read")
