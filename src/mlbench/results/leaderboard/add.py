"""Make a submission from logs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

from pydantic import ValidationError

from mlbench import __version__
from mlbench.atomic_write import new_folder
from mlbench.records import RunError, UsageError
from mlbench.results.leaderboard.figures import judged_figures
from mlbench.results.leaderboard.metadata import METADATA, SubmissionMetadata, write_metadata
from mlbench.results.leaderboard.predictions import predictions_text
from mlbench.results.leaderboard.read_file import digest, first_fault
from mlbench.results.leaderboard.submission import NAME, PREDICTIONS, RESULTS, ClaimedResults
from mlbench.results.models import AttemptRecord, RunRecord
from mlbench.results.report_data import policies_of
from mlbench.results.usage import Usage
from mlbench.suites.suite import load_suite

VERIFIED = "outputs"
"""The split in a log of `mlbench verify` if the answers do not say which rows were asked for."""
_SAME = ("model", "agent", "suite", "suite_version", "split", "setting")
"""What logs of one submission have in common."""


def joined(runs: Sequence[RunRecord]) -> RunRecord:
    """Return several runs over the same rows as one, their attempts numbered on.

    Raises:
        UsageError: a run is not finished, or the runs differ in what they ran.
    """
    first, *others = runs
    for run in runs:
        if run.experiments:
            raise UsageError(f"{run.location}: a log of experiments; the leaderboard takes answers to rows of a suite")
        unscored = sum(not attempt.scored and not attempt.reference_fails for attempt in run.attempts)
        if run.status != "success" or unscored or len(run.attempts) < run.expected:
            raise UsageError(f"{run.location}: the run is not finished; --resume continues it")
    for run in others:
        for field in _SAME:
            if (one := getattr(first, field)) != (other := getattr(run, field)):
                what = field.replace("_", " ")
                raise UsageError(f"the logs differ in {what}: {one} and {other}; add them one by one")
        if {attempt.row for attempt in run.attempts} != {attempt.row for attempt in first.attempts}:
            raise UsageError(f"{run.location}: answers other rows than {first.location}; add them one by one")
    if not others:
        return first
    attempts: list[AttemptRecord] = []
    for number, run in enumerate(runs):
        before = sum(earlier.each for earlier in runs[:number])
        attempts += [replace(attempt, number=attempt.number + before) for attempt in run.attempts]
    costs = [run.usage.cost for run in runs]
    usage = Usage(
        sum(run.usage.tokens_in for run in runs),
        sum(run.usage.tokens_out for run in runs),
        sum(cost or 0.0 for cost in costs) if None not in costs else None,
    )
    return replace(
        first,
        attempts=tuple(sorted(attempts, key=lambda attempt: (attempt.row, attempt.number))),
        each=sum(run.each for run in runs),
        expected=sum(run.expected for run in runs),
        usage=usage,
        seconds=sum(run.seconds for run in runs),
    )


def metadata_of(run: RunRecord, **given: object) -> SubmissionMetadata:
    """Return the metadata of a run.

    Args:
        run: the run.
        given: fields that the log does not hold, or that replace what it says.

    Raises:
        ValidationError: a field is not valid.
    """
    answered = tuple(sorted({attempt.row for attempt in run.attempts}))
    split = {row.sample.id for row in load_suite(run.suite).splits.get(str(given.get("split", run.split)), [])}
    known: dict[str, object] = {
        "name": run.agent or given.get("model", run.model),
        "date": datetime.fromisoformat(run.started).date() if run.started else date.today(),
        "model": run.model if run.asks_model else "",
        "agent": run.agent,
        "suite": run.suite,
        "suite_version": run.suite_version,
        "split": run.split,
        "setting": run.setting or run.agent,
        "k": run.each,
        "rows": None if set(answered) == split else answered,
    }
    return SubmissionMetadata.model_validate(known | given)


def add_submission(runs: Sequence[RunRecord], target: Path, **given: object) -> Path:
    """Write a submission with the answers and figures of some runs; return its folder.

    Args:
        runs: finished runs of the same configuration over the same rows.
        target: the folder to make; the run's date is put before its name if it does not begin with one.
        given: fields of the metadata.

    Raises:
        UsageError: the runs cannot be one submission, a field is not valid, or the folder is there already.
        RunError: the folder cannot be written.
    """
    run = joined(runs)
    verified = run.split == VERIFIED or run.answered_by is not None  # the log does not know what the answers cost
    if run.split == VERIFIED and not {"model", "split", "setting"} <= set(given):
        raise UsageError(f"{run.location}: a log of verify; say with --model, --split and --setting what answered what")
    try:
        metadata = metadata_of(run, **given)
    except ValidationError as error:
        raise UsageError(f"metadata: {first_fault(error)}") from error
    if not NAME.fullmatch(target.name):
        target = target.with_name(f"{metadata.date:%Y%m%d}_{target.name}")
    if not NAME.fullmatch(target.name):
        raise UsageError(f"{target.name}: use letters, digits, `.`, `_` and `-` for the folder's name")
    if target.exists():
        raise UsageError(f"{target}: is there already; name another folder with -o")
    predictions = predictions_text([run]).encode()
    claimed = ClaimedResults(
        predictions=digest(predictions),
        mlbench=__version__,
        judged=judged_figures(run, policies_of([run])),
        tokens_in=None if verified else run.usage.tokens_in,
        tokens_out=None if verified else run.usage.tokens_out,
        dollars=None if verified else run.usage.cost,
        seconds=None if verified else run.seconds,
    )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with new_folder(target) as folder:
            (folder / METADATA).write_text(write_metadata(metadata), encoding="utf-8")
            (folder / PREDICTIONS).write_bytes(predictions)
            (folder / RESULTS).write_text(claimed.model_dump_json(exclude_defaults=True) + "\n", encoding="utf-8")
    except OSError as error:
        raise RunError(f"cannot write {target}: {error.strerror}; name another folder with -o") from error
    return target
