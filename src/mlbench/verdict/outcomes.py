"""What an answer left behind against what the reference left behind. Pure: outcomes in, differences out."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from mlbench.types import Execution, Outcome, OutputFile
from mlbench.verdict.figures import Printed, figures, is_number, unsaid
from mlbench.verdict.file_formats import Unreadable, differences, read
from mlbench.verdict.outcome_spec import FileSpec, OutcomeSpec, expression

_ROOT = "/workspace"
_MOST_COMPARED = 200
_MOST_TEXT = 1 << 20
_TELLING = 12  # digits or letters


class Lack(StrEnum):
    """How what was left behind differs."""

    FILE = "missing-file"
    CONTENT = "wrong-file"
    FIGURE = "missing-figure"
    REMOVED = "repository-file-removed"
    ALTERED = "repository-file-changed"


@dataclass(frozen=True)
class Difference:
    """One difference: what it is about, what the reference left, what the answer left."""

    lack: Lack
    what: str
    expected: str = ""
    found: str = ""

    def __str__(self) -> str:
        match self.lack:
            case Lack.FILE:
                return f"{self.what} is not there"
            case Lack.CONTENT:
                return f"{self.what}: {self.found}"
            case Lack.FIGURE:
                return f"{self.expected} is never printed"
        return f"{self.what} {'is gone' if self.lack is Lack.REMOVED else 'has been changed'}"


@dataclass(frozen=True)
class Expected:
    """What the reference leaves behind.

    Attributes:
        spec: what its recipe declares.
        printed: its output.
        outcome: its files.
        folder: the sample's folder, from the repository's root; the globs of `spec` start there.
        seconds: wall time of the run.
        running: it was ended at the time limit.
        fault: why there is nothing to compare with; empty where there is.
    """

    spec: OutcomeSpec
    printed: str = ""
    outcome: Outcome = field(default_factory=Outcome)
    folder: str = "."
    seconds: float = 0.0
    running: bool = False
    fault: str = ""

    @property
    def figures(self) -> list[str]:
        """What an answer has to print."""
        return figures([expression(pattern) for pattern in self.spec.prints], self.printed)

    def files(self) -> Iterator[tuple[FileSpec, OutputFile]]:
        """The declared files that the reference has left, each with what is declared of it."""
        for file in self.outcome.files:
            for spec in self.spec.files:
                if _matches(file.path, spec, self.folder):
                    yield spec, file
                    break

    def globs(self) -> list[str]:
        """The declared files as globs of absolute paths."""
        return [posixpath.normpath(posixpath.join(_ROOT, self.folder, spec.path)) for spec in self.spec.files]

    @property
    def telling(self) -> bool:
        """Whether nobody would come to the same by chance: files, words, or figures of many digits."""
        if next(self.files(), None) is not None:
            return True
        digits = sum(
            len(re.sub(r"\D", "", each).lstrip("0")) if is_number(each) else len(each) for each in self.figures
        )
        return digits >= _TELLING

    def progress_lacking(self, execution: Execution) -> str:
        """Of one that still runs: why it is not as far as the reference was by then; empty where it is."""
        if not self.spec.progress:
            return ""
        ours, theirs = (len(re.findall(self.spec.progress, text)) for text in (self.printed, execution.stdout))
        return "" if 2 * theirs >= ours else f"it has come to {theirs} of the {ours} steps that the reference comes to"

    @property
    def empty(self) -> bool:
        """Whether it holds nothing that an answer could be held against."""
        return not self.figures and next(self.files(), None) is None


def compared(expected: Expected, execution: Execution) -> list[Difference]:
    """Every difference of what an execution left from what was expected; none where it left the same."""
    outcome = execution.outcome or Outcome()
    found = [*_of_files(expected, outcome), *_of_figures(expected, execution, outcome)]
    found += [
        Difference(Lack.REMOVED, _shown(path)) for path in outcome.removed if path not in expected.outcome.removed
    ]
    found += [
        Difference(Lack.ALTERED, _shown(path)) for path in outcome.altered if path not in expected.outcome.altered
    ]
    return found


def _of_files(expected: Expected, outcome: Outcome) -> Iterator[Difference]:
    for spec, file in expected.files():
        named = spec.named
        tried: list[str] = []
        for other in _candidates(file, outcome, named):
            tried = list(_content_differs(spec, file, other))
            if not tried:
                break
        else:
            at = [other for other in outcome.files if _same_place(file.path, other.path)]
            if not at:
                yield Difference(Lack.FILE, _shown(file.path), f"{file.size} bytes", "nothing")
            else:
                why = "; ".join(list(_content_differs(spec, file, at[0]))[:3])
                yield Difference(Lack.CONTENT, _shown(file.path), "as the reference leaves it", why)


def _candidates(file: OutputFile, outcome: Outcome, named: bool) -> list[OutputFile]:
    """The files that may be the one that is wanted: where it should stand, then elsewhere, if its place is free."""
    at = [other for other in outcome.files if _same_place(file.path, other.path)]
    if named:
        return at
    name, suffix = posixpath.basename(file.path), posixpath.splitext(file.path)[1]
    rest = [other for other in outcome.files if other not in at]
    rest.sort(key=lambda other: (posixpath.basename(other.path) != name, not other.path.endswith(suffix), other.path))
    return [*at, *rest][:_MOST_COMPARED]


def _same_place(wanted: str, path: str) -> bool:
    """The same path, or the same from another folder of the workspace."""
    return path == wanted


def _content_differs(spec: FileSpec, wanted: OutputFile, other: OutputFile) -> Iterator[str]:
    if other.fault or other.content is None:
        yield other.fault or "cannot be read"
        return
    if wanted.content is None or wanted.content == other.content:
        return
    try:
        ours = read(wanted.path, wanted.content)
    except Unreadable as error:
        yield f"the reference's own {error}"
        return
    try:
        theirs = read(wanted.path, other.content)
    except Unreadable as error:
        yield str(error)
        return
    yield from differences(ours, theirs, spec.volatile, spec.rtol, spec.atol)


def _of_figures(expected: Expected, execution: Execution, outcome: Outcome) -> Iterator[Difference]:
    """What was to be printed and was not: neither in the output nor in a text that the output was sent to."""
    wanted = expected.figures
    texts = [Printed(execution.stdout), Printed(execution.stderr)]
    missing = unsaid(wanted, texts)
    if missing:
        declared = [file.path for _, file in expected.files()]
        missing = unsaid(missing, [Printed(text) for text in _other_texts(outcome, declared)])
    for figure in missing:
        yield Difference(Lack.FIGURE, "output", figure, "")


def _other_texts(outcome: Outcome, declared: Sequence[str]) -> Iterator[str]:
    for file in outcome.files:
        binary = file.content is None or b"\0" in file.content
        if not binary and file.path not in declared and file.size <= _MOST_TEXT:
            assert file.content is not None
            yield file.content.decode("utf-8", errors="replace")


def _matches(path: str, spec: FileSpec, folder: str) -> bool:
    return fnmatch.fnmatchcase(path, posixpath.normpath(posixpath.join(_ROOT, folder, spec.path)))


def _shown(path: str) -> str:
    return path.removeprefix(_ROOT + "/")
