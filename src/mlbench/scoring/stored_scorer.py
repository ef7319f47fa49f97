"""Scores answers and keeps the scores by content: the same answer in the same place is not judged twice."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, replace

from inspect_ai.util import SandboxEnvironment

from mlbench.interface_check.verdict_cache import StoredResult, VerdictCache
from mlbench.judging.policy import VERSION
from mlbench.records import Candidate, CheckStatus, ExitKind, Sample
from mlbench.sandbox.bubblewrap import BubblewrapSandbox
from mlbench.score_records import ScoreRecord
from mlbench.scoring.answer_scorer import AnswerScorer
from mlbench.scoring.runtime import SuiteRuntime

Elsewhere = Callable[[str, Sample, Candidate, str], Awaitable[StoredResult | None]]
"""Judges an answer on another machine: key, sample, candidate, repository. None if it has to be judged here."""

_elsewhere: ContextVar[Elsewhere | None] = ContextVar("judged elsewhere", default=None)


@contextmanager
def judged_elsewhere(judge: Elsewhere) -> Iterator[None]:
    """Let another machine judge the answers of every run that is started meanwhile."""
    token = _elsewhere.set(judge)
    try:
        yield
    finally:
        _elsewhere.reset(token)


class StoredScorer:
    """Scores the answers to one suite's samples.

    Args:
        runtime: this machine.
        paper_timeout: seconds after which a running program passes under `paper`.
        remember: whether to use the verdict cache.
    """

    def __init__(self, runtime: SuiteRuntime, paper_timeout: float, *, remember: bool = True) -> None:
        self.runtime = runtime
        self._core = AnswerScorer(runtime, paper_timeout, remember=remember)
        self._remember = remember
        facts = [VERSION, runtime.provider, str(runtime.environment), runtime.limits.model_dump(), paper_timeout]
        self.cache = VerdictCache(*facts, *([] if runtime.execute else ["not executed"]))

    def question(self, sample: Sample, candidate: Candidate, repository: str) -> list[object]:
        """Return everything that the score of a candidate depends on, beside this machine and its limits.

        Args:
            sample: the sample.
            candidate: its answer.
            repository: the repository's name.
        """
        asked = asdict(replace(sample, instruction=""))  # the oracle text remains: its values may be used
        folder = self.runtime.checkouts[repository]
        key: list[object] = [
            asked,
            self._core.rules_of(sample),
            folder.name,
            candidate.code.strip(),
            candidate.kind,
            candidate.file,
        ]
        key += [] if candidate.code.strip() else [candidate.source]  # no answer, or one without code
        # the errors of text that does not parse
        key += [] if candidate.kind else [candidate.meant, "cut" if candidate.cut else ""]
        return key

    async def parts(
        self,
        sample: Sample,
        candidate: Candidate,
        repository: str,
        box: Callable[[], SandboxEnvironment | None],
    ) -> tuple[StoredResult, bool]:
        """Return the parts of a score, and whether they were remembered.

        Args:
            sample: the sample.
            candidate: its answer.
            repository: the repository's name.
            box: returns the sandbox in which the candidate runs if it must; None if answers are not executed.

        Raises:
            SandboxUnavailableError: the machine failed, not the candidate.
        """
        elsewhere = _elsewhere.get()
        question = self.question(sample, candidate, repository) if elsewhere or self._remember else []

        async def judged() -> StoredResult:
            if elsewhere:
                found = await elsewhere(self.cache.key(question), sample, candidate, repository)
                if found is not None:
                    return found
            return (await self._core.judged(sample, candidate, repository, box())).parts()

        if not self._remember:
            return await judged(), False
        return await self.cache.once(question, judged, is_repeatable)

    async def alone(self, sample: Sample, candidate: Candidate, repository: str) -> StoredResult:
        """Return the parts of a score, outside of a run of Inspect: the sandbox is made here, and ended.

        Args:
            sample: the sample.
            candidate: its answer.
            repository: the repository's name.

        Raises:
            SandboxUnavailableError: the machine failed, not the candidate.
        """
        box = BubblewrapSandbox(self.runtime.jail(repository)) if self.runtime.executes(sample.id) else None
        try:
            return (await self._core.judged(sample, candidate, repository, box)).parts()
        finally:
            if box is not None:
                await box.close()

    async def close(self) -> None:
        """End the check servers."""
        await self._core.close()


def is_repeatable(parts: StoredResult) -> bool:
    """Return whether a second run would give the same score: nothing was stopped or left undecided."""
    record = ScoreRecord.of_parts(parts)
    ended = record.execution is None or record.execution.ending is ExitKind.EXITED
    return ended and (record.check is None or record.check.status is not CheckStatus.UNDECIDED)
