"""What the page for people shows, and what it may change. Independent of HTTP."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mlbench.human.session import HumanSession
from mlbench.human.session_records import AnswerText, RowState, Seconds
from mlbench.prompts.settings import render
from mlbench.records import RunError, Sample, UsageError
from mlbench.suites.suite import load_suite


class WorkRequest(BaseModel):
    """A change of one row.

    Attributes:
        seconds: the row's active seconds so far.
        number: the number of a submitted answer, from 1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    do: Literal["save", "submit", "give-up"]
    row: int
    text: AnswerText = ""
    seconds: Seconds
    number: Annotated[int, Field(ge=0)] = 0


@dataclass(frozen=True)
class RowEntry:
    """A row in the list."""

    id: int
    repository: str
    type: str
    state: RowState
    attempts: int
    seconds: float


@dataclass(frozen=True)
class SessionOverview:
    """The list of rows, and what the session is about."""

    suite: str
    version: int
    split: str
    setting: str
    person: str
    k: int
    folder: str
    rows: tuple[RowEntry, ...]


@dataclass(frozen=True)
class ShownDocument:
    """A document; `lines` are its first and last line if it is a part of a file."""

    path: str
    text: str
    lines: tuple[int, int] | None


@dataclass(frozen=True)
class TaskView:
    """What a person sees of a row: what a model would be shown, and the own work. Never the reference."""

    id: int
    repository: str
    type: str
    path: str
    prefix_code: str
    instruction: str
    documents: tuple[ShownDocument, ...]
    draft: str
    seconds: float
    answers: tuple[str, ...]
    given_up: bool


class HumanService:
    """One session on the page; not thread-safe.

    Raises:
        UsageError: the suite has changed, or its repositories are not fetched yet.
    """

    def __init__(self, session: HumanSession) -> None:
        self.session = session
        self._suite = load_suite(session.plan.suite)
        self._suite.refuse_absent()
        self._samples = {sample.id: sample for sample in session.samples()}

    def overview(self) -> SessionOverview:
        """The list of rows."""
        plan = self.session.plan
        return SessionOverview(
            suite=self._suite.name,
            version=plan.suite_version,
            split=plan.split,
            setting=plan.setting,
            person=plan.person,
            k=plan.k,
            folder=str(self.session.folder),
            rows=tuple(self._entry(sample) for sample in self._samples.values()),
        )

    def view(self, row: int) -> TaskView:
        """What is shown of a row.

        Raises:
            UsageError: the session has no such row.
            RunError: the repository's files differ from the pinned ones.
        """
        work = self.session.work(row)
        sample, name = self._samples[row], self._repository(row)
        prompt = render(
            sample,
            self._suite.folder(name),
            name,
            self.session.plan.setting,
            known=self._suite.row(row).oracle,
        )
        return TaskView(
            id=row,
            repository=name,
            type=sample.type,
            path=sample.path,
            prefix_code=sample.prefix_code,
            instruction=sample.instruction,
            documents=tuple(ShownDocument(each.path, each.text, each.lines) for each in prompt.shown.documents),
            draft=work.draft,
            seconds=work.seconds,
            answers=tuple(each.text for each in work.attempts),
            given_up=work.given_up,
        )

    def change(self, body: bytes) -> tuple[HTTPStatus, dict[str, Any]]:
        """Carry out a change; returns the status, and the row's entry or `faults`."""
        try:
            request = WorkRequest.model_validate_json(body)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "request"
            return HTTPStatus.BAD_REQUEST, {"faults": [f"{where}: {first['msg']}"]}
        try:
            match request.do:
                case "save":
                    self.session.save(request.row, request.text, request.seconds)
                case "submit":
                    self.session.submit(request.row, request.text, request.seconds, request.number)
                case "give-up":
                    self.session.give_up(request.row, request.seconds)
        except UsageError as error:
            return HTTPStatus.UNPROCESSABLE_ENTITY, {"faults": [str(error)]}
        except (OSError, RunError) as error:
            return HTTPStatus.INTERNAL_SERVER_ERROR, {"faults": [f"nothing was stored: {error}"]}
        return HTTPStatus.OK, {"entry": asdict(self._entry(self._samples[request.row]))}

    def _entry(self, sample: Sample) -> RowEntry:
        work = self.session.work(sample.id)
        return RowEntry(
            sample.id, self._repository(sample.id), sample.type, work.state, len(work.attempts), work.seconds
        )

    def _repository(self, row: int) -> str:
        return self._suite.repository_of(self._samples[row].github_id).name
