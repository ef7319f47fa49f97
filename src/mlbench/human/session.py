"""A session's folder: its plan, and one file for each row, written as soon as anything changes.

A killed process or a loss of power leaves the earlier or the new file, never a part of one.
"""

from __future__ import annotations

import fcntl
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from mlbench.atomic_write import write_file
from mlbench.human.session_records import PersonAttempt, RowWork, SessionPlan, SessionRecord
from mlbench.prompts.messages import fenced
from mlbench.records import Kind, Sample, UsageError
from mlbench.suites.selection import SelectionAttempt
from mlbench.suites.suite import load_suite

PLAN, ROWS, PREDICTIONS, _LOCK = "session.json", "rows", "predictions.jsonl", ".lock"


class HumanSession:
    """A session's folder. Only one process at a time may change it; not thread-safe.

    Raises:
        UsageError: a file of the folder is malformed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.plan = _read(folder / PLAN, SessionPlan)
        self._work = {row: self._read_row(row) for row in self.plan.rows}
        self._lock: int | None = None

    @classmethod
    def begin(cls, folder: Path, plan: SessionPlan) -> HumanSession:
        """Begin a session in a folder, or continue the one that is there; the folder is then locked.

        Raises:
            UsageError: the folder cannot be written, holds another session or is open in another process.
        """
        try:
            (folder / ROWS).mkdir(parents=True, exist_ok=True)
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise UsageError(f"{folder}: cannot be written ({error.strerror})") from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(lock)
            raise UsageError(f"{folder}: is open in another `mlbench human`; end that one first") from error
        try:
            if (folder / PLAN).exists():
                _refuse_other(folder, _read(folder / PLAN, SessionPlan), plan)
            else:
                write_file(folder / PLAN, plan.model_dump_json(indent=2) + "\n", sync=True)
            session = cls(folder)
        except BaseException:
            os.close(lock)
            raise
        session._lock = lock
        return session

    def close(self) -> None:
        """Let another process change the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def work(self, row: int) -> RowWork:
        """What was done with a row.

        Raises:
            UsageError: the session has no such row.
        """
        if row not in self._work:
            raise UsageError(f"the session has no row {row}")
        return self._work[row]

    def save(self, row: int, draft: str, seconds: float) -> None:
        """Store what is typed so far, and the row's active seconds; they never become fewer."""
        work = self.work(row)
        self._store(row, work.model_copy(update={"draft": draft, "seconds": max(seconds, work.seconds)}))

    def submit(self, row: int, text: str, seconds: float, number: int) -> None:
        """Store an answer.

        Args:
            row: the row's id.
            text: the answer.
            seconds: the row's active seconds.
            number: the attempt's number from 1, so that a repeated request adds no second answer.

        Raises:
            UsageError: the answer is empty, or not the next one of the row.
        """
        work = self.work(row)
        if not text.strip():
            raise UsageError("the answer is empty; give the row up if you have none")
        if number != len(work.attempts) + 1:
            raise UsageError(f"answer {number} is not the next one of this row; load the page again")
        if number > self.plan.k:
            raise UsageError(f"the row has {self.plan.k} answers already; more do not count")
        seconds = max(seconds, work.seconds)
        own = max(0.0, seconds - sum(each.seconds for each in work.attempts))
        attempt = PersonAttempt(text=text, seconds=own, at=datetime.now(UTC).isoformat(timespec="seconds"))
        self._store(row, RowWork(seconds=seconds, attempts=(*work.attempts, attempt)))
        self._write_predictions()

    def give_up(self, row: int, seconds: float) -> None:
        """Store that a person has no answer: the row counts as failed.

        Raises:
            UsageError: the row has an answer.
        """
        work = self.work(row)
        if work.attempts:
            raise UsageError("the row has an answer, so it cannot be given up")
        self._store(row, work.model_copy(update={"given_up": True, "seconds": max(seconds, work.seconds)}))
        self._write_predictions()

    def samples(self) -> list[Sample]:
        """The samples of the rows.

        Raises:
            UsageError: the suite has changed since the session began.
        """
        suite = load_suite(self.plan.suite)
        if suite.version != self.plan.suite_version:
            raise UsageError(
                f"{self.folder}: the session is of version {self.plan.suite_version} of {suite.name}, which is now"
                f" {suite.version}; begin a new one with -o"
            )
        return [suite.row(row).sample for row in self.plan.rows]

    def attempts(self) -> list[SelectionAttempt]:
        """The answers to judge: `k` to each row that was answered or given up.

        A person who gives fewer answers stays with the last one, which then stands for the missing ones.
        """
        found = []
        for sample in self.samples():
            work = self.work(sample.id)
            if work.decided:
                given = [(_reply(each.text, sample.kind), each.seconds) for each in work.attempts]
                given = given or [("", work.seconds)]
                given += [(given[-1][0], 0.0)] * (self.plan.k - len(given))
                found += [
                    SelectionAttempt(sample, number, reply, seconds)
                    for number, (reply, seconds) in enumerate(given, start=1)
                ]
        return found

    def _write_predictions(self) -> None:
        """Write the answers as a file that `mlbench verify` reads too."""
        by_row: dict[int, list[SelectionAttempt]] = {}
        for each in self.attempts():
            by_row.setdefault(each.sample.id, []).append(each)
        lines = [
            {"id": row, "github_id": given[0].sample.github_id, "output": [each.reply for each in given]}
            for row, given in by_row.items()
        ]
        write_file(self.folder / PREDICTIONS, "".join(json.dumps(line) + "\n" for line in lines), sync=True)

    def _store(self, row: int, work: RowWork) -> None:
        write_file(self._file(row), work.model_dump_json(indent=2) + "\n", sync=True)
        self._work[row] = work

    def _file(self, row: int) -> Path:
        return self.folder / ROWS / f"{row}.json"

    def _read_row(self, row: int) -> RowWork:
        return _read(self._file(row), RowWork) if self._file(row).exists() else RowWork()


def _reply(text: str, kind: Kind) -> str:
    """The answer as a model would give it: a person types code only, without a fence."""
    return text if text.lstrip().startswith("```") else fenced(text, kind)


def _refuse_other(folder: Path, found: SessionPlan, plan: SessionPlan) -> None:
    """Refuse a plan that differs from the folder's.

    Raises:
        UsageError: it differs; says in what.
    """
    for name, wanted in plan.model_dump(exclude={"rows"}).items():
        is_ = getattr(found, name)
        if is_ != wanted:
            what = name.replace("_", " ")
            raise UsageError(f"{folder}: holds a session with {what} {is_}, not {wanted}; name another folder with -o")
    if found.rows != plan.rows:
        raise UsageError(f"{folder}: the suite's rows have changed since the session began; begin a new one with -o")


_Record = TypeVar("_Record", bound=SessionRecord)


def _read(file: Path, record: type[_Record]) -> _Record:
    try:
        return record.model_validate_json(file.read_bytes())
    except OSError as error:
        raise UsageError(f"{file}: cannot be read ({error.strerror}); `mlbench human` writes such files") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "file"
        raise UsageError(f"{file}: not as `mlbench human` writes it ({where}: {first['msg']})") from error
