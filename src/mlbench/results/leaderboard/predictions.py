"""The predictions of a submission, held against the rows that it has to answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from mlbench.records import UsageError
from mlbench.results.leaderboard.metadata import SubmissionMetadata
from mlbench.results.models import RunRecord
from mlbench.suites.outputs import read_outputs
from mlbench.suites.suite import Suite, bundled, fetched, known_split, load_suite


class PredictionFaults(BaseModel):
    """What is wrong with a file of predictions.

    Attributes:
        missing: rows with fewer than k answers; an answer that is missing counts as failed.
        double: rows with more than k answers; only the first k are judged.
        unknown: rows of the suite that are not among those to answer; they are not judged.
        malformed: lines that cannot be read or name no row of the suite, with their numbers; they are not judged.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    missing: tuple[int, ...] = ()
    double: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()
    malformed: tuple[str, ...] = ()

    def counted(self) -> list[str]:
        """Say how many there are of each kind."""
        named = (
            (len(self.missing), "row", "without all answers"),
            (len(self.double), "row", "answered too often"),
            (len(self.unknown), "row", "not asked for"),
            (len(self.malformed), "line", "malformed"),
        )
        return [f"{n} {what}{'s' * (n != 1)} {how}" for n, what, how in named if n]


def suite_of(metadata: SubmissionMetadata) -> Suite:
    """Return the suite of a submission; never a folder, because it could bring its own rows and references.

    Raises:
        UsageError: there is no bundled or fetched suite of this name.
    """
    if metadata.suite not in (*bundled(), *fetched()):
        raise UsageError(f"there is no suite {metadata.suite} among the bundled and fetched ones")
    return load_suite(metadata.suite)


def rows_of(metadata: SubmissionMetadata, suite: Suite) -> list[int]:
    """Return the `id`s of the rows that a submission has to answer, in the split's order.

    Raises:
        UsageError: the suite here has another version, or not this split or these rows.
    """
    if str(suite.version) != metadata.suite_version:
        raise UsageError(f"made on {suite.name} version {metadata.suite_version}; here is version {suite.version}")
    split = [row.sample.id for row in suite.splits[known_split(metadata.split)]]
    if not split:
        raise UsageError(f"split {metadata.split} of {suite.name} has no rows")
    if metadata.rows is None:
        return split
    asked = set(metadata.rows)
    if strange := sorted(asked - set(split)):
        raise UsageError(f"metadata.yaml: rows: {strange[0]} is no row of the split {metadata.split} of {suite.name}")
    if not asked:
        raise UsageError("metadata.yaml: rows: names no row; leave it out for the whole split")
    return [row for row in split if row in asked]


def complete(predictions: Path, suite: Suite, rows: Sequence[int], k: int, target: Path) -> PredictionFaults:
    """Write a file with exactly k answers to each row: what is too much is left out, what is missing is empty.

    Args:
        predictions: the submission's file.
        suite: the suite of the rows.
        rows: the rows to answer.
        k: attempts a row.
        target: the file to write.
    """
    answers: dict[int, list[str]] = {row: [] for row in rows}
    unknown: dict[int, None] = {}
    malformed: tuple[str, ...]
    try:
        outputs = read_outputs(predictions, suite)
        attempts, malformed = outputs.attempts, outputs.faults
    except UsageError as error:  # there is no answer at all
        attempts, malformed = (), (str(error),)
    for attempt in attempts:
        if attempt.sample.id in answers:
            answers[attempt.sample.id].append(attempt.reply or "")
        else:
            unknown[attempt.sample.id] = None
    lines = (
        json.dumps({"id": row, "github_id": suite.row(row).sample.github_id, "output": (given + [""] * k)[:k]})
        for row, given in answers.items()
    )
    target.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    prefix = f"{predictions}, "
    return PredictionFaults(
        missing=tuple(row for row, given in answers.items() if len(given) < k),
        double=tuple(row for row, given in answers.items() if len(given) > k),
        unknown=tuple(unknown),
        malformed=tuple(fault.removeprefix(prefix)[:300] for fault in malformed),
    )


def predictions_text(runs: Iterable[RunRecord]) -> str:
    """Return the answers of some runs as JSON Lines; of an agent, its `run.sh`.

    The attempts of several runs at the same row are put one after the other.
    """
    answers: dict[tuple[int, int], list[str]] = {}
    for run in runs:
        for attempt in sorted(run.attempts, key=lambda attempt: (attempt.row, attempt.number)):
            reply = attempt.work.script if attempt.work else attempt.answer
            answers.setdefault((attempt.row, attempt.github_id), []).append(reply)
    return "".join(
        json.dumps({"id": row, "github_id": github_id, "output": given}) + "\n"
        for (row, github_id), given in sorted(answers.items())
    )


def answers_by_row(text: str) -> dict[int, list[str]]:
    """Return the answers in JSON Lines by row; malformed lines are left out."""
    answers: dict[int, list[str]] = {}
    for line in text.splitlines():
        try:
            record = json.loads(line)
            answers.setdefault(int(record["id"]), []).extend(map(str, record["output"]))
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            continue
    return answers
