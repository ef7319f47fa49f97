"""Run ML-Agent's four stages, from the task to the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import anyio.to_thread

from mlbench.agents.ml_agent.generation import AnswerDraft, AnswerLoop, DraftSubject
from mlbench.agents.ml_agent.interface_feedback import DraftChecker, kind_of
from mlbench.agents.ml_agent.planning import judge_repository
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
    """One run of ML-Agent.

    Attributes:
        job: the task.
        client: asks the model.
        search: finds and fetches repositories.
        given: the repository to use; None to let the model choose one.
        checker: checks drafts; None for no check.
        trial: runs drafts in a sandbox; None for no trial runs.
        used: the repository of the answer, with its folder; None without an answer.
    """

    job: Job
    client: LLMClient
    search: Search
    given: SearchResult | None = None
    checker: DraftChecker | None = None
    trial: TrialRun | None = None
    used: SearchResult | None = None
    _found: tuple[SearchResult, ...] = ()
    _ranked: tuple[SearchResult, ...] = ()
    _rejected: list[str] = field(default_factory=list)
    _notes: list[str] = field(default_factory=list)

    async def run(self) -> SolveResult:
        """Return the result; a failure of the model is a result, too.

        Raises:
            UsageError, RunError: the search failed, or the given repository cannot be fetched.
            SandboxUnavailableError: this machine cannot check answers.
        """
        try:
            draft = await self._draft()
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
            costs=self.client.costs,
            notes=tuple(self._notes),
        )

    async def _draft(self) -> AnswerDraft:
        """Return the answer from the first suitable repository that leads to one."""
        if self.given is None:
            choice = await choose(self.job, self.client, self.search)
            self._found, self._ranked = choice.found, choice.ranked
        ranked = [self.given] if self.given else list(self._ranked)
        outcome = SolveOutcome.NONE_SUITABLE
        for place, repository in enumerate(ranked):
            folder = await self._checkout(repository)
            if folder is None:
                continue
            view = RepoView(folder, counter(self.client.options.tokenizer))
            judgement = await judge_repository(self.job, self.client, repository, view, given=self.given is not None)
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
        """Return the answer from the first README that leads to one; None if the model rejects all."""
        self.used = subject.repository
        paths: list[str | None] = list(readmes) or [None]
        for place, path in enumerate(paths):
            is_last = last and place == len(paths) - 1
            loop = AnswerLoop(self.job, self.client, subject, self.checker, self.trial, last=is_last)
            answer = await loop.run(path)
            if not isinstance(answer, RejectReadme):
                return answer
            self._rejected.append(f"{subject.repository.name}/{path or ''}: {answer.reason}")
        self.used = None
        return None

    async def _checkout(self, repository: SearchResult) -> Path | None:
        """Return a repository's folder; None, with a note, if one of several cannot be fetched."""
        if repository.folder is not None:
            return repository.folder
        try:
            return await anyio.to_thread.run_sync(self.search.checkout, repository)
        except RunError as error:
            if self.given is not None:
                raise
            self._notes.append(f"left out: {error}")
            return None
