"""Check a sample's reference like a candidate, and find the place of each required argument in it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mlbench.interface_check.checker import Checker
from mlbench.interface_check.runtime.inputs import digests
from mlbench.judging.arguments import token_hits
from mlbench.judging.bind import ArgumentBinding, bind, doubtful
from mlbench.judging.call_sites import CallSite, call_sites
from mlbench.judging.compare_config import Expectation
from mlbench.judging.documented import leaves_the_rest
from mlbench.judging.outcomes import Expected
from mlbench.records import Candidate, CheckStatus, Sample
from mlbench.repositories.checkout import files_of
from mlbench.repositories.documents import format_of
from mlbench.suites.suite import Suite


class Expectations:
    """The expectations of one suite's samples, each computed once.

    Args:
        suite: the suite.
        as_file: Python references are checked as a file that a script starts. A program may do more where it can write.
    """

    def __init__(self, suite: Suite, *, as_file: bool = False) -> None:
        self._suite, self._as_file = suite, as_file
        self._made: dict[int, asyncio.Task[Expectation]] = {}
        self._files: dict[Path, frozenset[str]] = {}

    async def of(self, sample: Sample, checker: Checker) -> Expectation:
        """Return the expectation of a sample.

        Args:
            sample: the sample.
            checker: the checker of its repository.

        Raises:
            SandboxUnavailableError: the checker failed. The next call tries again.
        """
        task = self._made.get(sample.id)
        if task is None:
            task = self._made[sample.id] = asyncio.ensure_future(self._make(sample, checker))
        try:
            return await asyncio.shield(task)
        except BaseException:
            if task.done() and self._made.get(sample.id) is task:  # another waiting task may have replaced it
                del self._made[sample.id]
            raise

    async def _make(self, sample: Sample, checker: Checker) -> Expectation:
        check = await checker.check(self._reference(sample, sample.output), sample.path, sample.prefix_code)
        reference = call_sites(check.invocations)
        if check.status is not CheckStatus.ACCEPTED:
            return Expectation(
                tuple(reference), (), f"the reference is {check.status}: {check.reason}: {check.message}"
            )
        if not reference:
            return Expectation((), (), "the reference calls nothing of the repository")
        origin = self._suite.row(sample.id).origin
        required = origin.required() if origin else sample.required()
        variants: dict[str, list[CallSite]] = {}
        for name in doubtful(required, reference) if origin else ():
            if origin and (code := origin.variant(name)) is not None:
                other = await checker.check(self._reference(sample, code), sample.path, sample.prefix_code)
                if other.status is CheckStatus.ACCEPTED:
                    variants[name] = call_sites(other.invocations)
        root = checker.subject.place.repository
        reference = [
            replace(act, inputs=digests(act.values.values(), str(root / act.cwd), [str(root)])) for act in reference
        ]
        return Expectation(
            call_sites=tuple(reference),
            bindings=tuple(_written(bind(required, reference, variants), sample)),
            harmful=frozenset(origin.recipe.harmful if origin else ()),
            equivalent=dict.fromkeys(origin.recipe.equivalent, origin.recipe.program) if origin else {},
            artefacts=origin.recipe.artefacts if origin else (),
            free=frozenset(origin.recipe.free if origin else ()),
            sets=frozenset(origin.recipe.sets if origin else ()),
            shown="" if leaves_the_rest(sample.instruction) else self._documentation(sample),
            files=self._of(checker.subject.place.repository),
        )

    def _reference(self, sample: Sample, code: str) -> Candidate:
        reference = Candidate(code, sample.kind, "reference")
        return in_a_file(reference) if self._as_file and sample.kind == "python" else reference

    def _documentation(self, sample: Sample) -> str:
        """The documents in a sample's oracle; source lines are no examples of use."""
        oracle = self._suite.row(sample.id).oracle
        if oracle is None:
            return sample.oracle
        return "\n".join(span.text for span in oracle.spans if format_of(span.path) or span == oracle.published)

    def _of(self, repository: Path) -> frozenset[str]:
        """The files and folders of a repository, relative to its root."""
        if repository not in self._files:
            files = [file.relative_to(repository) for file in files_of(repository)]
            folders = {folder.as_posix() for file in files for folder in file.parents}
            self._files[repository] = frozenset({file.as_posix() for file in files} | folders)
        return self._files[repository]


def in_a_file(candidate: Candidate) -> Candidate:
    """Wrap Python code in a shell script that saves it as a file and starts it."""
    end = unused_word(candidate.code)
    code = f"cat > reference_answer.py <<'{end}'\n{candidate.code}\n{end}\npython reference_answer.py"
    return replace(candidate, code=code, kind="shell")


def unused_word(code: str) -> str:
    """A word that can end a here-document of this code."""
    end = "END_OF_PYTHON"
    while end in code:
        end += "_"
    return end


def of_run(expectation: Expectation, required: Mapping[str, str], expected: Expected) -> Expectation | None:
    """What is right in a run, read from the reference's own run; None if that run meets the check's expectation.

    The check has stubs of the libraries that it lacks. It names a call after the stub that returned its object, and may
    follow another branch than a run. What the reference really calls is compared with what an answer really calls.

    Args:
        expectation: from the check of the reference.
        required: value by argument name.
        expected: the reference's run.
    """
    if not expected.invocations or expected.fault:
        return None
    if not expectation.fault and expectation.compare(expected.invocations, by_outcome=True).right:
        return None
    reference = tuple(call_sites(expected.invocations))
    return replace(expectation, call_sites=reference, bindings=tuple(bind(required, reference, {})), fault="")


def _written(tied: Sequence[ArgumentBinding], sample: Sample) -> Iterator[ArgumentBinding]:
    """Find in the reference's text the arguments that none of its calls has."""
    alone = {tie.argument: tie.wanted for tie in tied if tie.wanted and not tie.destinations}
    hits = token_hits(Candidate(sample.output, sample.kind, "reference"), alone).by_name if alone else {}
    for tie in tied:
        yield replace(tie, written=hits.get(tie.argument, False))
