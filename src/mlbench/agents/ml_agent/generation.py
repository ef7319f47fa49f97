"""Stage 4, generation: from one README on, answer, open a file, or put the README aside; until there is an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from mlbench.agents.ml_agent.citations import evidence, sources
from mlbench.agents.ml_agent.interface_feedback import Inspection
from mlbench.agents.ml_agent.prompts import words
from mlbench.agents.ml_agent.repo_view import RepoView
from mlbench.agents.ml_agent.result import Checked, LineRange, Trialled
from mlbench.agents.ml_agent.search import SearchResult
from mlbench.agents.ml_agent.task_input import Job
from mlbench.agents.ml_agent.tool_calls import LLMClient, StoppedError
from mlbench.agents.ml_agent.tool_schemas import InstallPackages, Offer, OpenFile, RejectReadme, ToolAnswer
from mlbench.agents.ml_agent.trial_run import TrialRun
from mlbench.prompts.context import Document
from mlbench.prompts.tokens import counter
from mlbench.records import CheckStatus
from mlbench.repositories.documents import format_of

_LEAST = 200
"""Tokens: with fewer left, no file is opened."""
_REFUSALS = 2
_GRAVITY = (
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
    """An answer, what the check said of it, where it rests, and what came of running it."""

    answer: ToolAnswer
    checked: Checked
    sources: tuple[LineRange, ...]
    trialled: Trialled = field(default_factory=Trialled)


@dataclass(frozen=True)
class DraftSubject:
    """A repository that was judged to serve. `settings`: what the instruction fixes, in its words."""

    repository: SearchResult
    view: RepoView
    settings: tuple[str, ...]


class Reading:
    """One README, and what is opened from there.

    Args:
        last: there is nothing behind it that could be read instead.
        inspection: None where answers are not checked.
        trial: None where there is no sandbox to try them in.
    """

    def __init__(
        self,
        job: Job,
        desk: LLMClient,
        subject: DraftSubject,
        inspection: Inspection | None,
        trial: TrialRun | None,
        *,
        last: bool,
    ) -> None:
        self._job, self._desk, self._subject = job, desk, subject
        self._inspection, self._trial = inspection, trial
        self._trialled = Trialled()
        self._tried: ToolAnswer | None = None
        self._last = last
        self._shown: list[Document] = []
        self._refusals = self._repairs = 0
        self._best: AnswerDraft | None = None
        self._doubted = ""

    async def read(self, path: str | None) -> AnswerDraft | RejectReadme:
        """An answer; or the word that puts the README aside.

        Raises:
            StoppedError: the steps are used up, or a decision stays invalid, and there is no draft.
        """
        conversation = self._desk.conversation(self._prompt(path))
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
                case OpenFile() as wish:
                    conversation.reply(decided, f"{self._open(wish)}\n\n{self._next()}")
                case InstallPackages() as wish:
                    if not (feedback := await self._installed(wish)) and self._best:
                        return self._best
                    conversation.reply(decided, feedback)
                case ToolAnswer() as answer:
                    feedback = await self._feedback(answer) or await self._run()
                    if not feedback and self._best:
                        return self._best
                    conversation.reply(decided, feedback)

    def _prompt(self, path: str | None) -> str:
        budget = self._fits(self._desk.options.tokens)
        document = self._subject.view.read(path, budget // 2) if path else None
        if document:
            self._shown.append(document)
        return words(
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
        if self._desk.left <= 1 or self._suffices():
            return [answer]
        opening = [Offer(OpenFile)] if self._refusals < _REFUSALS and self._budget() >= _LEAST else []
        if self._tried:  # it is run by now: what is missing are packages, not another README
            return [answer, Offer(InstallPackages), *opening]
        return [answer, *opening, *([] if self._last else [Offer(RejectReadme)])]

    def _suffices(self) -> bool:
        """By the rules of `evidence`. An answer that was refused shows that it did not."""
        subject = self._subject
        if self._repairs or self._tried:
            return False
        return self._desk.options.stop_early and evidence(self._shown, subject.settings, subject.view.files).suffices

    def _next(self) -> str:
        return _ENOUGH if self._suffices() else "Answer now." if len(self._offers()) == 1 else _STEP

    def _fits(self, tokens: int) -> int:
        return counter(self._desk.options.tokenizer).fits(tokens)

    def _budget(self) -> int:
        """Tokens that may still be shown, of the half that is for files."""
        count = self._subject.view.counting.count
        opened = sum(count(document.text) for document in self._shown[1:])
        return self._fits(self._desk.options.tokens * 3 // 8) - opened

    def _open(self, wish: OpenFile) -> str:
        """The file's text, or why it is not shown."""
        view = self._subject.view
        path = view.inside(wish.path)
        if path not in view.files:
            near = view.nearest(path)
            return f"There is no file {path[:200]}." + (f" Did you mean: {', '.join(near)}?" if near else "")
        if refusal := self._refused(path, wish.missing):
            self._refusals += 1
            return refusal
        document = view.read(
            path, min(self._budget(), self._fits(self._desk.options.tokens) // 4), wish.first_line, wish.last_line
        )
        if document is None:
            return f"{path} holds no text in these lines."
        if any(each.path == path and each.text == document.text for each in self._shown):
            self._refusals += 1
            return f"{path} was shown already."
        self._shown.append(document)
        self._desk.costs = replace(self._desk.costs, opened=self._desk.costs.opened + 1)
        assert document.lines
        return f'<document path="{path}" lines="{document.lines[0]}-{document.lines[1]}">\n{document.text}\n</document>'

    def _refused(self, path: str, missing: Sequence[str]) -> str:
        """Why code is not opened while the documents may suffice; empty where it is."""
        if not self._desk.options.readme_first or format_of(path) or self._repairs or self._tried:
            return ""
        if not missing:
            return "Not opened: name in `missing` what the documents leave open; if that is nothing, answer."
        found = evidence(self._shown, missing, self._subject.view.files)
        if found.unnamed:
            return ""
        named = ", ".join(f"{setting}: {name}" for setting, name in found.named.items())
        return f"Not opened: the documents that were shown name it ({named}). Answer, or say what else is open."

    async def _feedback(self, answer: ToolAnswer) -> str:
        """Keep a draft; what is to be mended in it, empty where it stands."""
        if self._job.folder:
            answer = answer.model_copy(update={"folder": self._job.folder})
        checked, feedback = Checked(repairs=self._repairs), ""
        if self._inspection:
            again = answer.code == self._doubted  # it stands by it
            look = await self._inspection.look(self._subject.repository, self._job, answer, doubting=not again)
            checked, feedback = replace(look.checked, repairs=self._repairs), look.feedback
            self._doubted = answer.code if look.checked.doubts else self._doubted
        draft = AnswerDraft(answer, checked, sources(self._shown, answer.code), self._trialled)
        if self._best is None or _rank(draft) >= _rank(self._best):
            self._best = draft
        if self._repairs >= self._desk.options.repairs or self._desk.left <= 0:
            return ""
        self._repairs += bool(feedback)
        return feedback

    async def _run(self, installed: str = "") -> str:
        """Run the best draft; what is to be mended, empty where it works or no more can be done."""
        if self._trial is None or self._best is None or self._trialled.runs >= self._desk.options.trials:
            return ""
        answer = self._best.answer.model_copy(update={"plan": ""})
        if not installed and answer == self._tried:
            return ""  # it stands by it
        tried = await self._trial.run(answer)
        self._tried = answer
        self._trialled = replace(self._trialled, runs=self._trialled.runs + 1, exit_code=tried.exit_code)
        self._best = replace(self._best, trialled=self._trialled)
        if tried.works or self._desk.left <= 0:
            return ""
        return words("trial", installed=installed, exit_code=tried.exit_code, output=tried.output)

    async def _installed(self, wish: InstallPackages) -> str:
        """Install, and run the best draft again; what is to be mended, empty where it works."""
        assert self._trial
        requirements = self._subject.view.inside(wish.requirements) if wish.requirements else ""
        if requirements and requirements not in self._subject.view.files:
            return f"There is no file {requirements[:200]}."
        if not requirements and not wish.packages:
            return "Nothing was installed: name packages, or a requirements file."
        done = await self._trial.install(wish.packages, requirements)
        asked = (*self._trialled.installed, *wish.packages, *([f"-r {requirements}"] if requirements else []))
        self._trialled = replace(self._trialled, installed=asked)
        said = "Installed." if done.exit_code == 0 else f"The installation failed:\n{done.output or 'out of time'}"
        return await self._run(said)


def _rank(draft: AnswerDraft) -> int:
    """The better draft is the one of which the check says more good; what it could not decide stands in between."""
    return _GRAVITY.index(draft.checked.status)
