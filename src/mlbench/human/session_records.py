"""The plan of a session, and what a person did with each of its rows."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from mlbench.records import Setting, UsageError
from mlbench.suites.selection import select
from mlbench.suites.suite import full_name, load_suite

PERSON = "human"
"""The name of a person who gives none."""
ATTEMPTS = 5
"""Most answers to a row; the paper's human figure is a Pass@5 (table 3)."""
LONGEST = 100_000
"""Most characters of an answer."""
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,38}[A-Za-z0-9])?")

AnswerText = Annotated[str, StringConstraints(max_length=LONGEST)]
Seconds = Annotated[float, Field(ge=0, le=1e8, allow_inf_nan=False)]


class SessionRecord(BaseModel):
    """A file of a session: frozen, without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class SessionPlan(SessionRecord):
    """What a session asks; the same in every command that continues it.

    Attributes:
        suite: the suite's name, or the path of its folder.
        rows: the `id` of each row, in the order of the page.
        k: most answers to a row.
    """

    suite: str
    suite_version: int
    split: str
    setting: Setting
    repo: str | None
    limit: int | None
    k: int
    person: str
    rows: tuple[int, ...]


class PersonAttempt(SessionRecord):
    """One answer, the active seconds that it took, and when it was given."""

    text: AnswerText
    seconds: Seconds
    at: str


class RowState(StrEnum):
    """How far a person has come with a row."""

    OPEN = "open"
    DRAFT = "draft"
    ANSWERED = "answered"
    GIVEN_UP = "given up"


class RowWork(SessionRecord):
    """What a person did with one row; `seconds` is all active time."""

    draft: AnswerText = ""
    seconds: Seconds = 0.0
    attempts: tuple[PersonAttempt, ...] = ()
    given_up: bool = False

    @property
    def state(self) -> RowState:
        if self.attempts:
            return RowState.ANSWERED
        if self.given_up:
            return RowState.GIVEN_UP
        return RowState.DRAFT if self.draft.strip() else RowState.OPEN

    @property
    def decided(self) -> bool:
        """Whether the row is judged: it was answered or given up."""
        return self.state in (RowState.ANSWERED, RowState.GIVEN_UP)


def session_plan(
    suite: str,
    *,
    split: str,
    setting: Setting,
    repo: str | None = None,
    limit: int | None = None,
    k: int = ATTEMPTS,
    person: str = PERSON,
) -> SessionPlan:
    """Return the plan of a session.

    Args:
        suite: the suite's name or folder.
        split: one of its splits.
        setting: which documents are shown.
        repo: only rows of this repository.
        limit: at most this many rows, spread over the split.
        k: most answers to a row.
        person: the name that results show.

    Raises:
        UsageError: an argument is not allowed.
    """
    if not _NAME.fullmatch(person):
        raise UsageError(f"--name {person!r}: up to 40 letters, digits, dots, dashes and underscores are allowed")
    if not 1 <= k <= 100:
        raise UsageError(f"-k {k}: between 1 and 100 answers a row are possible")
    loaded = load_suite(suite)
    rows = select(loaded, split, repo=repo, limit=limit)
    return SessionPlan(
        suite=full_name(suite),
        suite_version=loaded.version,
        split=split,
        setting=setting,
        repo=repo,
        limit=limit,
        k=k,
        person=person,
        rows=tuple(row.id for row in rows),
    )
