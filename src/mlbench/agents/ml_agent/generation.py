"""Stage 4, generation: from a README on, open files and answer until the answer stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mlbench.agents.ml_agent.citations import evidence, sources
from mlbench.agents.ml_agent.interface_feedback import DraftChecker
from mlbench.agents.ml_agent.prompts import render_prompt
from mlbench.agents.ml_agent.repo_view import RepoView
from mlbench.agents.ml_agent.result import CheckSummary, LineRange, TrialSummary
from mlbench.agents.ml_agent.search import SearchResult
from mlbench.agents.ml_agent.task_input import Job
from mlbench.agents.ml_agent.tool_calls import LLMClient, StoppedError
from mlbench.agents.ml_agent.tool_schemas import InstallPackages, Offer, OpenFile, RejectReadme, ToolAnswer
from mlbench.agents.ml_agent.trial_run import TrialRun
from mlbench.prompts.context import Document
from mlbench.prompts.tokens import counter
from mlbench.records import CheckStatus
from mlbench.repositories.documents import format_of

_MIN_FILE_TOKENS = 200
"""Tokens of a file that must still fit, or no file is opened."""
_MAX_REFUSALS = 2
_WORST_FIRST = (
    CheckStatus.REJECTED.value,
    CheckStatus.BROKEN.value,
    CheckStatus.UNDECIDED.value,
    "not-checked",
    CheckStatus.ACCEPTED.value,
)
_STEP = "Answer, open a file, or put this README aside."
_ENOUGH = "What was shown suffices: it holds an example, and a name for everything that the instruction fixes. Answer."


@dataclass(frozen=True)
class AnswerDraft:
    """An answer, its check, its sources, and its trial runs."""

    answer: ToolAnswer
    checked: CheckSummary
    sources: tuple[LineRange, ...]
    trialled: TrialSummary = field(default_factory=TrialSummary)


@dataclass(frozen=True)
class DraftSubject:
    """A repository that can do the task.

    Attributes:
        repository: the repository, with its folder.
        view: its files as the model sees them.
        settings: what the instruction fixes, in its own words.
    """

    repository: SearchResult
    view: RepoView
    settings: tuple[str, ...]


class AnswerLoop:
    """The conversation about one README and the files that the model opens from there.

    Args:
        job: the task.
        client: asks the model.
        subject: the repository.
        checker: checks drafts; None for no check.
        trial: runs drafts in a sandbox; None for no trial runs.
        last: no other README or repository can be read instead.
    """

    def __init__(
        self,
        job: Job,
        client: LLMClient,
        subject: DraftSubject,
        checker: DraftChecker | None,
        trial: TrialRun | None,
        *,
        last: bool,
    ) -> None:
        self._job, self._client, self._subject = job, client, subject
        self._checker, self._trial = checker, trial
        self._trialled = TrialSummary()
        self._tried: ToolAnswer | None = None
        self._last = last
        self._shown: list[Document] = []
        self._refusals = self._repairs = 0
        self._best: AnswerDraft | None = None
        self._doubted = ""

    async def run(self, path: str | None) -> AnswerDraft | RejectReadme:
        """Return the best draft, or the decision that rejects the README.

        Args:
            path: of the README; None if the repository has none.

        Raises:
            StoppedError: the steps are used up or a decision stays invalid, and there is no draft.
        """
        conversation = self._client.conversation(self._prompt(path))
        while True:
            try:
                decided = await conversation.ask(self._offers())
            except StoppedError:
                if self._best is None:
                    raise
                return self._best
            match decided.decision:
                case RejectReadme() as rejection:
                    return self._best or rejection
                case OpenFile() as request:
                    conversation.reply(decided, f"{self._open(request)}\n\n{self._next()}")
                case InstallPackages() as request:
                    if not (feedback := await self._install(request)) and self._best:
                        return self._best
                    conversation.reply(decided, feedback)
                case ToolAnswer() as answer:
                    feedback = await self._check(answer) or await self._try_best()
                    if not feedback and self._best:
                        return self._best
                    conversation.reply(decided, feedback)

    def _prompt(self, path: str | None) -> str:
        budget = self._fits(self._client.options.tokens)
        document = self._subject.view.read(path, budget // 2) if path else None
        if document:
            self._shown.append(document)
        return render_prompt(
            "generation",
            repository=self._subject.repository.name,
            tree=self._subject.view.tree(budget // 8),
            document=document,
            folder=self._job.folder,
            prefix=self._job.prefix,
            instruction=self._job.instruction,
            kind=self._job.kind,
            tried=self._trial is not None,
            next=self._next(),
        )

    def _offers(self) -> list[Offer]:
        language = {"shell": ("bash",), "python": ("python",)}.get(self._job.kind or "")
        answer = Offer(
            ToolAnswer, {"language": language} if language else {}, frozenset({"folder"} if self._job.folder else ())
        )
        if self._client.left <= 1 or self._suffices():
            return [answer]
        opening = [Offer(OpenFile)] if self._refusals < _MAX_REFUSALS and self._budget() >= _MIN_FILE_TOKENS else []
        if self._tried:  # the draft has run: it may lack packages, but not another README
            return [answer, Offer(InstallPackages), *opening]
        return [answer, *opening, *([] if self._last else [Offer(RejectReadme)])]

    def _suffices(self) -> bool:
        """Whether the shown documents suffice; a rejected answer shows that they do not."""
        subject = self._subject
        if self._repairs or self._tried:
            return False
        return self._client.options.stop_early and evidence(self._shown, subject.settings, subject.view.files).suffices

    def _next(self) -> str:
        return _ENOUGH if self._suffices() else "Answer now." if len(self._offers()) == 1 else _STEP

    def _fits(self, tokens: int) -> int:
        return counter(self._client.options.tokenizer).fits(tokens)

    def _budget(self) -> int:
        """Return the tokens that opened files may still use."""
        count = self._subject.view.counting.count
        opened = sum(count(document.text) for document in self._shown[1:])
        return self._fits(self._client.options.tokens * 3 // 8) - opened

    def _open(self, request: OpenFile) -> str:
        """Return a file's text, or why it is not shown."""
        view = self._subject.view
        path = view.inside(request.path)
        if path not in view.files:
            near = view.nearest(path)
            return f"There is no file {path[:200]}." + (f" Did you mean: {', '.join(near)}?" if near else "")
        if refusal := self._refused(path, request.missing):
            self._refusals += 1
            return refusal
        document = view.read(
            path,
            min(self._budget(), self._fits(self._client.options.tokens) // 4),
            request.first_line,
            request.last_line,
        )
        if document is None:
            return f"{path} holds no text in these lines."
        if any(each.path == path and each.text == document.text for each in self._shown):
            self._refusals += 1
            return f"{path} was shown already."
        self._shown.append(document)
        self._client.costs = replace(self._client.costs, opened=self._client.costs.opened + 1)
        assert document.lines
        return f'<document path="{path}" lines="{document.lines[0]}-{document.lines[1]}">\n{document.text}\n</document>'

    def _refused(self, path: str, missing: Sequence[str]) -> str:
        """Return why a code file is not opened yet; empty if it is opened."""
        if not self._client.options.readme_first or format_of(path) or self._repairs or self._tried:
            return ""
        if not missing:
            return "Not opened: name in `missing` what the documents leave open; if that is nothing, answer."
        citation = evidence(self._shown, missing, self._subject.view.files)
        if citation.unnamed:
            return ""
        named = ", ".join(f"{setting}: {name}" for setting, name in citation.named.items())
        return f"Not opened: the documents that were shown name it ({named}). Answer, or say what else is open."

    async def _check(self, answer: ToolAnswer) -> str:
        """Check a draft and keep the best one; return what to mend, empty if the draft stands."""
        if self._job.folder:
            answer = answer.model_copy(update={"folder": self._job.folder})
        checked, feedback = CheckSummary(repairs=self._repairs), ""
        if self._checker:
            repeated = answer.code == self._doubted  # the model insists on it
            found = await self._checker.check(self._subject.repository, self._job, answer, doubting=not repeated)
            checked, feedback = replace(found.checked, repairs=self._repairs), found.feedback
            self._doubted = answer.code if found.checked.doubts else self._doubted
        draft = AnswerDraft(answer, checked, sources(self._shown, answer.code), self._trialled)
        if self._best is None or _rank(draft) >= _rank(self._best):
            self._best = draft
        if self._repairs >= self._client.options.repairs or self._client.left <= 0:
            return ""
        self._repairs += bool(feedback)
        return feedback

    async def _try_best(self, installed: str = "") -> str:
        """Run the best draft; return what to mend, empty if it works or no more runs are allowed."""
        if self._trial is None or self._best is None or self._trialled.runs >= self._client.options.trials:
            return ""
        answer = self._best.answer.model_copy(update={"plan": ""})
        if not installed and answer == self._tried:
            return ""  # the model insists on it
        tried = await self._trial.run(answer)
        self._tried = answer
        self._trialled = replace(self._trialled, runs=self._trialled.runs + 1, exit_code=tried.exit_code)
        self._best = replace(self._best, trialled=self._trialled)
        if tried.works or self._client.left <= 0:
            return ""
        return render_prompt("trial", installed=installed, exit_code=tried.exit_code, output=tried.output)

    async def _install(self, request: InstallPackages) -> str:
        """Install packages and run the best draft again; return what to mend, empty if it works."""
        assert self._trial
        requirements = self._subject.view.inside(request.requirements) if request.requirements else ""
        if requirements and requirements not in self._subject.view.files:
            return f"There is no file {requirements[:200]}."
        if not requirements and not request.packages:
            return "Nothing was installed: name packages, or a requirements file."
        done = await self._trial.install(request.packages, requirements)
        arguments = (*self._trialled.installed, *request.packages, *([f"-r {requirements}"] if requirements else []))
        self._trialled = replace(self._trialled, installed=arguments)
        result = "Installed." if done.exit_code == 0 else f"The installation failed:\n{done.output or 'out of time'}"
        return await self._try_best(result)


def _rank(draft: AnswerDraft) -> int:
    """Return how good the check found a draft; undecided is between rejected and accepted."""
    return _WORST_FIRST.index(draft.checked.status)
