"""ML-Agent's way through its four stages, from the task to the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio.to_thread

from mlbench.agents.ml_agent.generation import AnswerDraft, DraftSubject, Reading
from mlbench.agents.ml_agent.interface_feedback import Inspection, kind_of
from mlbench.agents.ml_agent.planning import judge
from mlbench.agents.ml_agent.repo_view import RepoView
from mlbench.agents.ml_agent.result import SolveOutcome, SolveResult
from mlbench.agents.ml_agent.search import Search, SearchResult
from mlbench.agents.ml_agent.select_repository import choose
from mlbench.agents.ml_agent.task_input import Job
from mlbench.agents.ml_agent.tool_calls import LLMClient, StoppedError
from mlbench.agents.ml_agent.tool_schemas import RejectReadme
from mlbench.agents.ml_agent.trial_run import TrialRun
from mlbench.prompts.tokens import counter
from mlbench.records import RunError


@dataclass
class SolvePipeline:
    """One try.

    Attributes:
        search: where repositories are found and fetched.
        given: the repository to use; None where one is to be chosen.
        inspection: None where answers are not checked.
        trial: where answers are run; None where they are not.
        used: the repository of the answer, with its folder.
    """

    job: Job
    desk: LLMClient
    search: Search
    given: SearchResult | None = None
    inspection: Inspection | None = None
    trial: TrialRun | None = None
    used: SearchResult | None = None
    _found: tuple[SearchResult, ...] = ()
    _ranked: tuple[SearchResult, ...] = ()
    _rejected: list[str] = field(default_factory=list)
    _notes: list[str] = field(default_factory=list)

    async def done(self) -> SolveResult:
        """The result, whatever the model does.

        Raises:
            UsageError, RunError: the search fails, or the one repository that is given cannot be had.
            SandboxUnavailableError: this machine cannot check.
        """
        try:
            draft = await self._answered()
        except StoppedError as stopped:
            return self._result(SolveResult(stopped.outcome, detail=stopped.detail))
        answer = draft.answer
        return self._result(
            SolveResult(
                SolveOutcome.ANSWERED,
                kind=kind_of(answer),
                folder=answer.folder or ".",
                code=answer.code,
                plan=answer.plan,
                sources=draft.sources,
                checked=draft.checked,
                trialled=draft.trialled,
            )
        )

    def _result(self, result: SolveResult) -> SolveResult:
        return replace(
            result,
            repository=self.used.name if self.used else "",
            found=tuple(each.name for each in self._found),
            ranked=tuple(each.name for each in self._ranked),
            rejected=tuple(self._rejected),
            costs=self.desk.costs,
            notes=tuple(self._notes),
        )

    async def _answered(self) -> AnswerDraft:
        if self.given is None:
            choice = await choose(self.job, self.desk, self.search)
            self._found, self._ranked = choice.found, choice.ranked
        ranked = [self.given] if self.given else list(self._ranked)
        outcome = SolveOutcome.NONE_SUITABLE
        for place, repository in enumerate(ranked):
            folder = await self._checkout(repository)
            if folder is None:
                continue
            view = RepoView(folder, counter(self.desk.options.tokenizer))
            judgement = await judge(self.job, self.desk, repository, view, given=self.given is not None)
            if not judgement.suitable:
                self._rejected.append(f"{repository.name}: {judgement.reason}")
                if self.given is None:
                    continue
            subject = DraftSubject(replace(repository, folder=folder), view, tuple(judgement.settings))
            draft = await self._read(subject, judgement.readmes, last=place == len(ranked) - 1)
            if draft:
                return draft
            outcome = SolveOutcome.READMES_REJECTED
        raise StoppedError(outcome, "; ".join(self._rejected[-5:]) or "none of the repositories could be had")

    async def _read(self, subject: DraftSubject, readmes: Sequence[str], *, last: bool) -> AnswerDraft | None:
        """An answer from the first README that leads to one; None where all are put aside."""
        self.used = subject.repository
        paths: list[str | None] = list(readmes) or [None]
        for place, path in enumerate(paths):
            behind = last and place == len(paths) - 1
            reading = Reading(self.job, self.desk, subject, self.inspection, self.trial, last=behind)
            found = await reading.read(path)
            if not isinstance(found, RejectReadme):
                return found
            self._rejected.append(f"{subject.repository.name}/{path or ''}: {found.reason}")
        self.used = None
        return None

    async def _checkout(self, repository: SearchResult) -> Path | None:
        """Its folder; None, and a note, where one of several cannot be had."""
        if repository.folder is not None:
            return repository.folder
        try:
            return await anyio.to_thread.run_sync(self.search.checkout, repository)
        except RunError as error:
            if self.given is not None:
                raise
            self._notes.append(f"left out: {error}")
            return None
